import type { ProcessId, QuorumId, UnitId } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import type { Instant } from '../../../model/time.ts';
import { instant } from '../../../model/time.ts';
import type { Quorum } from '../../../model/topology.ts';
import type { BrokenQuorum, DiskId, EngineProcess } from '../model-engine.ts';
import type { StoreState } from './store-state.ts';

const quorum = name<QuorumId>('log');
const unit = name<UnitId>('log');

interface Holding {
  readonly process: ProcessId;
  /** Has every entry that was agreed on. */
  level: boolean;
}

/**
 * A log that its members agree on by majority. Entries are added all the time while a majority is level, so a member that is away falls
 * behind at once. A member that comes back with an empty disk has a seat and knows nothing: it is level again only after it has copied
 * from the leader. Members without any level one among them elect nobody, so a wiped majority stands still and loses nothing that
 * a returning disk could still bring back.
 */
export class QuorumLog {
  readonly #state: StoreState;
  readonly #members: ProcessId[] = [];
  readonly #holdings = new Map<DiskId, Holding>();
  #formed = false;
  #leader: ProcessId | null = null;
  #brokenSince: Instant | null = null;

  constructor(state: StoreState) {
    this.#state = state;
  }

  /** A process of the quorum's role started: it takes its seat again, or a free one. */
  join({ id, disk }: EngineProcess): void {
    if (!this.#members.includes(id)) {
      if (this.#members.length >= this.#state.options.quorumSize) return;
      this.#members.push(id);
      this.#members.sort();
    }
    if (!this.#holdings.has(disk)) this.#holdings.set(disk, { process: id, level: !this.#formed });
    if (this.#members.length === this.#state.options.quorumSize) this.#formed = true;
  }

  /** The member is gone for good: a process without a seat takes its own, or, where there is none, the others go on as a smaller quorum. */
  forget(id: ProcessId): void {
    const heir = this.has(id) ? this.#withoutSeat() : undefined;
    this.#leave(id);
    if (heir !== undefined) this.join(heir);
  }

  #leave(id: ProcessId): void {
    const index = this.#members.indexOf(id);
    if (index >= 0) this.#members.splice(index, 1);
    for (const [disk, { process }] of this.#holdings) if (process === id) this.#holdings.delete(disk);
  }

  /** Gives a member's seat to a process without one, once enough others are level for the log to go on without it. */
  passOn(id: ProcessId): void {
    if (!this.has(id) || this.#leader === null) return;
    if (this.#level().filter((other) => other !== id).length < this.#needed) return;
    const successor = this.#withoutSeat();
    if (successor === undefined || (this.#leader === id && !this.handOff())) return;
    this.#leave(id);
    this.join(successor);
  }

  /** A process that could have a seat, has none, and stays. */
  #withoutSeat(): EngineProcess | undefined {
    const { leaving, options, table } = this.#state;
    return table
      .responding()
      .find(({ process }) => process.role === options.quorumRole && !this.has(process.id) && !leaving.has(process.id))
      ?.process;
  }

  destroy(disk: DiskId): void {
    const holding = this.#holdings.get(disk);
    if (holding === undefined) return;
    this.#state.ledger.note(unit, { id: holding.process, disk }, 'its disk was lost');
    this.#holdings.delete(disk);
  }

  note(id: ProcessId, what: string): void {
    const server = this.#state.table.get(id);
    if (server !== undefined && this.#holdings.has(server.process.disk))
      this.#state.ledger.note(unit, server.process, what);
  }

  has(id: ProcessId): boolean {
    return this.#members.includes(id);
  }

  get leader(): ProcessId | null {
    return this.#leader;
  }

  /** Another level member leads; false where there is none. */
  handOff(): boolean {
    const next = this.#state.pick(this.#level().filter((id) => id !== this.#leader));
    if (next !== undefined) this.#leader = next;
    return next !== undefined;
  }

  /** Brings the log to where it should be, after anything happened. */
  keep(): void {
    if (!this.#formed || this.#state.ledger.isLost(unit)) return;
    if (![...this.#holdings.values()].some(({ level }) => level)) {
      this.#state.ledger.lose(unit);
      this.#leader = null;
      return;
    }
    this.#keepLeader();
    this.#write();
    this.#catchUp();
    const broken = this.#answering().length < this.#needed || this.#level().length === 0;
    this.#brokenSince = broken ? (this.#brokenSince ?? instant(this.#state.options.clock.now())) : null;
  }

  broken(): readonly BrokenQuorum[] {
    if (this.#state.ledger.isLost(unit)) return [];
    if (this.#brokenSince === null) return [];
    return [{ quorum, needed: this.#needed, answering: this.#answering().length, since: this.#brokenSince }];
  }

  view(): readonly Quorum[] {
    if (this.#members.length === 0) return [];
    const level = new Set(this.#level());
    return [
      {
        id: quorum,
        name: 'the quorum log',
        members: this.#members.map((process) => ({
          process,
          responds: this.#state.table.responds(process),
          inSync: level.has(process),
        })),
        leader: this.#leader,
        needed: this.#needed,
        membersMove: false,
      },
    ];
  }

  get #needed(): number {
    return Math.floor(this.#members.length / 2) + 1;
  }

  #answering(): readonly ProcessId[] {
    return this.#members.filter((id) => this.#state.table.responds(id));
  }

  #level(): readonly ProcessId[] {
    return this.#answering().filter((id) => this.#holdingOf(id)?.level === true);
  }

  #holdingOf(id: ProcessId): Holding | undefined {
    const server = this.#state.table.get(id);
    return server === undefined ? undefined : this.#holdings.get(server.process.disk);
  }

  #keepLeader(): void {
    const { agenda } = this.#state;
    const majority = this.#answering().length >= this.#needed;
    const level = this.#level();
    if (this.#leader !== null && (!majority || !level.includes(this.#leader))) this.#leader = null;
    if (this.#leader !== null || !majority || level.length === 0) agenda.cancel('elect log');
    else if (!agenda.has('elect log'))
      agenda.set('elect log', this.#state.electionTime(), () =>
        this.#state.happen(() => {
          this.#leader = this.#state.pick(this.#level()) ?? null;
        }),
      );
  }

  #write(): void {
    const level = this.#level();
    if (this.#leader === null || level.length < this.#needed) return;
    for (const [disk, holding] of this.#holdings) {
      const attached = this.#state.table.get(holding.process)?.process.disk === disk;
      if (!holding.level || (attached && level.includes(holding.process))) continue;
      holding.level = false;
      this.#state.ledger.note(unit, { id: holding.process, disk }, 'fell behind: entries were added without it');
    }
  }

  #catchUp(): void {
    for (const id of this.#members) {
      const key = `level ${id}`;
      const holding = this.#holdingOf(id);
      const possible = this.#leader !== null && this.#state.table.responds(id) && holding?.level === false;
      if (!possible) this.#state.agenda.cancel(key);
      else if (!this.#state.agenda.has(key))
        this.#state.agenda.set(key, this.#state.options.logCatchUp, () =>
          this.#state.happen(() => this.#becomeLevel(id)),
        );
    }
  }

  #becomeLevel(id: ProcessId): void {
    const holding = this.#holdingOf(id);
    const server = this.#state.table.get(id);
    if (holding === undefined || server === undefined || this.#leader === null) return;
    holding.level = true;
    this.#state.ledger.note(unit, server.process, 'caught up');
  }
}
