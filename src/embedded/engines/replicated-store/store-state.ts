import type { Millis } from '../../../kube/clock.ts';
import { millis } from '../../../kube/clock.ts';
import { randomInteger } from '../../../kube/random.ts';
import type { ProcessId } from '../../../model/ids.ts';
import { Agenda } from '../agenda.ts';
import { CopyLedger } from '../copy-ledger.ts';
import { DataMovement } from '../data-movement.ts';
import type { DiskId } from '../model-engine.ts';
import type { Place } from '../placement.ts';
import { ProcessTable } from '../process-table.ts';
import type { Copy, Shard } from './shard.ts';
import type { StoreOptions } from './store-options.ts';

/** What the parts of the store share: who runs, what moves, what is to leave, the shards and their past. */
export class StoreState {
  readonly options: StoreOptions;
  readonly table: ProcessTable;
  readonly agenda: Agenda;
  readonly movement: DataMovement;
  readonly ledger: CopyLedger;
  readonly shards: Shard[] = [];
  /** Processes that are being cleaned out. */
  readonly leaving = new Set<ProcessId>();
  #happenings = 0;
  /** Something happened at its time: do it, then bring everything to where it should be. */
  readonly happen: (what: () => void) => void;

  constructor(options: StoreOptions, keep: () => void) {
    this.options = options;
    this.table = new ProcessTable(options.clock);
    this.agenda = new Agenda(options.clock);
    this.movement = new DataMovement(options.clock, this.agenda, options.bytesPerSecond);
    this.ledger = new CopyLedger(options.clock);
    this.happen = (what) => {
      this.#happenings += 1;
      what();
      keep();
    };
  }

  /** Another number once anything happened: until then only what moves and the clock change. */
  get happenings(): number {
    return this.#happenings;
  }

  /** Its process answers, with this very disk. */
  isAttached({ process, disk, destroyed }: Pick<Copy, 'process' | 'disk' | 'destroyed'>): boolean {
    return !destroyed && this.table.responds(process) && this.table.get(process)?.process.disk === disk;
  }

  /** Its process is silent, and not for long. */
  isAwaited({ process }: Copy): boolean {
    const server = this.table.get(process);
    if (server === undefined || this.table.responds(process)) return false;
    return this.options.clock.monotonic() - server.since < this.options.rebuildDelay;
  }

  /** The processes that may get a copy. */
  places(): readonly (Place & { readonly disk: DiskId })[] {
    return this.table
      .responding()
      .filter(({ process }) => process.role === this.options.dataRole && !this.leaving.has(process.id))
      .map(({ process }) => ({
        process: process.id,
        disk: process.disk,
        zone: process.zone,
        load: this.shards.reduce(
          (sum, { copies, bytes }) => sum + (copies.some((c) => c.process === process.id) ? bytes : 0),
          0,
        ),
      }));
  }

  electionTime(): Millis {
    const { least, most } = this.options.election;
    return millis(randomInteger(this.options.random, least, most + 1));
  }

  /** One of them, by chance. */
  pick<T>(candidates: readonly T[]): T | undefined {
    return candidates.length === 0 ? undefined : candidates[randomInteger(this.options.random, 0, candidates.length)];
  }

  note(shard: Shard, { process, disk }: Copy, what: string): void {
    this.ledger.note(shard.id, { id: process, disk }, what);
  }
}
