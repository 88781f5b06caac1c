import type { ProcessGroupId } from '../../model/ids.ts';
import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { Engine, MaintenanceWindow, Observation, Target } from '../engine.ts';
import { RefusedVerbs } from '../refused-verbs.ts';
import type { NewDatabase } from './bootstrap.ts';
import { bootstrap } from './bootstrap.ts';
import { DrainProgress } from './drain-progress.ts';
import { evacuate } from './evacuate.ts';
import type { Fdbcli } from './fdbcli.ts';
import { handOff } from './hand-off.ts';
import { cancelEvacuation, forget } from './include.ts';
import { maintenance } from './maintenance.ts';
import { observationOf } from './observe.ts';
import type { TimeLimits } from './session.ts';
import { Session, timeLimits } from './session.ts';

export interface FoundationDBOptions {
  readonly fdbcli: Fdbcli;
  readonly now: () => Instant;
  /** What `bootstrap` creates. */
  readonly database: NewDatabase;
  /** Which process group was last known by this IP address, by what is on record; the database forgets it with the process. Default: none. */
  readonly groupAt?: (host: string) => ProcessGroupId | undefined;
  /** Process groups that get no coordinator, because they are to leave as well. Default: none. */
  readonly avoid?: (group: ProcessGroupId) => boolean;
  /** Default: 10 s, and 40 s for status, exclude, coordinators and configure. */
  readonly limits?: TimeLimits;
}

/** A FoundationDB, through fdbcli. Process groups are those that processes have as `--locality_instance_id`. */
export class FoundationDBEngine implements Engine {
  readonly #options: FoundationDBOptions;
  readonly #session: Session;
  readonly #progress = new DrainProgress();
  readonly #refused = new RefusedVerbs();

  constructor(options: FoundationDBOptions) {
    this.#options = options;
    this.#session = new Session(options.fdbcli, options.limits ?? timeLimits);
  }

  /** How a client finds the database, by its own last word. It changes with the coordinators, and new pods need it. null: not heard yet. */
  get connectionString(): string | null {
    return this.#session.connectionString;
  }

  bootstrap(signal: AbortSignal): Promise<void> {
    return bootstrap(this.#session, this.#options.database, signal);
  }

  async observe(signal: AbortSignal): Promise<Observation> {
    const observedAt = this.#options.now();
    const status = await this.#session.status(signal);
    const { groupAt = () => undefined, now } = this.#options;
    const { topology, jobs } = observationOf(status, {
      observedAt,
      answeredAt: now(),
      groupAt,
      progress: this.#progress,
    });
    return { topology, jobs: [...jobs, ...this.#refused.jobs(observedAt)] };
  }

  handOff(target: Target, signal: AbortSignal): Promise<void> {
    const avoid = this.#options.avoid ?? (() => false);
    return this.#heed('HandOff', target, () => handOff(this.#session, target, avoid, signal));
  }

  evacuate(target: Target, signal: AbortSignal): Promise<void> {
    return this.#heed('Evacuate', target, () => evacuate(this.#session, target, signal));
  }

  cancelEvacuation(target: Target, signal: AbortSignal): Promise<void> {
    return this.#heed('CancelEvacuation', target, () => cancelEvacuation(this.#session, target, signal));
  }

  forget(target: Target, signal: AbortSignal): Promise<void> {
    return this.#heed('Forget', target, () => forget(this.#session, target, signal));
  }

  maintenance(window: MaintenanceWindow | null, signal: AbortSignal): Promise<void> {
    return maintenance(this.#session, window, signal);
  }

  #heed(verb: Job['verb'], target: Target, ask: () => Promise<void>): Promise<void> {
    return this.#refused.heed(verb, target, this.#options.now, ask);
  }
}
