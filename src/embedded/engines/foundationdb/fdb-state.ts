import type { Millis } from '../../../kube/clock.ts';
import { millis } from '../../../kube/clock.ts';
import { randomInteger } from '../../../kube/random.ts';
import type { ProcessId } from '../../../model/ids.ts';
import { Agenda } from '../agenda.ts';
import { CopyLedger } from '../copy-ledger.ts';
import { DataMovement } from '../data-movement.ts';
import type { EngineProcess } from '../model-engine.ts';
import { ProcessTable } from '../process-table.ts';
import type { Configuration } from './configuration.ts';
import { Exclusions } from './exclusions.ts';
import type { FdbOptions } from './fdb-options.ts';

/** What can be wrong with one process besides being silent. */
export interface Ailments {
  /** Its disk answers with errors; the process reports them. */
  readonly ioError?: boolean;
  /** It speaks another version, so the database does not hear it. */
  readonly incompatible?: boolean;
}

/** What the parts of the database share. */
export class FdbState {
  readonly options: FdbOptions;
  readonly table: ProcessTable;
  readonly agenda: Agenda;
  readonly movement: DataMovement;
  readonly ledger: CopyLedger;
  readonly exclusions = new Exclusions();
  readonly #ailments = new Map<ProcessId, Ailments>();
  #workers: { readonly version: number; readonly processes: readonly EngineProcess[] } | undefined;
  /** null until `configure new`. */
  configuration: Configuration | null = null;
  /** Something happened at its time: do it, then bring everything to where it should be. */
  readonly happen: (what: () => void) => void;

  constructor(options: FdbOptions, keep: () => void) {
    this.options = options;
    this.table = new ProcessTable(options.clock);
    this.agenda = new Agenda(options.clock);
    this.movement = new DataMovement(options.clock, this.agenda, options.bytesPerSecond);
    this.ledger = new CopyLedger(options.clock);
    this.happen = (what) => {
      what();
      keep();
    };
  }

  ail(id: ProcessId, ailments: Ailments): void {
    this.#ailments.set(id, ailments);
    this.#workers = undefined;
  }

  ailmentsOf(id: ProcessId): Ailments {
    return this.#ailments.get(id) ?? {};
  }

  responds(id: ProcessId): boolean {
    return this.table.responds(id) && this.#ailments.get(id)?.incompatible !== true;
  }

  /** All that answer, sorted by id. */
  workers(): readonly EngineProcess[] {
    const { version } = this.table;
    if (this.#workers?.version === version) return this.#workers.processes;
    const processes = this.table.all().flatMap(({ process }) => (this.responds(process.id) ? [process] : []));
    this.#workers = { version, processes };
    return processes;
  }

  workerAt(address: string): EngineProcess | undefined {
    return this.workers().find((process) => process.address === address);
  }

  isExcluded(process: EngineProcess): boolean {
    return this.exclusions.covers(process);
  }

  timeIn({ least, most }: { readonly least: Millis; readonly most: Millis }): Millis {
    return millis(randomInteger(this.options.random, least, most + 1));
  }

  /** An opaque name, as the database makes them. */
  hex(length: number): string {
    return Array.from({ length }, () => randomInteger(this.options.random, 0, 16).toString(16)).join('');
  }
}
