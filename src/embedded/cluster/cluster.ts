import { seconds } from '../../kube/clock.ts';
import { nodes } from '../../kube/resources.ts';
import type { Transport } from '../../kube/transport.ts';
import { EmbeddedApiServer } from '../api-server/api-server.ts';
import type { ProgramEnd, ProgramRun } from '../api-server/exec.ts';
import { inProcessTransport } from '../api-server/in-process-transport.ts';
import type { Change } from '../api-server/store.ts';
import type { World } from '../api-server/world.ts';
import { type EmbeddedClusterOptions, usualLag, usualPodStart } from './cluster-options.ts';
import { type ClusterContext, clientFor } from './context.ts';
import { DisruptionController } from './disruption/disruption-controller.ts';
import { Addresses } from './kubelet/addresses.ts';
import { Attachments } from './kubelet/attachments.ts';
import { guardedHooks } from './kubelet/guarded-hooks.ts';
import { Heartbeats } from './kubelet/heartbeats.ts';
import { kubeletLabel } from './kubelet/knobs.ts';
import { Kubelet, type KubeletState } from './kubelet/kubelet.ts';
import type { PodHooks, PodProcess } from './kubelet/pod-hooks.ts';
import { buildNode, dealNodes, type NodeOptions } from './node-manifest.ts';
import { nodeAt, nodeView } from './node-view.ts';
import { NodeLifecycle } from './nodes/node-lifecycle.ts';
import { type NodeTimings, usualNodeTimings } from './nodes/node-timings.ts';
import { PodGarbageCollector } from './nodes/pod-garbage-collector.ts';
import { TaintEviction } from './nodes/taint-eviction.ts';
import { podAt } from './pod-view.ts';
import type { Part } from './reconciler.ts';
import { storageClasses, storedAs } from './resources.ts';
import { matchesTerms } from './scheduler/node-selector.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { volumeView } from './storage/disk-view.ts';
import { usualStorageClasses } from './storage/storage-classes.ts';
import { VolumeController } from './storage/volume-controller.ts';
import { DaemonSets } from './workloads/daemon-sets.ts';
import { StatefulSets } from './workloads/stateful-sets.ts';

/**
 * A whole Kubernetes cluster in memory: API server, controllers, scheduler, and a kubelet on every node. The same clock, random numbers and
 * calls give the same cluster to the byte. A quiet cluster has no timers.
 *
 * A node that somebody creates through the API gets a kubelet if it has the label `fake.drover.dev/kubelet`; `alive` and `dead` on that label
 * connect and cut off its kubelet.
 */
export class EmbeddedCluster {
  readonly server: EmbeddedApiServer;
  /** What hooks threw: a model that was called in a way that it cannot take. Empty in a sound world. */
  readonly defects: unknown[] = [];
  readonly #options: EmbeddedClusterOptions;
  readonly #context: ClusterContext;
  readonly #hooks: Required<PodHooks>;
  readonly #end = new AbortController();
  readonly #heartbeats: Heartbeats;
  readonly #attachments: Attachments;
  readonly #addresses = new Addresses();
  readonly #kubelets = new Map<string, Kubelet>();
  /** Nodes whose label says that their kubelet is dead. */
  readonly #labelledDead = new Set<string>();
  readonly #parts: readonly Part[];
  readonly #unlisten: readonly (() => void)[];
  readonly #ready: Promise<void>;
  #runs = 0;
  #nodes = 0;

