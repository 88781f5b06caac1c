import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { Clock } from '../../kube/clock.ts';
import { seconds } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import type { Topology } from '../../model/topology.ts';
import type { FdbOptions } from '../engines/foundationdb/fdb-options.ts';
import type { FoundationDB } from '../engines/foundationdb/foundationdb.ts';
import { FoundationDBDatabases } from '../operated/foundationdb-databases.ts';
import { installDrover } from '../operated/install-drover.ts';
import type { Change } from './happenings.ts';
import { Lives } from './lives.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import type { Deployment, Life, OnRecord, Place, Subject, Surroundings, WantedRole } from './subject.ts';
import { keepsEveryQuorum, processesOf } from './survives.ts';
import { whatIsLeft } from './what-is-left.ts';

/** A FoundationDB that the operator's own controllers look after. */
export interface FoundationDBPlan {
  readonly engine: 'foundationdb';
  readonly spec: StatefulClusterSpecInput;
  readonly database: Partial<FdbOptions>;
}

/** A FoundationDB that has no cluster yet. */
export function foundationdbDeployment(plan: FoundationDBPlan, clock: Clock, random: Random): Deployment {
  const databases = new FoundationDBDatabases({ clock, random, database: plan.database });
  const lives = new Lives();
  return {
    hooks: databases.hooks,
    living: lives.living,
    deploy: (place) => new FoundationDBSubject(plan, databases, lives, place),
  };
}

/** The database claims full replication until it has noticed that a server is silent; the world gives it twice that time. */
const noticedAfter = seconds(120);
/** How few, and how many, of a role people ever want. */
const bounds = { fewest: 4, most: 7 };

class FoundationDBSubject implements Subject {
  readonly #plan: FoundationDBPlan;
  readonly #databases: FoundationDBDatabases;
  readonly #lives: Lives;
  readonly #place: Place;
  readonly #cluster: SimulatedCluster;

  constructor(plan: FoundationDBPlan, databases: FoundationDBDatabases, lives: Lives, place: Place) {
    this.#plan = plan;
    this.#databases = databases;
    this.#lives = lives;
    this.#place = place;
    this.#cluster = new SimulatedCluster(place, bounds);
  }

  get model(): FoundationDB {
    return this.#databases.of(this.#cluster.key);
  }

  get roles(): readonly WantedRole[] {
    return this.#cluster.roles;
  }

  async prepare(): Promise<void> {
    const { people, signal } = this.#place;
    await installDrover(people, { signal });
    await this.#cluster.create(this.#plan.spec);
  }

  fill(): void {
    // Its data comes with `configure new`.
  }

  live(surroundings: Surroundings, signal: AbortSignal): Life {
    const foundationdb = this.#databases.sourceBy(surroundings.clock);
    return this.#lives.begin(surroundings, () => ({ foundationdb }), signal);
  }

  recorded(): OnRecord {
    return this.#cluster.recorded();
  }

  groupOf(kind: 'pod' | 'claim', object: string): string | undefined {
    return this.#cluster.groupOf(kind, object);
  }

  podOf(group: string): string {
    return this.#cluster.podOf(group);
  }

  change(wanted: Change): Promise<void> {
    return this.#cluster.change(wanted);
  }

  cancelNothing(): Promise<void> {
    return this.#cluster.cancelNothing();
  }

  endures(topology: Topology, gone: ReadonlySet<string>): boolean {
    const { state } = this.model.parts();
    const { health, processes } = topology;
    const silentTooShort = this.#place.clock.monotonic() - noticedAfter;
    const isNews = state.table
      .all()
      .some(({ process, since }) => !state.responds(process.id) && since > silentTooShort);
    const zones = new Set(
      processes.flatMap(({ id, group, zone, responds }) => (responds === true && gone.has(group ?? id) ? [zone] : [])),
    );
    return (
      !isNews &&
      health.available === true &&
      health.fullyReplicated === true &&
      zones.size <= Number(health.zonesThatMayFail) &&
      keepsEveryQuorum(topology, processesOf(topology, gone))
    );
  }

  outdated(): string | undefined {
    return this.#cluster.outdated();
  }

  leftBehind(): string | undefined {
    const [unavailable] = this.model.truth().unavailable;
    if (unavailable !== undefined) return `${unavailable} cannot be read`;
    // Until then what is told of its health changes.
    if (this.model.whole().health.fullyReplicated !== true) return 'the engine has not made all copies again';
    const [excluded] = this.model.parts().state.exclusions.list('excluded');
    return excluded === undefined
      ? whatIsLeft(this.#place, this.#cluster.recorded())
      : `the engine still excludes ${excluded}`;
  }
}
