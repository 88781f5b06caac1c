import type { KubeClient } from '../../../kube/client.ts';
import { done, type Next } from '../../../kube/controller.ts';
import type { KubeObject } from '../../../kube/object.ts';
import type { Resource } from '../../../kube/resource.ts';
import { pods } from '../../../kube/resources.ts';
import { conditionOf } from '../condition-view.ts';
import { type ClusterContext, clientFor } from '../context.ts';
import { nodeAt } from '../node-view.ts';
import { unlessGone } from '../overtaken.ts';
import { isDeleting, type PodView, podsOf } from '../pod-view.ts';
import { type Part, Reconciler } from '../reconciler.ts';
import { claims, storedAs } from '../resources.ts';
import { type ClaimView, selectedNode } from '../storage/disk-view.ts';
import { chooseNode } from './choose-node.ts';
import { type Refusal, refusalOf } from './filters.ts';
import { fitError } from './fit-error.ts';
import { placementView } from './placement-view.ts';
import { nodeMatters, podMatters } from './relevant-change.ts';
import { schedulingView } from './scheduling-view.ts';
import { disksOf } from './volume-fit.ts';

const cycle = 'cycle';
const topologyLabels = new Set(['topology.kubernetes.io/zone', 'topology.kubernetes.io/region']);

/**
 * Puts pods on nodes, by the filters of the real scheduler's default profile as far as they are played: cordon, taints, node selectors and
 * affinity, resources, disks, topology spread, affinity between pods. Pods of higher priority are looked at first, older ones before younger
 * ones; nobody is preempted and preferences of pods are not read. All pods that wait are tried again whenever something changes that could matter.
 */
export class Scheduler implements Part {
  readonly #context: ClusterContext;
  readonly #client: KubeClient;
  readonly #reconciler: Reconciler;
  /** Pods, by uid, that wait on their disks for a node that was chosen. */
  readonly #assumed = new Map<string, string>();

