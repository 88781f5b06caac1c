import type { KubeClient } from '../../../kube/client.ts';
import type { Millis, MonotonicMillis } from '../../../kube/clock.ts';
import { fromTimestamp, millis, monotonicMillis, seconds } from '../../../kube/clock.ts';
import { after, done, type Next } from '../../../kube/controller.ts';
import type { KeyText } from '../../../kube/object.ts';
import { nodes, pods, type Taint } from '../../../kube/resources.ts';
import { textAt } from '../../api-server/json.ts';
import { conditionOf } from '../condition-view.ts';
import { type ClusterContext, clientFor, controllerUser } from '../context.ts';
import type { Heartbeats } from '../kubelet/heartbeats.ts';
import { type NodeView, nodeAt, nodesOf, nodeView, readiness, zoneOf } from '../node-view.ts';
import { unlessGone } from '../overtaken.ts';
import { isReady, podsOnNode } from '../pod-view.ts';
import { type Part, Reconciler } from '../reconciler.ts';
import { storedAs } from '../resources.ts';
import { untilTick } from './monitor-ticks.ts';
import { notReady, unreachable, withNoExecute, withNoSchedule } from './node-taints.ts';
import type { NodeTimings } from './node-timings.ts';
import { isEverythingDown, zoneHealth } from './zone-health.ts';

const conditionTypes = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/**
 * The node lifecycle controller: a node whose lease is not renewed within the grace period becomes Unknown and its pods unready, conditions and
 * cordon become NoSchedule taints at once, and an unready node gets its NoExecute taint at the next look of the monitor, one node of a zone
 * after the other. One write a pass: the change that it makes brings the node back.
 */
export class NodeLifecycle implements Part {
  readonly #context: ClusterContext;
  readonly #timings: NodeTimings;
  readonly #heartbeats: Heartbeats;
  readonly #client: KubeClient;
  readonly #reconciler: Reconciler;
  readonly #unlisten: () => void;
  /** What the monitor saw of each node, and when it looks at that: the NoExecute taint waits for the look. */
  readonly #seen = new Map<string, { readonly status: string; readonly lookedAt: MonotonicMillis }>();
  /** When the next node of a zone may be tainted NoExecute. */
  readonly #nextTaint = new Map<string, MonotonicMillis>();
  /** Nodes whose pods are yet to be marked unready. */
  readonly #unmarked = new Set<string>();
  #wasEverythingDown = false;

