import type { MonotonicMillis } from '../../../kube/clock.ts';
import type { ProcessId, UnitId } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import type { Instant } from '../../../model/time.ts';
import { instant } from '../../../model/time.ts';
import type { DiskId, EngineProcess } from '../model-engine.ts';
import { copiesOf } from './configuration.ts';
import type { Coordinators } from './coordinators.ts';
import type { FdbState } from './fdb-state.ts';
import type { LogGeneration } from './log-generation.ts';
import { faultTolerance, isHeard, isLost, isReadable } from './log-generation.ts';
import { areBetterLogs, recruit, recruitLogs, zonesForLogs } from './recruitment.ts';
import type { Storage } from './storage.ts';

const logUnit = name<UnitId>('transaction log');

/**
 * The part of the database that commits. It is one thing with many members: when any of them is silent or excluded, all of it is recruited
 * anew, and nothing is committed meanwhile. That is a recovery. Each leaves an old generation of logs that takes a while to be emptied.
 */
export class TransactionSystem {
  readonly #state: FdbState;
  readonly #coordinators: Coordinators;
  readonly #storage: Storage;
  #up = false;
  #downSince: Instant | null = null;
  #roles: ReadonlyMap<ProcessId, readonly string[]> = new Map();
  #generations: readonly LogGeneration[] = [];
  #count = 0;
  #recoveredAt: MonotonicMillis | null = null;

  constructor(state: FdbState, coordinators: Coordinators, storage: Storage) {
    this.#state = state;
    this.#coordinators = coordinators;
    this.#storage = storage;
  }

  get isUp(): boolean {
    return this.#up;
  }

  /** Since when nothing can be committed. */
  get downSince(): Instant | null {
    return this.#downSince;
  }

  /** How many generations of logs hold data: one at rest. */
  get activeGenerations(): number {
    return this.#generations.length;
  }

  get generation(): number {
    return this.#count;
  }

  get secondsSinceRecovery(): number {
    const { clock, recoveryAgesBy } = this.#state.options;
    return this.#recoveredAt === null ? 0 : ((clock.monotonic() - this.#recoveredAt) / 1000) * recoveryAgesBy;
  }

  get current(): LogGeneration | undefined {
    return this.#up ? this.#generations.at(-1) : undefined;
  }

  get old(): readonly LogGeneration[] {
    return this.#up ? this.#generations.slice(0, -1) : this.#generations;
  }

