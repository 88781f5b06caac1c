import { KubeClient } from '../../kube/client.ts';
import { minutes, seconds } from '../../kube/clock.ts';
import { describeError } from '../../kube/error-description.ts';
import type { Random } from '../../kube/random.ts';
import { randomInteger, seededRandom } from '../../kube/random.ts';
import { nodes } from '../../kube/resources.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import type { Decision } from '../../model/decision.ts';
import type { NodeName, ProcessGroupId, Uid } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Ask } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import { isUnreachable } from '../../model/topology.ts';
import { EmbeddedCluster } from '../cluster/cluster.ts';
import type { PodView } from '../cluster/pod-view.ts';
import { podsOf } from '../cluster/pod-view.ts';
import type { DiskId } from '../engines/model-engine.ts';
import { ReplicatedStore } from '../engines/replicated-store/replicated-store.ts';
import { storeOptions } from '../engines/replicated-store/store-options.ts';
import { namespace } from './observe.ts';
import { StandIn } from './stand-in.ts';

/** What one simulated run came to. */
export interface Outcome {
  readonly seed: number;
  /** Invariants that did not hold, in words. Empty: all is well. */
  readonly violations: readonly string[];
  readonly simulatedSeconds: number;
  readonly drainsAsked: number;
  readonly drainsDone: number;
}

export interface SimulationOptions {
  readonly seed: number;
  readonly spec: ClusterSpec;
  /** How many nodes are drained, one or two at a time. */
  readonly drains: number;
  /** Whether a node dies now and then, and comes back. */
  readonly failures: boolean;
}

const shards = 12;

/** One run: a database on nine nodes that are drained one after the other, for real, while nodes die if they are meant to. */
export async function runSeed(options: SimulationOptions): Promise<Outcome> {
  const run = new Run(options);
  try {
    return await run.play();
  } finally {
    await run.end();
  }
}