  constructor(context: ClusterContext, timings: NodeTimings, heartbeats: Heartbeats) {
    this.#context = context;
    this.#timings = timings;
    this.#heartbeats = heartbeats;
    this.#client = clientFor(context, controllerUser('node-controller'), 'kube-controller-manager');
    this.#reconciler = new Reconciler(context, (key) => this.#reconcile(key));
    this.#unlisten = heartbeats.listen((node) => this.#reconciler.add(node));
    this.#reconciler.listen(storedAs.nodes, ({ type, name, stored, previous }) => {
      if (type === 'DELETED') this.#seen.delete(name);
      this.#reconciler.add(name);
      const before = previous === undefined ? '' : readiness(nodeView(previous.object));
      // The health of a zone decides about all its nodes, and that of all zones about every node.
      if (before !== readiness(nodeView(stored.object))) {
        for (const node of nodesOf(context.world)) this.#reconciler.add(node.name);
      }
    });
  }

  async stop(): Promise<void> {
    this.#unlisten();
    await this.#reconciler.stop();
  }

  async #reconcile(name: KeyText): Promise<Next> {
    const node = nodeAt(this.#context.world, name);
    if (node === undefined) return done;
    const silence = this.#untilUnknown(node);
    if (silence === 0) {
      await this.#markUnknown(node);
      return done;
    }
    if (this.#unmarked.has(name)) await this.#markPodsUnready(name);
    const now = this.#context.world.now();
    const taints = withNoSchedule(node, now);
    if (taints !== undefined) {
      await this.#writeTaints(node, taints);
      return done;
    }
    const wait = await this.#settleNoExecute(node, now);
    const next = [silence, wait].filter((each) => each !== undefined).sort((a, b) => a - b)[0];
    return next === undefined ? done : after(next);
  }

  /** How long until the node counts as lost; undefined where it cannot, or does so already. */
  #untilUnknown(node: NodeView): Millis | undefined {
    const { graceSeconds, monitorSeconds } = this.#timings;
    if (readiness(node) === 'Unknown' || this.#heartbeats.isSteady(node.name)) return undefined;
    const now = this.#context.clock.monotonic();
    const last = this.#heartbeats.lastRenewal(node.name);
    // A node that never had a kubelet gets a little longer to start (`--node-startup-grace-period`).
    const due =
      last === undefined ? now - this.#ageOf(node) + seconds(graceSeconds + 10) : last + seconds(graceSeconds);
    return untilTick(now, monotonicMillis(due), seconds(monitorSeconds));
  }

  #ageOf({ object }: NodeView): Millis {
    const { clock } = this.#context;
    return millis(clock.now() - (fromTimestamp(textAt(object, 'metadata', 'creationTimestamp')) ?? clock.now()));
  }

  async #markUnknown(node: NodeView): Promise<void> {
    const now = this.#context.world.now();
    const conditions = conditionTypes.map((type) => ({
      type,
      status: 'Unknown',
      reason: conditionOf(node, type) === undefined ? 'NodeStatusNeverUpdated' : 'NodeStatusUnknown',
      message:
        conditionOf(node, type) === undefined
          ? 'Kubelet never posted node status.'
          : 'Kubelet stopped posting node status.',
      lastTransitionTime: now,
    }));
    // Noted before the write: its answer may be lost although it happened.
    if (readiness(node) === 'True') this.#unmarked.add(node.name);
    this.#seen.set(node.name, { status: 'Unknown', lookedAt: this.#context.clock.monotonic() });
    const body = { metadata: { resourceVersion: node.version }, status: { conditions } };
    const options = { signal: this.#context.signal, subresource: 'status' };
    await unlessGone(this.#client.patch(nodes, { name: node.name }, { type: 'strategic', body }, options));
  }

  async #markPodsUnready(node: string): Promise<void> {
    const { world, signal } = this.#context;
    for (const pod of podsOnNode(world, node).filter(isReady)) {
      const ready = { type: 'Ready', status: 'False', lastTransitionTime: world.now() };
      const body = { metadata: { uid: pod.uid }, status: { conditions: [ready] } };
      await unlessGone(this.#client.patch(pods, pod, { type: 'strategic', body }, { signal, subresource: 'status' }));
    }
    this.#unmarked.delete(node);
  }

  /** Adds or takes away the NoExecute taint if it is time, else says how long to wait. */
  async #settleNoExecute(node: NodeView, now: string): Promise<Millis | undefined> {
    const { clock, world } = this.#context;
    const wanted = { False: notReady, Unknown: unreachable }[readiness(node)];
    const taints = withNoExecute(node, wanted, now);
    if (taints === undefined) return undefined;
    const look = this.#untilLook(node);
    if (look > 0) return look;
    const all = nodesOf(world);
    const isEverything = isEverythingDown(all);
    const hasEntered = isEverything && !this.#wasEverythingDown;
    this.#wasEverythingDown = isEverything;
    if (hasEntered) await this.#letGoOfAll(all, now);
    if (wanted !== undefined) {
      const rate = zoneHealth(all, this.#timings.nodesTaintedPerSecond).get(zoneOf(node))?.taintedPerSecond ?? 0;
      // A change of any node's readiness brings this one back.
      if (rate === 0) return undefined;
      const wait = (this.#nextTaint.get(zoneOf(node)) ?? 0) - clock.monotonic();
      const isSwap = node.taints.some(
        ({ key, effect }) => effect === 'NoExecute' && [notReady, unreachable].includes(key),
      );
      if (wait > 0 && !isSwap) return millis(wait);
      if (!isSwap) this.#nextTaint.set(zoneOf(node), monotonicMillis(clock.monotonic() + 1000 / rate));
    }
    await this.#writeTaints(node, taints);
    return undefined;
  }

  /** When the monitor next looks at what the node says now. */
  #untilLook(node: NodeView): Millis {
    const { clock } = this.#context;
    const status = readiness(node);
    const known = this.#seen.get(node.name);
    if (known?.status === status) return millis(known.lookedAt - clock.monotonic());
    const delay = untilTick(clock.monotonic(), clock.monotonic(), seconds(this.#timings.monitorSeconds));
    this.#seen.set(node.name, { status, lookedAt: monotonicMillis(clock.monotonic() + delay) });
    return delay;
  }

  /** When every node seems to be down, the fault is taken to be here, and nobody is evicted. */
  async #letGoOfAll(all: readonly NodeView[], now: string): Promise<void> {
    for (const node of all) {
      const taints = withNoExecute(node, undefined, now);
      if (taints !== undefined) await this.#writeTaints(node, taints);
    }
  }

  async #writeTaints(node: NodeView, taints: readonly Taint[]): Promise<void> {
    const body = { metadata: { resourceVersion: node.version }, spec: { taints } };
    const options = { signal: this.#context.signal };
    await unlessGone(this.#client.patch(nodes, { name: node.name }, { type: 'merge', body }, options));
  }
}
