import type { StatefulCluster } from '../../api/kinds.ts';
import { evictionGuard, statefulCluster } from '../../api/kinds.ts';
import { jsonCodec } from '../../kube/codec.ts';
import type { Informer, Readable } from '../../kube/informer.ts';
import { selects } from '../../kube/label-selection.ts';
import type { KeyText, KubeObject } from '../../kube/object.ts';
import { keyText, parseKey } from '../../kube/object.ts';
import type { LabelSelector } from '../../kube/resources.ts';
import type { GuardWord } from '../../model/drain.ts';
import type { ClusterKey } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { instant } from '../../model/time.ts';
import type { ControllerContext } from '../controller.ts';
import { evictionGuards } from '../eviction-guard/view.ts';
import { groupLabels, objectNames } from '../stateful-cluster/marks.ts';
import { statefulClusters } from '../stateful-cluster/view.ts';
import { wordsOfCluster, wordsOfGuard } from './guard-word.ts';
import type { PodView } from './pod-view.ts';

interface GuardView {
  readonly key: KeyText;
  readonly version: string;
  readonly namespace: string;
  /** Of an EvictionGuard: which pods are its own. */
  readonly selectors: readonly LabelSelector[];
  /** Worked out when it is asked for: most of what is written about clusters is written while nobody drains anything. */
  readonly words: () => ReadonlyMap<string, GuardWord>;
  /** Of a StatefulCluster: its process groups that are being removed, by the nodes that they are, or were last, on. */
  readonly leaving: () => ReadonlyMap<string, readonly LeavingGroup[]>;
}

/** A process group that is being removed. */
export interface LeavingGroup {
  /** As people read it. */
  readonly name: string;
  readonly claim: { readonly namespace: string; readonly name: string };
}

interface Raw extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** What StatefulClusters and EvictionGuards have on record of their pods. It may be behind, and nothing is done on its account. */
export class Guards {
  readonly #clusters: Informer<GuardView, 'namespace'>;
  readonly #guards: Informer<GuardView, 'namespace'>;
  readonly informers: readonly Readable[];

  constructor({ informer, clock }: Pick<ControllerContext, 'informer' | 'clock'>) {
    const now = () => instant(clock.now());
    const common = {
      key: ({ key }: GuardView) => key,
      version: ({ version }: GuardView) => version,
      indexes: { namespace: ({ namespace }: GuardView) => [namespace] },
    };
    this.#clusters = informer<GuardView, 'namespace'>({
      ...common,
      resource: statefulClusters,
      codec: jsonCodec<Raw, GuardView>(({ metadata, status }) => {
        const read = once(() => statefulCluster.status.safeParse(status ?? {}).data ?? nothing);
        return {
          ...viewOf(metadata),
          selectors: [],
          words: once(() => wordsOfCluster(keyOf(metadata), read(), now())),
          leaving: once(() => leavingOf(metadata, read())),
        };
      }),
    });
    this.#guards = informer<GuardView, 'namespace'>({
      ...common,
      resource: evictionGuards,
      codec: jsonCodec<Raw, GuardView>(({ metadata, spec, status }) => {
        const roles = evictionGuard.spec.safeParse(spec).data?.roles ?? [];
        const read = once(() => evictionGuard.status.safeParse(status ?? {}).data ?? nothing);
        return {
          ...viewOf(metadata),
          selectors: roles.map(({ selector }) => selectorOf(selector)),
          words: once(() => wordsOfGuard(keyOf(metadata), read(), now())),
          leaving: () => new Map(),
        };
      }),
    });
    this.informers = [this.#clusters, this.#guards];
  }

  /** What the guard of a pod says of it; null: nobody guards it. */
  wordOn({ key, namespace, labels }: PodView): GuardWord | null {
    const cluster = labels[groupLabels.cluster];
    const owner = cluster === undefined ? undefined : this.#clusters.cache.get(keyText({ namespace, name: cluster }));
    if (owner !== undefined) return owner.words().get(labels[groupLabels.processGroup] ?? '') ?? silence(owner.key);
    const guard = this.#guards.cache
      .find('namespace', namespace)
      .find(({ selectors }) => selectors.some((selector) => selects(selector, labels)));
    return guard === undefined ? null : (guard.words().get(parseKey(key).name) ?? silence(guard.key));
  }

  /** The process groups that are being removed from a node, or were last seen there. */
  leaving(node: string): readonly LeavingGroup[] {
    return [...this.#clusters.cache.values()].flatMap(({ leaving }) => leaving().get(node) ?? []);
  }

  subscribe(hear: () => void): () => void {
    const handler = { added: hear, updated: hear, deleted: hear };
    const stops = [this.#clusters.cache.subscribe(handler), this.#guards.cache.subscribe(handler)];
    return () => {
      for (const stop of stops) stop();
    };
  }
}

/** A status that cannot be read. */
const nothing = { processGroups: [], processes: [], jobs: [] };

function once<T>(make: () => T): () => T {
  let made: { readonly is: T } | undefined;
  return () => {
    made ??= { is: make() };
    return made.is;
  };
}

function leavingOf(
  metadata: KubeObject['metadata'],
  { processGroups }: Pick<StatefulCluster['status'], 'processGroups'>,
): ReadonlyMap<string, readonly LeavingGroup[]> {
  const { namespace = '', name: cluster } = metadata;
  const rows = processGroups.filter((row) => row.removalTimestamp !== null && row.nodeName !== null);
  const groups = Map.groupBy(rows, ({ nodeName }) => nodeName ?? '');
  const leaving = ({ processGroupID: id }: (typeof rows)[number]): LeavingGroup => ({
    name: `${id} of ${keyText(metadata)}`,
    claim: { namespace, name: objectNames.claim(cluster, name(id)) },
  });
  return new Map([...groups].map(([node, all]) => [node, all.map(leaving)]));
}

const keyOf = (metadata: KubeObject['metadata']): ClusterKey => name(keyText(metadata));

const viewOf = (metadata: KubeObject['metadata']): Pick<GuardView, 'key' | 'version' | 'namespace'> => ({
  key: keyText(metadata),
  version: metadata.resourceVersion ?? '',
  namespace: metadata.namespace ?? '',
});

/** Absent and undefined are one thing to us and two to the compiler. */
const selectorOf = ({
  matchLabels,
  matchExpressions,
}: {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | undefined }[]
    | undefined;
}): LabelSelector => ({
  matchLabels: matchLabels ?? {},
  matchExpressions: (matchExpressions ?? []).map(({ key, operator, values }) => ({
    key,
    operator,
    values: values ?? [],
  })),
});

const silence = (by: KeyText): GuardWord => ({
  by: name(by),
  verdict: null,
  reasons: [],
  progressPercent: null,
  estimatedEnd: null,
});