  constructor(options: EmbeddedClusterOptions) {
    const { clock, random, callWebhook, namespaces } = options;
    this.#options = options;
    this.server = new EmbeddedApiServer({
      clock,
      random,
      runProgram: (run, signal) => this.#runProgram(run, signal),
      ...(callWebhook !== undefined && { callWebhook }),
      ...(namespaces !== undefined && { namespaces }),
    });
    const { world } = this.server;
    const signal = this.#end.signal;
    const connect = (user: string) => (options.between ?? straight)(this.transport(user), user);
    this.#context = { world, clock, random, signal, connect, lag: options.lag ?? usualLag };
    this.#hooks = guardedHooks(options.hooks ?? {}, (error) => this.defects.push(error));
    const timings = options.nodeTimings ?? usualNodeTimings;
    this.#heartbeats = new Heartbeats({
      clock,
      interval: seconds(timings.leaseSeconds / 4),
      leases: options.leases ?? 'implied',
      onFailed: () => {},
    });
    this.#attachments = new Attachments(clock);
    this.#unlisten = [
      world.store.collection(storedAs.nodes).listen((change) => this.#hearNode(change)),
      world.store.collection(storedAs.volumes).listen(({ type, name }) => {
        if (type === 'DELETED') this.#hooks.onDiskLost(name, 'deleted');
      }),
    ];
    this.#parts = controllersOf(this.#context, timings, this.#heartbeats);
    const { nodes: wanted, zones = 1 } = options;
    this.#ready = this.#furnish(typeof wanted === 'number' ? dealNodes(wanted, zones) : wanted);
    // A cluster that is stopped before it is ready, and whose readiness nobody asks about, has no error to report.
    this.#ready.catch(() => {});
  }

  get world(): World {
    return this.server.world;
  }

  /** Resolves when the storage classes and the first nodes are there. Needs no time to pass. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** The way to the API server for a user, without the faults that the cluster's own parts suffer. @default 'system:admin' */
  transport(user?: string): Transport {
    return inProcessTransport(this.server, user === undefined ? {} : { user });
  }

  /** A new machine joins. */
  async addNode(options: NodeOptions): Promise<void> {
    const number = this.#nodes++;
    const client = clientFor({ ...this.#context, connect: (user) => this.transport(user) }, 'system:admin', 'cluster');
    await client.create(nodes, buildNode(options, number), { signal: this.#context.signal });
  }

  /** The machine goes down: its processes end, its lease is renewed no more. The API server finds out by itself. */
  killNode(name: string): void {
    this.#kubelet(name).powerOff();
  }

  /** The machine is cut off: nobody hears of it, and its processes go on. */
  isolateNode(name: string): void {
    this.#kubelet(name).cutOff();
  }

  /** A machine that was killed or cut off is back. */
  reviveNode(name: string): void {
    this.#kubelet(name).connect();
  }

  /** How the machine is, whatever the API server believes. Undefined: there is no such machine. */
  nodeState(name: string): KubeletState | undefined {
    return this.#kubelets.get(name)?.state;
  }

  /** The process of the pod crashes, if it runs; its kubelet will start it again. */
  crashPod(namespace: string, name: string): void {
    const pod = podAt(this.world, namespace, name);
    if (pod !== undefined) this.#kubelets.get(pod.nodeName)?.crash(pod.uid);
  }

  /** All that is on the disk (the name of its volume) is gone, and a process that uses it crashes. Started again, it finds an empty disk. */
  loseDisk(volume: string): void {
    this.#hooks.onDiskLost(volume, 'failed');
    for (const kubelet of this.#kubelets.values()) {
      for (const process of kubelet.processes) if (process.disks.includes(volume)) kubelet.crash(process.uid);
    }
  }

  /** The disks (names of volumes) that are in that machine and die with it. */
  localDisks(name: string): string[] {
    const node = nodeAt(this.world, name);
    return [...this.world.store.collection(storedAs.volumes).entries()]
      .map(({ object }) => volumeView(object))
      .filter(({ isLocal, nodeTerms = [] }) => isLocal && node !== undefined && matchesTerms(nodeTerms, node))
      .map((volume) => volume.name);
  }

  /** Every process that runs now, on every machine, also on those that nobody hears of; by node, then as they were started. */
  processes(): PodProcess[] {
    return [...this.#kubelets.values()]
      .sort((a, b) => (a.node < b.node ? -1 : 1))
      .flatMap((kubelet) => kubelet.processes.sort((a, b) => a.run - b.run));
  }

  /** Ends everything. Afterwards nothing of the cluster runs and no timer is left; the API server still answers. */
  async stop(): Promise<void> {
    this.#end.abort(new Error('the cluster has stopped'));
    for (const unlisten of this.#unlisten) unlisten();
    this.#heartbeats.stop();
    this.#attachments.stop();
    await Promise.all([...this.#parts, ...this.#kubelets.values()].map((part) => part.stop()));
    this.server.stop();
  }

  async #runProgram({ namespace, pod, container, command }: ProgramRun, signal: AbortSignal): Promise<ProgramEnd> {
    const kubelet = this.#kubelets.get(podAt(this.world, namespace, pod)?.nodeName ?? '');
    if (kubelet?.state !== 'alive') return { notRun: 'error dialing backend: no route to host' };
    const process = kubelet.processes.find((one) => one.namespace === namespace && one.name === pod);
    if (process === undefined) return { notRun: `container not found ("${container}")` };
    const nothing = { exitCode: 127, stdout: '', stderr: `${command[0]}: not found\n` };
    return this.#options.runProgram?.(process, command, signal) ?? nothing;
  }

  #kubelet(name: string): Kubelet {
    const found = this.#kubelets.get(name);
    if (found === undefined) throw new UnknownNode(name);
    return found;
  }

  async #furnish(wanted: readonly NodeOptions[]): Promise<void> {
    const client = clientFor({ ...this.#context, connect: (user) => this.transport(user) }, 'system:admin', 'cluster');
    for (const each of usualStorageClasses) {
      await client.create(storageClasses, each, { signal: this.#context.signal });
    }
    for (const node of wanted) await this.addNode(node);
  }

  #hearNode({ type, name, stored }: Change): void {
    if (type === 'DELETED') return;
    const state = nodeView(stored.object).labels[kubeletLabel];
    const known = this.#kubelets.get(name);
    if (state === undefined && known === undefined) return;
    const kubelet = known ?? this.#installKubelet(name);
    if (state === 'dead') {
      kubelet.cutOff();
      this.#labelledDead.add(name);
      return;
    }
    // Only a label that has just changed brings a node back; otherwise every write of a killed node would.
    if (known === undefined || this.#labelledDead.delete(name)) kubelet.connect();
  }

  #installKubelet(node: string): Kubelet {
    const kubelet = new Kubelet({
      context: this.#context,
      node,
      attachments: this.#attachments,
      addresses: this.#addresses,
      heartbeats: this.#heartbeats,
      hooks: this.#hooks,
      podStart: this.#options.podStart ?? usualPodStart,
      leaseSeconds: (this.#options.nodeTimings ?? usualNodeTimings).leaseSeconds,
      nextRun: () => {
        this.#runs += 1;
        return this.#runs;
      },
    });
    this.#kubelets.set(node, kubelet);
    return kubelet;
  }
}

/** There never was a machine of that name: whoever asks is wrong. */
export class UnknownNode extends Error {
  override readonly name = 'UnknownNode';
  readonly code = 'UnknownNode';

  constructor(node: string) {
    super(`no machine of this cluster is called ${node}`);
  }
}

/** In the order in which they hear of changes. */
function controllersOf(context: ClusterContext, timings: NodeTimings, heartbeats: Heartbeats): readonly Part[] {
  return [
    new VolumeController(context),
    new Scheduler(context),
    new StatefulSets(context),
    new DaemonSets(context),
    new DisruptionController(context),
    new NodeLifecycle(context, timings, heartbeats),
    new TaintEviction(context),
    new PodGarbageCollector(context),
  ];
}

const straight = (direct: Transport): Transport => direct;
