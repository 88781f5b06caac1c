import type { JsonObject } from '../../../src/embedded/api-server/json.ts';
import { textAt } from '../../../src/embedded/api-server/json.ts';
import type { PodHooks } from '../../../src/embedded/cluster/kubelet/pod-hooks.ts';
import type { PodView } from '../../../src/embedded/cluster/pod-view.ts';
import { podView } from '../../../src/embedded/cluster/pod-view.ts';
import type { KubeClient } from '../../../src/kube/client.ts';
import { jsonCodec } from '../../../src/kube/codec.ts';
import { Informer } from '../../../src/kube/informer.ts';
import type { KubeObject } from '../../../src/kube/object.ts';
import { keyText } from '../../../src/kube/object.ts';
import { realRandom } from '../../../src/kube/random.ts';
import { realClock } from '../../../src/kube/real-clock.ts';
import type { Resource } from '../../../src/kube/resource.ts';
import { pods } from '../../../src/kube/resources.ts';
import { claims } from '../../../src/operator/resources.ts';
import { groupLabels } from '../../../src/operator/stateful-cluster/marks.ts';

type Hooks = Required<PodHooks>;
type Process = Parameters<Hooks['onPodStarted']>[0];

/**
 * Lets model engines run in the pods of StatefulClusters on a real API server: a process starts when its pod runs, stops when the pod is told to
 * stop, and loses its disk when the claim is deleted and nobody has it mounted any more.
 */
export class FollowedPods {
  readonly #hooks: Hooks;
  readonly #running = new Map<string, Process>();
  readonly #pods: Informer<PodView>;
  readonly #claims: Informer<KubeObject>;
  /** Disks whose claims are deleted while a process has them. */
  readonly #doomed = new Set<string>();
  #runs = 0;

  constructor(client: KubeClient, hooks: Hooks) {
    this.#hooks = hooks;
    this.#pods = new Informer<PodView>({
      ...common(client, pods),
      codec: jsonCodec<KubeObject & JsonObject, PodView>(podView),
      key: ({ key }) => key,
      version: ({ version }) => version,
    });
    this.#claims = new Informer<KubeObject>({
      ...common(client, claims),
      codec: jsonCodec<KubeObject, KubeObject>((claim) => claim),
      key: ({ metadata }) => keyText(metadata),
      version: ({ metadata }) => metadata.resourceVersion ?? '',
    });
    const follow = (pod: PodView) => this.#follow(pod);
    this.#pods.cache.subscribe({ added: follow, updated: follow, deleted: ({ key }) => this.#stop(key) });
    this.#claims.cache.subscribe({ deleted: (claim) => this.#giveBack(diskOf(claim)) });
  }

  /** Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#pods.run(signal), this.#claims.run(signal)]);
  }

  /** The pods of a cluster, as they are now. */
  of(namespace: string, cluster: string): readonly PodView[] {
    return [...this.#pods.cache.values()].filter(
      (pod) => pod.namespace === namespace && pod.labels[groupLabels.cluster] === cluster,
    );
  }

  /** Told of every pod that comes, changes or goes. */
  subscribe(changed: (pod: PodView) => void): void {
    this.#pods.cache.subscribe({ added: changed, updated: changed, deleted: changed });
  }

  /** The machine of the pod is cut off: its process goes on, whatever becomes of the pod. */
  cutLoose(key: string): void {
    this.#running.delete(key);
  }

  #follow(pod: PodView): void {
    const before = this.#running.get(pod.key);
    const address = textAt(pod.object, 'status', 'podIP');
    const runs = pod.deletionTimestamp === undefined && pod.phase === 'Running' && address !== '';
    if (before !== undefined && (before.uid !== pod.uid || !runs)) this.#stop(pod.key);
    if (!runs || this.#running.has(pod.key)) return;
    const { namespace, name, uid, nodeName: node } = pod;
    const disks = pod.claims.flatMap((claim) => {
      const found = this.#claims.cache.get(keyText({ namespace, name: claim }));
      return found === undefined ? [] : [diskOf(found)];
    });
    const process = { namespace, name, uid, run: ++this.#runs, node, zone: node, address, disks, pod };
    this.#running.set(pod.key, process);
    this.#hooks.onPodStarted(process);
  }

  #stop(key: string): void {
    const process = this.#running.get(key);
    if (process === undefined) return;
    this.#running.delete(key);
    this.#hooks.onPodStopped(process, 'deleted');
    for (const disk of process.disks) if (this.#doomed.delete(disk)) this.#hooks.onDiskLost(disk, 'deleted');
  }

  #giveBack(disk: string): void {
    const isMounted = [...this.#running.values()].some(({ disks }) => disks.includes(disk));
    if (isMounted) this.#doomed.add(disk);
    else this.#hooks.onDiskLost(disk, 'deleted');
  }
}

/** A claim that is made again under its name is another disk. */
const diskOf = ({ metadata }: KubeObject): string => `${keyText(metadata)}@${metadata.uid ?? ''}`;

const common = <T extends KubeObject>(client: KubeClient, resource: Resource<T>) => ({
  client,
  clock: realClock,
  random: realRandom,
  resource,
  labelSelector: groupLabels.cluster,
  indexes: {},
  onHandlerError: (error: unknown): void => {
    throw error;
  },
});
