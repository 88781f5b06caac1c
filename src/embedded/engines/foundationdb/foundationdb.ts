import type { ProcessId, UnitId } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import type { Instant } from '../../../model/time.ts';
import { instant } from '../../../model/time.ts';
import type { Topology, Unreachable } from '../../../model/topology.ts';
import type { Answers, DiskId, EngineProcess, ModelEngine, Truth } from '../model-engine.ts';
import { partialAnswer } from '../partial-answer.ts';
import type { CliCall, CliResult } from './cli/fdbcli-command-line.ts';
import { runFdbcli } from './cli/run-fdbcli.ts';
import { Coordinators } from './coordinators.ts';
import { DataDistribution } from './data-distribution.ts';
import type { FdbOptions } from './fdb-options.ts';
import type { FdbParts } from './fdb-parts.ts';
import type { Ailments } from './fdb-state.ts';
import { FdbState } from './fdb-state.ts';
import { fdbTopology } from './fdb-topology.ts';
import { Maintenance } from './maintenance.ts';
import { Storage } from './storage.ts';
import { TransactionSystem } from './transaction-system.ts';
import { Waiters } from './waiters.ts';

/** What cannot be committed to, where the database as a whole is down. */
const database = name<UnitId>('database');

/**
 * A FoundationDB: storage teams, logs with generations, coordinators, exclusion, maintenance, recovery. It is told what to do and asked how it
 * is through `fdbcli` alone; the world tells it what happens to its processes.
 */
export class FoundationDB implements ModelEngine {
  readonly #parts: Omit<FdbParts, 'answers'>;
  #answers: Answers = 'whole';
  #silentSince: Instant | null = null;
  readonly #madeAt: Instant;

  constructor(options: FdbOptions) {
    this.#madeAt = instant(options.clock.now());
    const state = new FdbState(options, () => this.#keep());
    const coordinators = new Coordinators(state);
    const maintenance = new Maintenance(state);
    const storage = new Storage(state, maintenance);
    const distribution = new DataDistribution(state, storage);
    const transactions = new TransactionSystem(state, coordinators, storage);
    this.#parts = { state, coordinators, maintenance, storage, distribution, transactions, waiters: new Waiters() };
  }

  start(process: EngineProcess): void {
    this.#happen(({ state }) => {
      state.table.start(process);
      this.#note(process.id, 'its process started');
    });
  }

  stop(id: ProcessId): void {
    this.#happen(({ state }) => {
      if (state.table.stop(id)) this.#note(id, 'its process stopped');
    });
  }

  loseDisk(id: DiskId): void {
    this.#happen(({ state, storage, transactions, coordinators }) => {
      storage.destroy(id);
      transactions.destroy(id);
      coordinators.destroy(id);
      const user = state.table.userOf(id);
      if (user !== undefined) state.table.stop(user.process.id);
    });
  }

  isolate(id: ProcessId): void {
    this.#happen(({ state }) => {
      if (state.table.isolate(id, true)) this.#note(id, 'its process was cut off');
    });
  }

  rejoin(id: ProcessId): void {
    this.#happen(({ state }) => {
      if (state.table.isolate(id, false)) this.#note(id, 'its process was heard again');
    });
  }

  /** Errors of a disk, another version: see `Ailments`. */
  ail(id: ProcessId, ailments: Ailments): void {
    this.#happen(({ state }) => state.ail(id, ailments));
  }

  answer(how: Answers): void {
    this.#silentSince = how === 'none' ? (this.#silentSince ?? this.#now()) : null;
    this.#answers = how;
    this.#parts.waiters.check();
  }

  topology(): Topology | Unreachable {
    const { state, coordinators, transactions } = this.#parts;
    if (this.#silentSince !== null) return { unreachable: 'fdbcli timed out', since: this.#silentSince };
    if (state.configuration === null) return { unreachable: 'no database was created', since: this.#madeAt };
    if (!coordinators.quorumReachable)
      return {
        unreachable: 'too few coordinators can be reached',
        since: transactions.downSince ?? this.#now(),
      };
    const whole = this.whole();
    return this.#answers === 'partial' ? partialAnswer(whole, state.options.random) : whole;
  }

  whole(): Topology {
    return fdbTopology(this.parts());
  }

  truth(): Truth {
    const { state, coordinators, distribution, transactions } = this.#parts;
    const down = state.configuration !== null && !transactions.isUp;
    return {
      lost: state.ledger.losses,
      unavailable: [...(down ? [database] : []), ...distribution.unavailable().map(({ id }) => id)],
      brokenQuorums: coordinators.broken(),
    };
  }

  /**
   * The one seam: what `fdbcli <argv>` prints, and its exit code. It takes as long as the real one by the clock: `exclude` without
   * `no_wait` until the data is away, and everything for ever while the database is down, unless `--timeout` ends it.
   */
  fdbcli(argv: readonly string[], stdin = '', call: CliCall = {}): Promise<CliResult> {
    return runFdbcli(() => this.parts(), argv, stdin, call);
  }

  /** How many bytes lie on storage servers whose disks exist: what conservation is checked by. */
  storedBytes(): number {
    const { storage, distribution } = this.#parts;
    return storage.servers.reduce((sum, server) => sum + (server.destroyed ? 0 : distribution.bytesOn(server)), 0);
  }

  /** The parts as they are now, for status and commands. */
  parts(): FdbParts {
    return { ...this.#parts, answers: this.#answers };
  }

  /** For whoever has to explain a loss later. */
  #note(id: ProcessId, what: string): void {
    const { state, storage, transactions } = this.#parts;
    const process = state.table.get(id)?.process;
    if (process === undefined) return;
    storage.noteAll(process, what);
    transactions.noteAll(process, what);
  }

  #now(): Instant {
    return instant(this.#parts.state.options.clock.now());
  }

  #happen(what: (parts: Omit<FdbParts, 'answers'>) => void): void {
    this.#parts.state.happen(() => what(this.#parts));
  }

  #keep(): void {
    const { coordinators, storage, distribution, transactions, waiters } = this.#parts;
    coordinators.keep();
    storage.survey();
    transactions.keep();
    distribution.keep(transactions.isUp);
    // What just moved away may have been the last thing on a server.
    storage.survey();
    waiters.check();
  }
}
