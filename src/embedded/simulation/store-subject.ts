import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { Clock, Millis } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import type { RoleName } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Topology } from '../../model/topology.ts';
import { installDrover } from '../operated/install-drover.ts';
import { StoreDatabases } from '../operated/store-databases.ts';
import type { Change } from './happenings.ts';
import { JointModel } from './joint-model.ts';
import { Lives } from './lives.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import type { GuardPlan } from './simulated-guard.ts';
import { guardedRole, guardKey, SimulatedGuard } from './simulated-guard.ts';
import type { Breakable, Deployment, Life, OnRecord, Place, Subject, Surroundings, WantedRole } from './subject.ts';
import { keepsACopyOfAll, keepsEveryQuorum, processesOf } from './survives.ts';
import { whatIsLeft } from './what-is-left.ts';

/** Replicated stores behind the http contract that the operator's own controllers look after: one of its own, one of others, or both. */
export interface StorePlan {
  readonly engine: 'http';
  readonly cluster: StatefulClusterSpecInput | undefined;
  readonly guard: GuardPlan | undefined;
  readonly replicationFactor: number;
  readonly shards: number;
  /** How large each of them is: a large one takes minutes to move. */
  readonly gibibytes: number;
  /** How long a store takes to notice that a process is gone. */
  readonly noticeDelay: Millis;
}

const gibibyte = 2 ** 30;
/** How few, and how many, of its processes people ever want. */
const bounds = { fewest: 4, most: 6 };
/** The one role of the StatefulCluster: its processes hold shards, and some of them a seat in the quorum. */
export const ownRole = 'shard';

/** Stores that have no cluster yet. */
export function storeDeployment(plan: StorePlan, clock: Clock, random: Random): Deployment {
  const { replicationFactor, noticeDelay } = plan;
  const databases = new StoreDatabases({
    clock,
    random,
    store: (key) => {
      const role = name<RoleName>(key === guardKey ? guardedRole : ownRole);
      return { dataRole: role, quorumRole: role, replicationFactor, noticeDelay, jobFailures: 0.05 };
    },
  });
  const lives = new Lives();
  return {
    hooks: databases.hooks,
    living: lives.living,
    deploy: (place) => new StoreSubject(plan, databases, lives, place),
  };
}

class StoreSubject implements Subject {
  readonly model: Breakable;
  readonly #plan: StorePlan;
  readonly #databases: StoreDatabases;
  readonly #lives: Lives;
  readonly #place: Place;
  readonly #cluster: SimulatedCluster | undefined;
  readonly #guard: SimulatedGuard | undefined;

  constructor(plan: StorePlan, databases: StoreDatabases, lives: Lives, place: Place) {
    this.#plan = plan;
    this.#databases = databases;
    this.#lives = lives;
    this.#place = place;
    this.#cluster = plan.cluster === undefined ? undefined : new SimulatedCluster(place, bounds);
    this.#guard = plan.guard === undefined ? undefined : new SimulatedGuard(place, plan.guard);
    const [first, ...others] = this.#owners.map(({ key }) => databases.of(key));
    if (first === undefined) throw new Error('a run is about a StatefulCluster, a guard, or both');
    this.model = new JointModel(first, ...others);
  }

  get #owners(): readonly (SimulatedCluster | SimulatedGuard)[] {
    return [this.#cluster, this.#guard].filter((one) => one !== undefined);
  }

  get roles(): readonly WantedRole[] {
    return this.#owners.flatMap(({ roles }) => roles);
  }

  async prepare(): Promise<void> {
    const { people, signal } = this.#place;
    await installDrover(people, { signal });
    if (this.#plan.cluster !== undefined) await this.#cluster?.create(this.#plan.cluster);
    await this.#guard?.create();
  }

  fill(): void {
    const { shards, gibibytes } = this.#plan;
    for (const { key } of this.#owners) {
      for (let shard = 1; shard <= shards; shard++)
        this.#databases.of(key).createShard(name(`${key}/s${shard}`), gibibytes * gibibyte);
    }
  }

  live(surroundings: Surroundings, signal: AbortSignal): Life {
    const { clock } = surroundings;
    return this.#lives.begin(surroundings, (client) => ({ http: this.#databases.source(client, clock) }), signal);
  }

  recorded(): OnRecord {
    const records = this.#owners.map((owner) => owner.recorded());
    return { rows: records.flatMap(({ rows }) => rows), grants: records.flatMap(({ grants }) => grants) };
  }

  groupOf(kind: 'pod' | 'claim', object: string): string | undefined {
    return this.#guard?.groupOf(kind, object) ?? this.#cluster?.groupOf(kind, object);
  }

  podOf(group: string): string {
    return this.#guard?.groupOf('pod', group) ?? this.#cluster?.podOf(group) ?? group;
  }

  async change(wanted: Change): Promise<void> {
    await this.#cluster?.change(wanted);
  }

  async cancelNothing(): Promise<void> {
    await this.#cluster?.cancelNothing();
  }

  endures(topology: Topology, gone: ReadonlySet<string>): boolean {
    const processes = processesOf(topology, gone);
    return keepsACopyOfAll(topology, processes) && keepsEveryQuorum(topology, processes);
  }

  outdated(): string | undefined {
    return this.#cluster?.outdated();
  }

  leftBehind(): string | undefined {
    const { processes, units, health } = this.model.whole();
    const excluded = processes.find((process) => process.excluded === true);
    if (excluded !== undefined) return `${excluded.id} stays, and the engine is still to move its data away`;
    // Until then what a process holds changes, and with it what is said of it.
    if (health.fullyReplicated !== true) return 'the engine has not made all copies again';
    const unit = units.find(({ replicas }) => replicas.some(({ doomed }) => doomed));
    if (unit !== undefined) return `the engine has not cleared away a copy of ${unit.name}`;
    // An engine that evens out what its processes hold goes on copying when all copies are there, and how far it is is told.
    const made = units.find(({ copying }) => copying !== null);
    if (made !== undefined) return `the engine is still making a copy of ${made.name}`;
    return whatIsLeft(this.#place, ...this.#owners.map((owner) => owner.recorded()));
  }
}
