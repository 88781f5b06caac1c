import type { KubeClient } from '../../../kube/client.ts';
import { after, done, type Next } from '../../../kube/controller.ts';
import { isNotFound } from '../../../kube/errors.ts';
import { toMicroTime } from '../../../kube/micro-time.ts';
import { type KeyText, parseKey } from '../../../kube/object.ts';
import { leases, nodes, pods } from '../../../kube/resources.ts';
import { textAt } from '../../api-server/json.ts';
import type { Change } from '../../api-server/store.ts';
import { type ClusterContext, clientFor } from '../context.ts';
import { nodeAt } from '../node-view.ts';
import { unlessGone } from '../overtaken.ts';
import { hasEnded, type PodView, podAt, podsOnNode, podView } from '../pod-view.ts';
import { changedKey, type Part, Reconciler } from '../reconciler.ts';
import { storedAs } from '../resources.ts';
import type { Heartbeats } from './heartbeats.ts';
import { Machine, type MachineOptions } from './machine.ts';
import { nodeReport } from './node-status.ts';
import type { PodRuntime } from './pod-runtime.ts';
import { crashing, creating, ended, running, type StatusPatch } from './pod-status.ts';
import { nextStep, shownRestarts } from './pod-step.ts';

export interface KubeletOptions extends MachineOptions {
  readonly heartbeats: Heartbeats;
  readonly leaseSeconds: number;
}

/**
 * `alive`: all is well. `cut-off`: it hears nothing and is not heard, and its processes go on. `off`: the machine is down, and nothing of it
 * runs any more.
 */
export type KubeletState = 'alive' | 'cut-off' | 'off';

