import type { QuorumId, UnitId } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import type { Instant } from '../../../model/time.ts';
import { instant } from '../../../model/time.ts';
import type { BrokenQuorum, DiskId, EngineProcess } from '../model-engine.ts';
import { coordinatorsOf } from './configuration.ts';
import type { ConnectionString } from './connection-string.ts';
import { formatConnectionString, parseConnectionString } from './connection-string.ts';
import type { FdbState } from './fdb-state.ts';

export const coordinatorQuorum = name<QuorumId>('coordinators');
const unit = name<UnitId>('coordination state');

/** The words of `CoordinatorsResult` in FoundationDB's ManagementAPI. */
export const coordinatorErrors = {
  same: 'No change (existing configuration satisfies request)',
  notRunning: 'Coordination servers are not running on the specified network addresses',
  tooFewMachines: 'Too few fdbserver machines to provide coordination at the current redundancy level',
} as const;

/**
 * The few processes that remember who the database is. They are known by address: a pod that comes back with another one is no
 * coordinator any more. What they know lies on their disks.
 */
export class Coordinators {
  readonly #state: FdbState;
  #connection: ConnectionString | null;
  /** Connection strings of the past: the old coordinators pass a client on to the new ones. */
  readonly #former = new Set<string>();
  /** On which disk each coordinator's memory lies. */
  #memories = new Map<string, EngineProcess>();
  /** The present coordinators were told what there is to remember. */
  #written = false;
  #brokenSince: Instant | null = null;

  constructor(state: FdbState) {
    this.#state = state;
    this.#connection = parseConnectionString(state.options.connectionString ?? '') ?? null;
  }

  get connection(): ConnectionString | null {
    return this.#connection;
  }

  /** A client comes with a cluster file. Until the database exists, the file says who the coordinators are. */
  adopt(connection: ConnectionString): void {
    if (this.#state.configuration === null) this.#connection = connection;
  }

  /** Whether a client with this cluster file finds the database. */
  knows(connection: ConnectionString): boolean {
    if (this.#connection === null) return false;
    const text = formatConnectionString(connection);
    return text === formatConnectionString(this.#connection) || this.#former.has(text);
  }

  get addresses(): readonly string[] {
    return this.#connection?.coordinators ?? [];
  }

  get needed(): number {
    return Math.floor(this.addresses.length / 2) + 1;
  }

  isCoordinator({ address }: EngineProcess): boolean {
    return this.addresses.includes(address);
  }

  reachable(): readonly EngineProcess[] {
    return this.addresses.flatMap((address) => this.#state.workerAt(address) ?? []);
  }

  get quorumReachable(): boolean {
    return this.addresses.length > 0 && this.reachable().length >= this.needed && !this.#state.ledger.isLost(unit);
  }

  /** How many zones may fail with a majority left. */
  get zonesToSpare(): number {
    const perZone = new Map<string, number>();
    for (const { zone } of this.reachable()) perZone.set(zone, (perZone.get(zone) ?? 0) + 1);
    let left = this.reachable().length;
    const counts = [...perZone.values()].sort((a, b) => b - a);
    const survived = counts.findIndex((count) => (left -= count) < this.needed);
    return survived < 0 ? counts.length : survived;
  }

  /** The last process that had each address, as far as the database has met it. */
  members(): readonly { readonly process: EngineProcess; readonly responds: boolean }[] {
    return this.addresses.flatMap((address) => {
      const worker = this.#state.workerAt(address);
      const process = worker ?? this.#memories.get(address);
      return process === undefined ? [] : [{ process, responds: worker !== undefined }];
    });
  }

  /** New coordinators, by address. Gives the error, or undefined when the change is made. */
  change(addresses: readonly string[]): string | undefined {
    if (sameSet(addresses, this.addresses)) return coordinatorErrors.same;
    if (addresses.some((address) => this.#state.workerAt(address) === undefined)) return coordinatorErrors.notRunning;
    const old = this.#connection;
    if (old !== null) this.#former.add(formatConnectionString(old));
    this.#connection = {
      description: old?.description ?? 'fdb',
      id: this.#state.hex(32),
      coordinators: [...addresses].sort(),
    };
    this.#memories = new Map();
    this.#written = false;
    return undefined;
  }

  /** The database chooses: as many as the mode asks for, one a zone, nobody that is to leave. */
  changeByItself(): string | undefined {
    const wanted = this.#state.configuration === null ? 1 : coordinatorsOf(this.#state.configuration);
    const current = this.reachable().filter((process) => !this.#state.isExcluded(process));
    if (current.length === this.addresses.length && current.length >= wanted && apart(current))
      return coordinatorErrors.same;
    const chosen = [...current];
    for (const process of this.#state.workers()) if (!this.#state.isExcluded(process)) chosen.push(process);
    const spread = firstOfEachZone(chosen).slice(0, wanted);
    // A smaller odd number will do where there are not enough zones, as the real one has it.
    const enough = spread.length >= wanted ? wanted : spread.length - ((spread.length + 1) % 2);
    if (enough < 1 || (wanted > 1 && enough < Math.min(3, wanted))) return coordinatorErrors.tooFewMachines;
    return this.change(spread.slice(0, enough).map(({ address }) => address));
  }

  destroy(disk: DiskId): void {
    for (const [address, process] of this.#memories) {
      if (process.disk !== disk) continue;
      this.#memories.delete(address);
      this.#state.ledger.note(unit, process, 'its disk was lost');
    }
  }

  /** Whoever answers learns what the others know; with too few memories left there is nothing to learn. */
  keep(): void {
    if (this.#state.configuration === null) return;
    if (this.#written && this.#memories.size < this.needed) this.#state.ledger.lose(unit);
    if (this.quorumReachable) {
      this.#brokenSince = null;
      this.#written = true;
      for (const process of this.reachable()) this.#memories.set(process.address, process);
    } else this.#brokenSince ??= instant(this.#state.options.clock.now());
  }

  broken(): readonly BrokenQuorum[] {
    if (this.#brokenSince === null || this.#state.ledger.isLost(unit)) return [];
    const answering = this.reachable().length;
    return [{ quorum: coordinatorQuorum, needed: this.needed, answering, since: this.#brokenSince }];
  }
}

const sameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && new Set([...one, ...other]).size === one.length;

const apart = (processes: readonly EngineProcess[]): boolean =>
  new Set(processes.map(({ zone }) => zone)).size === processes.length;

function firstOfEachZone(processes: readonly EngineProcess[]): readonly EngineProcess[] {
  const zones = new Set<string>();
  return processes.filter(({ zone }) => {
    if (zones.has(zone)) return false;
    zones.add(zone);
    return true;
  });
}
