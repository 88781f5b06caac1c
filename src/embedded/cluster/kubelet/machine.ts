import { type MonotonicMillis, millis, monotonicMillis } from '../../../kube/clock.ts';
import type { Random } from '../../../kube/random.ts';
import type { ClusterContext, Spread } from '../context.ts';
import { draw } from '../context.ts';
import { nodeAt, zoneOf } from '../node-view.ts';
import { isDeleting, type PodView } from '../pod-view.ts';
import { claimAt, volumeAt } from '../storage/disk-view.ts';
import type { Addresses } from './addresses.ts';
import type { Attachments } from './attachments.ts';
import { knobsOf } from './knobs.ts';
import type { PodHooks, PodProcess, WhyStopped } from './pod-hooks.ts';
import { newRuntime, type PodRuntime } from './pod-runtime.ts';
import { isMeantToEnd } from './pod-step.ts';

export interface MachineOptions {
  readonly context: ClusterContext;
  readonly node: string;
  readonly attachments: Attachments;
  readonly addresses: Addresses;
  readonly hooks: Required<PodHooks>;
  /** How long a process takes to start, where no annotation says so. */
  readonly podStart: Spread;
  /** The number of the next process of the cluster. */
  readonly nextRun: () => number;
}

/** How long a pod takes to stop, and one that is meant to end to do so, where no annotation says so: as `tools/control-plane/stages`. */
const usualStop = millis(100);
const usualWork = millis(1000);
/** The kubelet's `MaxContainerBackOff`, its first step, and how long a process must run for its crashes to be forgotten. */
const backOff = { first: 10, most: 300, forgottenAfter: millis(600_000) };

/** The processes of one node: what really runs there, whatever the API server believes. */
export class Machine {
  readonly #options: MachineOptions;
  readonly #runtimes = new Map<string, PodRuntime>();
  readonly #random: Random;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#random = options.context.random;
  }

  get runtimes(): readonly PodRuntime[] {
    return [...this.#runtimes.values()];
  }

  /** What is known of the pod, with the times that it needs drawn. */
  runtimeOf(pod: PodView): PodRuntime {
    const runtime = this.#runtimes.get(pod.uid) ?? newRuntime(pod);
    this.#runtimes.set(pod.uid, runtime);
    if (runtime.process === undefined) runtime.startAt ??= this.#in(draw(this.#random, this.#options.podStart));
    else if (isMeantToEnd(pod)) runtime.completeAt ??= this.#in(usualWork);
    if (isDeleting(pod)) runtime.stopAt ??= this.#in(usualStop);
    return runtime;
  }

  /** Starts the pod's process, unless another pod has one of its disks: then `onFree` is called when it may be worth another try. */
  start(pod: PodView, runtime: PodRuntime, onFree: () => void): PodProcess | undefined {
    const { context, node, attachments, addresses, hooks, nextRun } = this.#options;
    const disks = pod.claims.map((claim) => claimAt(context.world, pod.namespace, claim)?.volume ?? '');
    if (disks.includes('')) return undefined;
    if (!attachments.acquire(disks, { uid: pod.uid, node }, onFree)) return undefined;
    const { uid, namespace, name } = pod;
    const view = nodeAt(context.world, node);
    const zone = view === undefined ? '' : zoneOf(view);
    const address = knobsOf(pod).address ?? runtime.address ?? addresses.next();
    const process = { namespace, name, uid, run: nextRun(), node, zone, address, disks, pod };
    runtime.process = process;
    runtime.address = address;
    runtime.runsSince = context.clock.monotonic();
    runtime.startAt = undefined;
    runtime.backOffSeconds = 0;
    hooks.onPodStarted(process);
    return process;
  }

  /** Ends the process of a pod, if it has one. A pod that is over lets go of its disks. */
  end(runtime: PodRuntime, why: WhyStopped): void {
    const { process } = runtime;
    runtime.process = undefined;
    runtime.completeAt = undefined;
    if (process !== undefined) this.#options.hooks.onPodStopped(process, why);
    if (why === 'ended' || why === 'deleted') this.#options.attachments.release(runtime.uid);
  }

  /** Ends the process and starts it again later: at once after the first crash, then after a back-off that grows from 10 s to 5 min. */
  crash(runtime: PodRuntime, restarts: boolean): void {
    if (runtime.process === undefined) return;
    const ranFor = this.#options.context.clock.monotonic() - (runtime.runsSince ?? 0);
    this.end(runtime, 'crashed');
    if (!restarts) {
      runtime.hasFailed = true;
      return;
    }
    runtime.crashes = ranFor >= backOff.forgottenAfter ? 1 : runtime.crashes + 1;
    runtime.restarts += 1;
    runtime.backOffSeconds =
      runtime.crashes === 1 ? 0 : Math.min(backOff.most, backOff.first * 2 ** (runtime.crashes - 2));
    runtime.startAt = this.#in(runtime.backOffSeconds * 1000);
  }

  /** The pod is gone from this node, with all that was known of it. */
  forget(runtime: PodRuntime): void {
    this.end(runtime, 'deleted');
    this.#runtimes.delete(runtime.uid);
  }

  /** The machine goes down: every process ends, disks stay attached. What comes up again starts afresh, with one more restart. */
  powerOff(): void {
    for (const runtime of this.#runtimes.values()) {
      if (runtime.process !== undefined) runtime.restarts += 1;
      this.end(runtime, 'node-lost');
      Object.assign(runtime, { startAt: undefined, address: undefined, crashes: 0, backOffSeconds: 0 });
    }
  }

  /** The pod was deleted while this node does not answer: its network disks go to whoever wants them, after a while. */
  detachByForce(uid: string): void {
    const { context, attachments } = this.#options;
    const isRemovable = (disk: string) => volumeAt(context.world, disk)?.isLocal !== true;
    const runtime = this.#runtimes.get(uid);
    if (runtime === undefined || !attachments.disksOf(uid).some(isRemovable)) return;
    attachments.releaseByForce(uid, () => this.end(runtime, 'disk-taken'));
  }

  #in(delay: number): MonotonicMillis {
    return monotonicMillis(this.#options.context.clock.monotonic() + delay);
  }
}