class Run {
  readonly #options: SimulationOptions;
  readonly #clock = new VirtualClock();
  readonly #random: Random;
  readonly #cluster: EmbeddedCluster;
  readonly #store: ReplicatedStore;
  readonly #client: KubeClient;
  readonly #standIn: StandIn;
  readonly #signal = new AbortController().signal;
  readonly #violations: string[] = [];
  #dead: string | undefined;
  #done = 0;
  /** What the last decision waited for: the first thing to read when something never ends. */
  #waits: readonly string[] = [];

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    const clock = this.#clock;
    this.#store = new ReplicatedStore(
      storeOptions({ clock, random: seededRandom(options.seed + 1), replicationFactor: 2, jobFailures: 0.05 }),
    );
    this.#cluster = new EmbeddedCluster({
      clock,
      random: seededRandom(options.seed + 2),
      nodes: 9,
      zones: 3,
      namespaces: ['default', 'kube-system', 'kube-public', 'kube-node-lease', namespace],
      hooks: {
        onPodStarted: ({ name: id, zone, address, disks, pod }) =>
          this.#store.start({
            id: name(id),
            group: name(id),
            role: name(pod.labels['drover.dev/role'] ?? ''),
            zone: name(zone),
            address,
            disk: diskOf(disks[0] ?? id),
          }),
        onPodStopped: ({ name: id }) => this.#store.stop(name(id)),
        onDiskLost: (disk) => this.#store.loseDisk(diskOf(disk)),
      },
    });
    this.#client = new KubeClient({
      transport: this.#cluster.transport(),
      clock,
      random: this.#random,
      rateLimit: { perSecond: 1e6, burst: 1e6 },
    });
    this.#standIn = new StandIn(this.#cluster, this.#store, this.#client, options.spec, (decision) =>
      this.#judge(decision),
    );
  }

  async play(): Promise<Outcome> {
    await this.#cluster.ready();
    this.#standIn.start((error) => this.#violations.push(`defect: ${describeError(error).message}`));
    await this.#pass(300);
    for (let shard = 1; shard <= shards; shard++) this.#store.createShard(name(`s${shard}`), 2 ** 30);
    await this.#pass(600);
    for (let drain = 0; drain < this.#options.drains && this.#violations.length === 0; drain++) await this.#drain();
    await this.#settle();
    const simulatedSeconds = this.#clock.monotonic() / 1000;
    return {
      seed: this.#options.seed,
      violations: this.#violations,
      simulatedSeconds,
      drainsAsked: this.#options.drains,
      drainsDone: this.#done,
    };
  }

  async end(): Promise<void> {
    this.#standIn.stop();
    await this.#cluster.stop();
  }

  /** One node, or two at once. */
  async #drain(): Promise<void> {
    const first = randomInteger(this.#random, 1, 10);
    const second = 1 + ((first + randomInteger(this.#random, 0, 8)) % 9);
    const drained = this.#random.next() < 0.5 ? [`n${first}`] : [`n${first}`, `n${second}`];
    if (this.#options.failures && this.#random.next() < 0.5) this.#killSome(drained);
    for (const node of drained) await this.#cordon(node, true);
    await this.#askUntilGone(new Set(drained));
    for (const node of drained) {
      this.#standIn.withdraw(node);
      await this.#cordon(node, false);
    }
    this.#reviveDead();
    await this.#pass(randomInteger(this.#random, 5, 900));
  }

  /** As kubectl drain does it: asks every 5 s until nothing of ours is left, and gives up after two hours. */
  async #askUntilGone(waiting: Set<string>): Promise<void> {
    for (let waited = 0; waited < 7200 && waiting.size > 0 && this.#violations.length === 0; waited += 5) {
      for (const node of waiting) {
        const left = [...podsOf(this.#cluster.world, namespace)].filter((pod) => pod.nodeName === node);
        this.#standIn.ask(left.map((pod) => askFor(pod, node, instant(this.#clock.now()))));
        if (left.length > 0) continue;
        waiting.delete(node);
        this.#done += 1;
        this.#replaceMachine(node);
      }
      await this.#pass(5);
    }
  }

  /** A drained node may be taken away: a new machine of the same name has none of the old disks. */
  #replaceMachine(node: string): void {
    for (const disk of this.#cluster.localDisks(node)) this.#cluster.loseDisk(disk);
  }

  /** Once faults stop, everything ends: as many as asked for, none leaving, all of them up. */
  async #settle(): Promise<void> {
    this.#reviveDead();
    for (let waited = 0; waited < 4 * 3600 && this.#violations.length === 0; waited += 60) {
      if (this.#unsettled() === undefined) return;
      await this.#pass(60);
    }
    const why = this.#unsettled();
    if (why !== undefined && this.#violations.length === 0) this.#violations.push(`I7: ${why}`, ...this.#waits);
  }

  #unsettled(): string | undefined {
    const { rows } = this.#standIn.recorded;
    const wanted = this.#options.spec.roles.reduce((sum, { count }) => sum + count, 0);
    if (rows.length !== wanted) return `${rows.length} process groups instead of ${wanted}`;
    const bad = rows.find(({ removal, conditions }) => removal !== null || conditions.length > 0);
    return bad === undefined
      ? undefined
      : `${bad.id}: ${bad.removal === null ? bad.conditions.map(({ type }) => type).join(', ') : 'still leaving'}`;
  }

  #killSome(spared: readonly string[]): void {
    const node = `n${randomInteger(this.#random, 1, 10)}`;
    if (spared.includes(node)) return;
    this.#dead = node;
    this.#cluster.killNode(node);
  }

  #reviveDead(): void {
    if (this.#dead !== undefined) this.#cluster.reviveNode(this.#dead);
    this.#dead = undefined;
  }

  async #cordon(node: string, unschedulable: boolean): Promise<void> {
    await this.#client.patch(
      nodes,
      { name: node },
      { type: 'merge', body: { spec: { unschedulable } } },
      { signal: this.#signal },
    );
  }

  async #pass(time: number): Promise<void> {
    for (let left = time; left > 0; left -= 5) {
      await this.#clock.pass(left < 5 ? seconds(left) : seconds(5));
      this.#check();
    }
  }

  /** I4: a volume goes only with a process that the engine confirms to hold nothing, agents aside: their rule does not ask for that. */
  #judge({ actions, holds }: Decision): void {
    this.#waits = holds.map(({ reason }) => reason.message);
    const view = this.#store.topology();
    for (const action of actions) {
      if (action.act !== 'delete-group' || isUnreachable(view)) continue;
      const full = view.processes.find(
        ({ group, role, drained }) => group === action.group && role === 'dbserver' && drained !== true,
      );
      if (full !== undefined)
        this.#violations.push(`I4: the volume of ${action.group} is deleted, and it is not drained`);
    }
    this.#check();
  }

  /**
   * I1 and I2: only the disks of drained nodes are lost here, and only one node is down at a time, so whatever is lost was taken away by a
   * decision.
   */
  #check(): void {
    if (this.#violations.length > 0) return;
    const { lost, brokenQuorums } = this.#store.truth();
    const [loss] = lost;
    if (loss !== undefined) this.#violations.push(`I1: ${loss.because}`);
    const [broken] = brokenQuorums;
    if (broken !== undefined && this.#clock.monotonic() > minutes(10))
      this.#violations.push(`I2: ${broken.answering} of ${broken.needed} in ${broken.quorum}`);
    const [defect] = this.#cluster.defects;
    if (defect !== undefined) this.#violations.push(`defect: ${describeError(defect).message}`);
  }
}

function askFor({ name: id, uid }: PodView, node: string, now: Instant): Ask {
  const who = { group: name<ProcessGroupId>(id), pod: name<Uid>(uid), node: name<NodeName>(node) };
  return { ...who, source: 'Eviction', by: 'jane', since: now, lastSeen: now, force: null };
}

const diskOf = (disk: string): DiskId => name<DiskId & { readonly names: 'disk' }>(disk);
