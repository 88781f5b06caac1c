import type { KubeClient } from '../../../kube/client.ts';
import type { Millis, MonotonicMillis } from '../../../kube/clock.ts';
import { millis, monotonicMillis, sleep } from '../../../kube/clock.ts';
import { after, done, type Next } from '../../../kube/controller.ts';
import { type KeyText, parseKey } from '../../../kube/object.ts';
import { pods, type Taint, type Toleration } from '../../../kube/resources.ts';
import { conditionOf } from '../condition-view.ts';
import { type ClusterContext, clientFor, controllerUser } from '../context.ts';
import { nodeAt, nodeView } from '../node-view.ts';
import { type PodView, podAt, podsOnNode, podView } from '../pod-view.ts';
import { changedKey, type Part, Reconciler } from '../reconciler.ts';
import { storedAs } from '../resources.ts';
import { tolerates } from '../tolerations.ts';

/** `retries` of taint_eviction.go, and the pause between them. */
const mostTries = 5;
const pause = millis(10);

/**
 * Deletes pods from nodes with NoExecute taints that they do not tolerate, at once or when the seconds of their toleration are over. The
 * condition `DisruptionTarget` comes first, then a plain DELETE, which no budget sees.
 *
 * As the real one: the seconds count from when this controller sees the taint, an eviction that is due keeps its time when other taints come,
 * and one that was refused five times is never tried again, until the node's NoExecute taints change.
 */
export class TaintEviction implements Part {
  readonly #context: ClusterContext;
  readonly #client: KubeClient;
  readonly #reconciler: Reconciler;
  /** When each pod is due, by its name: the uid is not looked at. */
  readonly #due = new Map<KeyText, MonotonicMillis>();

  constructor(context: ClusterContext) {
    this.#context = context;
    this.#client = clientFor(context, controllerUser('node-controller'), 'kube-controller-manager');
    this.#reconciler = new Reconciler(context, (key) => this.#reconcile(key));
    this.#reconciler.listen(storedAs.nodes, ({ type, name, stored, previous }) => {
      if (type === 'DELETED') return;
      const before = previous === undefined ? [] : noExecute(nodeView(previous.object).taints);
      const now = noExecute(nodeView(stored.object).taints);
      if (sameTaints(before, now)) return;
      for (const pod of podsOnNode(context.world, name)) this.#judge(pod, now);
    });
    this.#reconciler.listen(storedAs.pods, (change) => {
      const { type, stored, previous } = change;
      if (type === 'DELETED') return void this.#due.delete(changedKey(change));
      const pod = podView(stored.object);
      const taints = noExecute(nodeAt(context.world, pod.nodeName)?.taints ?? []);
      if (taints.length === 0) return;
      const before = previous === undefined ? undefined : podView(previous.object);
      const isKnown = before?.nodeName === pod.nodeName && sameTolerations(before.tolerations, pod.tolerations);
      if (!isKnown) this.#judge(pod, taints);
    });
  }

  stop(): Promise<void> {
    return this.#reconciler.stop();
  }

  #judge(pod: PodView, taints: readonly Taint[]): void {
    const patience = toleratedFor(taints, pod.tolerations);
    if (patience === undefined) {
      this.#due.delete(pod.key);
      return;
    }
    const now = this.#context.clock.monotonic();
    if (patience > 0 && this.#due.has(pod.key)) return;
    this.#due.set(pod.key, monotonicMillis(now + patience));
    if (patience === 0) this.#reconciler.add(pod.key);
    else this.#reconciler.addAfter(pod.key, patience);
  }

  async #reconcile(key: KeyText): Promise<Next> {
    const { clock, signal } = this.#context;
    const due = this.#due.get(key);
    if (due === undefined) return done;
    if (due > clock.monotonic()) return after(millis(due - clock.monotonic()));
    this.#due.delete(key);
    for (let tries = 1; tries <= mostTries && !signal.aborted; tries++) {
      if (await this.#evict(key)) return done;
      await sleep(clock, pause, signal).catch(() => {});
    }
    return done;
  }

  /** Says whether it worked. Whatever the refusal was, it counts as one try. */
  async #evict(key: KeyText): Promise<boolean> {
    const { world, signal } = this.#context;
    const { namespace = '', name } = parseKey(key);
    const pod = podAt(world, namespace, name);
    if (pod === undefined) return false;
    const options = { signal, retry: 'never' } as const;
    try {
      const known = conditionOf(pod, 'DisruptionTarget');
      if (known?.status !== 'True' || known.reason !== 'DeletionByTaintManager') {
        const body = { metadata: { uid: pod.uid }, status: { conditions: [target(world.now(), pod)] } };
        await this.#client.patch(pods, pod, { type: 'strategic', body }, { ...options, subresource: 'status' });
      }
      await this.#client.delete(pods, pod, options);
      return true;
    } catch {
      return false;
    }
  }
}

const target = (now: string, pod: PodView) => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
  lastTransitionTime: now,
  observedGeneration: pod.generation,
});

const noExecute = (taints: readonly Taint[]) => taints.filter(({ effect }) => effect === 'NoExecute');

/** How long a pod may stay: zero where a taint is not tolerated, undefined where it may stay for ever. */
export function toleratedFor(taints: readonly Taint[], tolerations: readonly Toleration[]): Millis | undefined {
  if (taints.length === 0) return undefined;
  let shortest = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const used = tolerations.find((toleration) => tolerates(toleration, taint));
    if (used === undefined) return millis(0);
    shortest = Math.min(shortest, Math.max(0, used.tolerationSeconds ?? Number.POSITIVE_INFINITY));
  }
  return Number.isFinite(shortest) ? millis(shortest * 1000) : undefined;
}

const sameTaints = (a: readonly Taint[], b: readonly Taint[]) =>
  a.length === b.length && a.every((one, index) => JSON.stringify(one) === JSON.stringify(b[index]));

const sameTolerations = (a: readonly Toleration[], b: readonly Toleration[]) => JSON.stringify(a) === JSON.stringify(b);
