import type { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Codec } from '../../kube/codec.ts';
import { jsonCodec } from '../../kube/codec.ts';
import { Informer } from '../../kube/informer.ts';
import type { KubeObject } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { Random } from '../../kube/random.ts';
import type { Resource } from '../../kube/resource.ts';
import type { Node as KubeNode, Pod as KubePod } from '../../kube/resources.ts';
import { nodes, pods } from '../../kube/resources.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import { name } from '../../model/ids.ts';
import type { Node, Taint } from '../../model/node.ts';
import type { Claim, Pod, ProcessGroup } from '../../model/process-group.ts';
import type { PodShape } from '../../model/shape.ts';
import { instant } from '../../model/time.ts';
import { claims } from '../cluster/resources.ts';
import { specHashAnnotation } from './manifests.ts';

export interface ObjectsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly namespace: string;
}

/** Pods, claims and nodes as the watches last told: what a controller sees, which may be behind. */
export class Objects {
  readonly #pods: Informer<Seen<SeenPod>>;
  readonly #claims: Informer<Seen<Claim>>;
  readonly #nodes: Informer<Seen<Node>>;
  readonly #namespace: string;

  constructor(options: ObjectsOptions) {
    this.#namespace = options.namespace;
    this.#pods = informer(options, pods, jsonCodec<KubePod, Seen<SeenPod>>(seen(podOf)), options.namespace);
    this.#claims = informer(options, claims, jsonCodec<KubeObject, Seen<Claim>>(seen(claimOf)), options.namespace);
    this.#nodes = informer(options, nodes, jsonCodec<KubeNode, Seen<Node>>(seen(nodeOf)));
  }

  /** Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#pods.run(signal), this.#claims.run(signal), this.#nodes.run(signal)]);
  }

  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#pods.synced(signal), this.#claims.synced(signal), this.#nodes.synced(signal)]);
  }

  /** The objects of one process group. */
  of({ id, role }: ProcessGroup, spec: ClusterSpec): Pick<ProcessGroup, 'pod' | 'claim' | 'service'> {
    const shape = spec.roles.find((one) => one.name === role)?.shape ?? null;
    const key = keyText({ namespace: this.#namespace, name: id });
    const pod = this.#pods.cache.get(key)?.is;
    return {
      pod: pod === undefined || shape === null ? null : { ...pod, shape: { ...shape, ...pod.shape } },
      claim: shape?.claimSpecHash === '' ? 'none' : (this.#claims.cache.get(key)?.is ?? null),
      service: 'none',
    };
  }

  nodes(): readonly Node[] {
    return [...this.#nodes.cache.values()].map(({ is }) => is);
  }
}

/** A pod, with what it remembers of its shape: the rest of that is as the spec has it. */
type SeenPod = Omit<Pod, 'shape'> & { readonly shape: Pick<PodShape, 'specHash'> };

interface Seen<T> {
  readonly key: string;
  readonly version: string;
  readonly is: T;
}

const seen =
  <Raw extends KubeObject, T>(project: (raw: Raw) => T) =>
  (raw: Raw): Seen<T> => ({
    key: keyText(raw.metadata),
    version: raw.metadata.resourceVersion ?? '',
    is: project(raw),
  });

function informer<T>(
  { client, clock, random }: ObjectsOptions,
  resource: Resource<KubeObject>,
  codec: Codec<Seen<T>>,
  namespace?: string,
): Informer<Seen<T>> {
  return new Informer<Seen<T>>({
    client,
    clock,
    random,
    resource,
    codec,
    key: ({ key }) => key,
    version: ({ version }) => version,
    indexes: {},
    onHandlerError: () => {},
    ...(namespace !== undefined && { namespace }),
  });
}

function podOf({ metadata, spec, status = {} }: KubePod): SeenPod {
  const conditions = status.conditions ?? [];
  const unscheduled = conditions.find((one) => one.type === 'PodScheduled' && one.status === 'False');
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  return {
    name: metadata.name,
    uid: name(metadata.uid ?? ''),
    resourceVersion: metadata.resourceVersion ?? '',
    node: spec.nodeName === undefined || spec.nodeName === '' ? null : name(spec.nodeName),
    phase: phaseOf(status.phase),
    ready: conditions.some((one) => one.type === 'Ready' && one.status === 'True'),
    createdAt: instant(Date.parse(metadata.creationTimestamp ?? '')),
    // Its engine names every copy, so that nobody asks when a process began anew.
    restartedAt: null,
    crashing: false,
    deletingSince:
      deletionTimestamp === undefined
        ? null
        : instant(Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000),
    unschedulable: unscheduled === undefined ? null : (unscheduled.message ?? ''),
    broken: null,
    open: false,
    shape: { specHash: metadata.annotations?.[specHashAnnotation] ?? '' },
    wouldChange: false,
  };
}

function phaseOf(phase: string | undefined): Pod['phase'] {
  return phase === 'Running' || phase === 'Failed' || phase === 'Succeeded' || phase === 'Unknown' ? phase : 'Pending';
}

const claimOf = ({ metadata }: KubeObject): Claim => ({
  uid: name(metadata.uid ?? ''),
  specHash: metadata.annotations?.[specHashAnnotation] ?? '',
  deleting: metadata.deletionTimestamp !== undefined,
  travels: false,
});

function nodeOf({ metadata, spec = {}, status = {} }: KubeNode): Node {
  const zone = metadata.labels?.['topology.kubernetes.io/zone'];
  return {
    name: name(metadata.name),
    zone: zone === undefined ? null : name(zone),
    ready: (status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True'),
    cordoned: spec.unschedulable === true,
    cordonedSince: null,
    taints: (spec.taints ?? []).map(({ key, effect, timeAdded }) => ({
      key,
      effect: effectOf(effect),
      timeAdded: timeAdded === undefined ? null : instant(Date.parse(timeAdded)),
    })),
  };
}

const effectOf = (effect: string): Taint['effect'] =>
  effect === 'NoExecute' || effect === 'PreferNoSchedule' ? effect : 'NoSchedule';