  /** What the process does, logs of old generations included. */
  rolesOf(process: EngineProcess): readonly { readonly role: string; readonly id: string }[] {
    const stateless = (this.#up ? (this.#roles.get(process.id) ?? []) : []).map((role) => ({ role, id: '' }));
    const logs = this.#generations.flatMap(({ logs }) =>
      logs.filter((log) => log.process.id === process.id && isHeard(this.#state, log)),
    );
    return [...stateless, ...logs.map(({ id }) => ({ role: 'log', id }))];
  }

  /** The processes that logs lie on, heard or not. */
  logServers(): readonly EngineProcess[] {
    return this.#generations.flatMap(({ logs }) => logs.map(({ process }) => process));
  }

  /** The least of all generations: how many zones may fail with everything that was committed still there. */
  get zonesToSpareForData(): number {
    return Math.min(...this.#generations.map((generation) => faultTolerance(this.#state, generation)));
  }

  /** How many zones may fail with enough left to recruit from. */
  get zonesToSpareForService(): number {
    const { configuration } = this.#state;
    return configuration === null ? 0 : zonesForLogs(this.#state) - copiesOf(configuration);
  }

  destroy(disk: DiskId): void {
    for (const { number, logs } of this.#generations) {
      for (const log of logs) {
        if (log.process.disk !== disk || log.destroyed) continue;
        log.destroyed = true;
        this.#state.ledger.note(logUnit, log.process, `its disk was lost, with the log of generation ${number}`);
      }
    }
  }

  noteAll({ disk }: EngineProcess, what: string): void {
    for (const { logs } of this.#generations)
      for (const log of logs)
        if (log.process.disk === disk && !log.destroyed) this.#state.ledger.note(logUnit, log.process, what);
  }

  /** All of it anew: the coordinators changed, or the configuration. */
  recover(): void {
    if (this.#up || this.#downSince === null) this.#goDown();
  }

  /** Brings it to where it should be, after anything happened. */
  keep(): void {
    if (this.#state.configuration === null) return;
    if (this.#generations.some(isLost)) this.#state.ledger.lose(logUnit);
    if (this.#up && this.#isBroken()) this.#goDown();
    if (this.#up) this.#dropEmptied();
    const recovery = 'recovery';
    if (this.#up || !this.#canRecover()) this.#state.agenda.cancel(recovery);
    else if (!this.#state.agenda.has(recovery))
      this.#state.agenda.set(recovery, this.#state.timeIn(this.#state.options.recovery), () =>
        this.#state.happen(() => this.#comeUp()),
      );
    this.#lookForBetterLogs();
  }

  #goDown(): void {
    this.#up = false;
    this.#downSince = instant(this.#state.options.clock.now());
    this.#roles = new Map();
  }

  #isBroken(): boolean {
    if (!this.#coordinators.quorumReachable) return true;
    const members = [...this.#roles.keys()].map((id) => this.#state.table.get(id)?.process);
    const logs = this.#generations.at(-1)?.logs ?? [];
    return (
      members.some((process) => process === undefined || !this.#serves(process)) ||
      logs.some((log) => !isHeard(this.#state, log) || this.#state.isExcluded(log.process))
    );
  }

  #serves(process: EngineProcess): boolean {
    return this.#state.responds(process.id) && !this.#state.isExcluded(process);
  }

  #canRecover(): boolean {
    const { configuration, ledger } = this.#state;
    if (configuration === null || !this.#coordinators.quorumReachable || ledger.isLost(logUnit)) return false;
    if (this.#storage.ranges.length === 0 && this.#storage.zonesForData() < copiesOf(configuration)) return false;
    return (
      this.#generations.every((generation) => isReadable(this.#state, generation)) &&
      recruit(this.#state, configuration) !== undefined
    );
  }

  #comeUp(): void {
    const { configuration } = this.#state;
    const recruits = configuration === null ? undefined : recruit(this.#state, configuration);
    if (configuration === null || recruits === undefined || !this.#canRecover()) return;
    this.#storage.fill();
    this.#count += 1;
    const logs = recruits.logs.map((process) => ({ id: this.#state.hex(16), process, destroyed: false }));
    for (const { process } of logs) this.#state.ledger.note(logUnit, process, `got a log of generation ${this.#count}`);
    for (const { number } of this.#generations) this.#emptyLater(number);
    const copies = copiesOf(configuration);
    this.#generations = [...this.#generations, { number: this.#count, copies, logs, emptied: false }];
    this.#roles = recruits.roles;
    this.#up = true;
    this.#downSince = null;
    this.#recoveredAt = this.#state.options.clock.monotonic();
  }

  #emptyLater(number: number): void {
    const time = this.#state.timeIn(this.#state.options.generationDrain);
    this.#state.agenda.set(`empty generation ${number}`, time, () =>
      this.#state.happen(() => {
        for (const generation of this.#generations) if (generation.number === number) generation.emptied = true;
      }),
    );
  }

  /** An old generation goes once everything in it could be read. */
  #dropEmptied(): void {
    this.#generations = this.#generations.filter(
      (generation, index) =>
        index === this.#generations.length - 1 || !generation.emptied || !isReadable(this.#state, generation),
    );
  }

  /** More logs could be had, or fitter ones: the database looks again after a while, and recovers to take them. */
  #lookForBetterLogs(): void {
    const { agenda, configuration, options } = this.#state;
    const present = this.current?.logs.map(({ process }) => process);
    const possible =
      configuration === null || present === undefined ? undefined : recruitLogs(this.#state, configuration);
    const better = possible !== undefined && present !== undefined && areBetterLogs(possible, present);
    if (!better) agenda.cancel('better logs');
    else if (!agenda.has('better logs'))
      agenda.set('better logs', options.betterLogs, () => this.#state.happen(() => this.recover()));
  }
}