/** The kubelet of one node: brings its pods to what the API server asks for, and tells the API server what became of them. */
export class Kubelet implements Part {
  readonly #options: KubeletOptions;
  readonly #context: ClusterContext;
  readonly #client: KubeClient;
  readonly #machine: Machine;
  readonly #reconciler: Reconciler;
  /** Where in the interval it renews its lease. */
  readonly #phase: number;
  #state: KubeletState = 'off';

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#context = options.context;
    this.#phase = options.context.random.next();
    this.#client = clientFor(options.context, `system:node:${options.node}`, 'kubelet');
    this.#machine = new Machine(options);
    this.#reconciler = new Reconciler(options.context, (key) => this.#reconcile(key));
    this.#reconciler.listen(storedAs.nodes, ({ name, type }) => {
      if (name === options.node && type !== 'DELETED') this.#reconciler.add(name);
    });
    this.#reconciler.listen(storedAs.pods, (change) => this.#hear(change));
    // A pod that was put here by name may have to wait for its disk.
    this.#reconciler.listen(storedAs.claims, (change) => {
      for (const { process, namespace, name } of this.#machine.runtimes) {
        if (process === undefined && namespace === change.namespace) this.#reconciler.add(`${namespace}/${name}`);
      }
    });
  }

  get node(): string {
    return this.#options.node;
  }

  get state(): KubeletState {
    return this.#state;
  }

  /** What runs on the node now. */
  get processes() {
    return this.#machine.runtimes.flatMap(({ process }) => (process === undefined ? [] : [process]));
  }

  /** The machine is up and the kubelet connected. */
  connect(): void {
    if (this.#state === 'alive') return;
    this.#state = 'alive';
    this.#options.heartbeats.begin(this.node, this.#phase, () => this.#renewLease());
    this.#reconciler.add(this.node);
    for (const { namespace, name } of this.#machine.runtimes) this.#reconciler.add(`${namespace}/${name}`);
    for (const { key } of podsOnNode(this.#context.world, this.node)) this.#reconciler.add(key);
  }

  /** The kubelet neither hears nor is heard; its processes go on. */
  cutOff(): void {
    if (this.#state === 'alive') this.#options.heartbeats.end(this.node);
    if (this.#state !== 'off') this.#state = 'cut-off';
  }

  /** The machine goes down, and its processes with it. */
  powerOff(): void {
    if (this.#state === 'off') return;
    this.#options.heartbeats.end(this.node);
    this.#state = 'off';
    this.#machine.powerOff();
  }

  /** The process of the pod crashes, if it runs here. */
  crash(uid: string): void {
    for (const runtime of this.#machine.runtimes) {
      if (runtime.uid !== uid) continue;
      this.#machine.crash(runtime, textAt(runtime.process?.pod.object, 'spec', 'restartPolicy') !== 'Never');
      this.#reconciler.add(`${runtime.namespace}/${runtime.name}`);
    }
  }

  stop(): Promise<void> {
    return this.#reconciler.stop();
  }

  #hear(change: Change): void {
    const pod = podView(change.stored.object);
    if (pod.nodeName !== this.node) return;
    this.#reconciler.add(changedKey(change));
    if (change.type === 'DELETED' && this.#state !== 'alive') this.#machine.detachByForce(pod.uid);
  }

  async #reconcile(key: KeyText): Promise<Next> {
    if (this.#state !== 'alive') return done;
    const { namespace, name } = parseKey(key);
    if (namespace === undefined) {
      await this.#reportNode();
      return done;
    }
    const pod = podAt(this.#context.world, namespace, name);
    const mine = pod?.nodeName === this.node ? pod : undefined;
    for (const runtime of this.#machine.runtimes) {
      const isHere = runtime.namespace === namespace && runtime.name === name;
      if (isHere && runtime.uid !== mine?.uid) this.#machine.forget(runtime);
    }
    return mine === undefined ? done : this.#care(mine);
  }

  async #care(pod: PodView): Promise<Next> {
    const { clock } = this.#context;
    const runtime = this.#machine.runtimeOf(pod);
    const step = nextStep(pod, runtime, { now: clock.now(), monotonic: clock.monotonic() });
    if (step.kind === 'wait') return after(step.delay);
    if (step.kind !== 'rest') await this.#take(step.kind, pod, runtime);
    return done;
  }

  async #take(
    step: Exclude<ReturnType<typeof nextStep>['kind'], 'rest' | 'wait'>,
    pod: PodView,
    runtime: PodRuntime,
  ): Promise<void> {
    const writing = { pod, now: this.#context.world.now() };
    switch (step) {
      case 'create':
        return this.#write(pod, creating(writing));
      case 'start':
        this.#machine.start(pod, runtime, () => this.#reconciler.add(pod.key));
        return this.#show(pod, runtime);
      case 'show':
        return this.#show(pod, runtime);
      case 'back-off':
        return this.#write(pod, crashing(writing, runtime, `${runtime.backOffSeconds}s`));
      case 'crash-loop':
        this.#machine.end(runtime, 'crashed');
        runtime.restarts = shownRestarts(pod) + 1;
        return this.#write(pod, crashing(writing, runtime, '5m0s'));
      case 'fail':
      case 'complete':
        this.#machine.end(runtime, 'ended');
        return this.#write(pod, ended(writing, step === 'fail' ? 'Failed' : 'Succeeded', runtime.restarts));
      case 'kill':
        return this.#machine.end(runtime, pod.deletionTimestamp === undefined ? 'ended' : 'deleted');
      case 'stop':
        return this.#stop(pod, runtime);
    }
  }

  /** Waits for a disk where the process could not start: then there is nothing to show. */
  async #show(pod: PodView, { process, restarts }: PodRuntime): Promise<void> {
    if (process === undefined) return;
    const host = nodeAt(this.#context.world, this.node)?.address ?? '';
    await this.#write(pod, running({ pod, now: this.#context.world.now() }, process, restarts, host));
  }

  /** The process ends first. With a finalizer the object stays, and its status must show that nothing runs. */
  async #stop(pod: PodView, runtime: PodRuntime): Promise<void> {
    this.#machine.end(runtime, 'deleted');
    const { signal, world } = this.#context;
    if (pod.finalizers > 0 && !hasEnded(pod)) {
      await this.#write(pod, ended({ pod, now: world.now() }, 'Succeeded', runtime.restarts));
    }
    if (this.#state !== 'alive') return;
    const options = { signal, gracePeriodSeconds: 0, preconditions: { uid: pod.uid } };
    await unlessGone(this.#client.delete(pods, pod, options));
  }

  async #write(pod: PodView, status: StatusPatch): Promise<void> {
    const body = { metadata: { uid: pod.uid }, status };
    const options = { signal: this.#context.signal, subresource: 'status' };
    await unlessGone(this.#client.patch(pods, pod, { type: 'strategic', body }, options));
  }

  async #reportNode(): Promise<void> {
    const { world, signal } = this.#context;
    const node = nodeAt(world, this.node);
    const conditions = node === undefined ? undefined : nodeReport(node, world.now());
    if (conditions === undefined) return;
    const patch = { type: 'strategic', body: { status: { conditions } } } as const;
    await unlessGone(this.#client.patch(nodes, { name: this.node }, patch, { signal, subresource: 'status' }));
  }

  async #renewLease(): Promise<void> {
    const { clock, signal } = this.#context;
    const key = { namespace: 'kube-node-lease', name: this.node };
    const spec = {
      holderIdentity: this.node,
      leaseDurationSeconds: this.#options.leaseSeconds,
      renewTime: toMicroTime(clock.now()),
    };
    try {
      await this.#client.patch(leases, key, { type: 'merge', body: { spec } }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const uid = textAt(nodeAt(this.#context.world, this.node)?.object, 'metadata', 'uid');
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: this.node, uid }];
      await this.#client.create(leases, { metadata: { ...key, ownerReferences }, spec }, { signal });
    }
  }
}