  constructor(context: ClusterContext) {
    this.#context = context;
    this.#client = clientFor(context, 'system:kube-scheduler', 'kube-scheduler');
    this.#reconciler = new Reconciler(context, () => this.#run());
    const wake = () => this.#reconciler.add(cycle);
    this.#reconciler.listen(storedAs.pods, (change) => {
      if (change.type === 'DELETED') this.#assumed.delete(uidOf(change.stored.object));
      if (podMatters(change)) wake();
    });
    this.#reconciler.listen(storedAs.nodes, (change) => {
      if (nodeMatters(change)) wake();
    });
    for (const collection of [storedAs.claims, storedAs.volumes, storedAs.storageClasses]) {
      this.#reconciler.listen(collection, wake);
    }
  }

  stop(): Promise<void> {
    return this.#reconciler.stop();
  }

  /** One try for every pod that waits. What fails for one does not hold up the others. */
  async #run(): Promise<Next> {
    let trouble: { readonly error: unknown } | undefined;
    for (const { uid, namespace, name } of this.#waiting()) {
      const pod = this.#waiting().find((each) => each.uid === uid);
      if (pod === undefined) continue;
      try {
        await this.#schedule(pod, { namespace, name });
      } catch (error) {
        trouble = { error };
      }
    }
    if (trouble !== undefined) throw trouble.error;
    return done;
  }

  #waiting(): PodView[] {
    return [...podsOf(this.#context.world)].filter(isWaiting).sort(byUrgency);
  }

  async #schedule(pod: PodView, key: { readonly namespace: string; readonly name: string }): Promise<void> {
    const { world, random } = this.#context;
    const disks = disksOf(world, pod);
    if (disks.isBinding && this.#assumed.has(pod.uid)) return;
    const others = new Map([...this.#assumed].filter(([uid]) => uid !== pod.uid));
    const all = placementView(world, others);
    const question = { world, pod, disks, all };
    const refusals = all.map((candidate) =>
      disks.obstacle === undefined ? refusalOf(question, candidate) : noneHelps(disks.obstacle),
    );
    const fitting = all.filter((_, index) => refusals[index] === undefined);
    const assumed = this.#assumed.get(pod.uid);
    const kept = fitting.find(({ node }) => node.name === assumed);
    const chosen = kept ?? chooseNode(pod, fitting, all, random);
    if (chosen === undefined) {
      this.#assumed.delete(pod.uid);
      return this.#tellUnschedulable(pod, fitError(refusals.filter(isRefusal), disks.obstacle));
    }
    const { name: node } = chosen.node;
    if (disks.waiting.length > 0) return this.#askForDisks(pod, disks.waiting, node);
    await this.#bind(pod, key, node);
    this.#assumed.delete(pod.uid);
  }

  async #askForDisks(pod: PodView, waiting: readonly ClaimView[], node: string): Promise<void> {
    const { signal } = this.#context;
    this.#assumed.set(pod.uid, node);
    for (const { namespace, name, uid, version, annotations } of waiting) {
      if (annotations[selectedNode] === node) continue;
      const metadata = { uid, resourceVersion: version, annotations: { [selectedNode]: node } };
      const patch = { type: 'merge', body: { metadata } } as const;
      await unlessGone(this.#client.patch(claims, { namespace, name }, patch, { signal }));
    }
  }

  async #bind(pod: PodView, key: { readonly namespace: string; readonly name: string }, node: string): Promise<void> {
    const binding: KubeObject & { readonly target: object } = {
      metadata: { ...key, uid: pod.uid, labels: this.#topologyOf(node) },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    };
    await unlessGone(this.#client.create(bindingOf(key.name), binding, { signal: this.#context.signal }));
  }

  /** The admission plugin PodTopologyLabels (on since 1.35) puts these on every pod that is bound. */
  #topologyOf(name: string): Readonly<Record<string, string>> {
    const labels = Object.entries(nodeAt(this.#context.world, name)?.labels ?? {});
    return Object.fromEntries(labels.filter(([key]) => topologyLabels.has(key)));
  }

  async #tellUnschedulable(pod: PodView, message: string): Promise<void> {
    const known = conditionOf(pod, 'PodScheduled');
    if (known?.status === 'False' && known.message === message) return;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: known?.status === 'False' ? known.lastTransitionTime : this.#context.world.now(),
      observedGeneration: pod.generation,
    };
    const body = { metadata: { uid: pod.uid }, status: { conditions: [condition] } };
    const options = { signal: this.#context.signal, subresource: 'status' };
    await unlessGone(this.#client.patch(pods, pod, { type: 'strategic', body }, options));
  }
}

const isWaiting = (pod: PodView) => {
  const { isGated, schedulerName } = schedulingView(pod.object);
  return pod.nodeName === '' && !isDeleting(pod) && !isGated && schedulerName === 'default-scheduler';
};

function byUrgency(a: PodView, b: PodView): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.created !== b.created) return a.created < b.created ? -1 : 1;
  // Within a second, too, who came first is served first. Uids are counted.
  return a.uid < b.uid ? -1 : 1;
}

const isRefusal = (refusal: Refusal | undefined): refusal is Refusal => refusal !== undefined;
const noneHelps = (reason: string): Refusal => ({ reasons: [reason], resolvable: false });

/** The path of the subresource, in the form in which the client posts to collections. */
const bindingOf = (pod: string): Resource<KubeObject> => ({
  group: '',
  version: 'v1',
  kind: 'Binding',
  plural: `pods/${encodeURIComponent(pod)}/binding`,
  namespaced: true,
});

function uidOf(object: PodView['object']): string {
  const metadata = object['metadata'];
  const uid = typeof metadata === 'object' && metadata !== null && 'uid' in metadata ? metadata['uid'] : '';
  return typeof uid === 'string' ? uid : '';
}
