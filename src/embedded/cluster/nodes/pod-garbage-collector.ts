import type { KubeClient } from '../../../kube/client.ts';
import type { MonotonicMillis } from '../../../kube/clock.ts';
import { monotonicMillis, seconds } from '../../../kube/clock.ts';
import { after, done, type Next } from '../../../kube/controller.ts';
import type { KeyText } from '../../../kube/object.ts';
import { pods } from '../../../kube/resources.ts';
import { type ClusterContext, clientFor, controllerUser } from '../context.ts';
import { nodeAt, nodeView, readiness } from '../node-view.ts';
import { unlessGone } from '../overtaken.ts';
import { hasEnded, isDeleting, type PodView, podsOnNode, podView } from '../pod-view.ts';
import { type Part, Reconciler } from '../reconciler.ts';
import { storedAs } from '../resources.ts';
import { untilTick } from './monitor-ticks.ts';
import { outOfService } from './node-taints.ts';

/** `gcCheckPeriod` and `quarantineTime` of the real one: together about a minute. */
const period = seconds(20);
const quarantine = seconds(40);

/**
 * Deletes pods, without grace, whose node is gone or was declared out of service: nobody else will. A node that is missing is given 40 s to come
 * back first.
 */
export class PodGarbageCollector implements Part {
  readonly #context: ClusterContext;
  readonly #client: KubeClient;
  readonly #reconciler: Reconciler;
  /** Since which look each node is missing. */
  readonly #missing = new Map<string, MonotonicMillis>();

  constructor(context: ClusterContext) {
    this.#context = context;
    this.#client = clientFor(context, controllerUser('pod-garbage-collector'), 'kube-controller-manager');
    this.#reconciler = new Reconciler(context, (key) => this.#reconcile(key));
    this.#reconciler.listen(storedAs.nodes, ({ type, name }) => {
      if (type === 'DELETED' || isOutOfService(name, context) || this.#missing.has(name)) this.#later(name);
    });
    this.#reconciler.listen(storedAs.pods, ({ type, stored }) => {
      const { nodeName } = podView(stored.object);
      if (type === 'DELETED' || nodeName === '') return;
      const node = context.world.store.collection(storedAs.nodes).get('', nodeName);
      if (node === undefined || nodeView(node.object).taints.some(({ key }) => key === outOfService)) {
        this.#later(nodeName);
      }
    });
  }

  stop(): Promise<void> {
    return this.#reconciler.stop();
  }

  /** At the next of its looks. */
  #later(node: string): void {
    const now = this.#context.clock.monotonic();
    this.#reconciler.addAfter(node, untilTick(now, monotonicMillis(now + 1), period));
  }

  async #reconcile(name: KeyText): Promise<Next> {
    const { world, clock } = this.#context;
    const node = nodeAt(world, name);
    const here = podsOnNode(world, name);
    if (node === undefined && here.length > 0) {
      const since = this.#missing.get(name) ?? clock.monotonic();
      this.#missing.set(name, since);
      const due = monotonicMillis(since + quarantine);
      const wait = untilTick(clock.monotonic(), due, period);
      if (wait > 0) return after(wait);
      for (const pod of here) await this.#collect(pod, 'PodGC: node no longer exists');
      return done;
    }
    this.#missing.delete(name);
    if (!isOutOfService(name, this.#context)) return done;
    for (const pod of here.filter(isDeleting)) await this.#collect(pod, 'PodGC: node is out of service');
    return done;
  }

  /** A pod that did not end by itself has failed; then it goes. */
  async #collect(pod: PodView, message: string): Promise<void> {
    const { signal, world } = this.#context;
    if (!hasEnded(pod)) {
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        message,
        lastTransitionTime: world.now(),
        observedGeneration: pod.generation,
      };
      const body = { metadata: { uid: pod.uid }, status: { phase: 'Failed', conditions: [condition] } };
      await unlessGone(this.#client.patch(pods, pod, { type: 'strategic', body }, { signal, subresource: 'status' }));
    }
    const options = { signal, gracePeriodSeconds: 0, preconditions: { uid: pod.uid } };
    await unlessGone(this.#client.delete(pods, pod, options));
  }
}

/** A person said that the node is down for good, and it is at least not ready. */
function isOutOfService(name: string, { world }: ClusterContext): boolean {
  const node = nodeAt(world, name);
  if (node === undefined || readiness(node) === 'True') return false;
  return node.taints.some(({ key }) => key === outOfService);
}
