import { copiesOf } from './configuration.ts';
import type { FdbState } from './fdb-state.ts';
import type { Storage } from './storage.ts';
import type { KeyRange, Move, StorageServer } from './storage-server.ts';
import { transferOf } from './storage-server.ts';

/**
 * Moves data off servers that are excluded or given up, each copy only after its successor is complete, and only to a server in a zone that
 * has no copy. Where there is no such server the copy stays, so an exclusion can be without end.
 */
export class DataDistribution {
  readonly #state: FdbState;
  readonly #storage: Storage;

  constructor(state: FdbState, storage: Storage) {
    this.#state = state;
    this.#storage = storage;
  }

  /** Brings every range to where it should be. New movement begins only while the database is up. */
  keep(available: boolean): void {
    const { configuration } = this.#state;
    if (configuration === null) return;
    const troubled = this.#troubledServers();
    for (const range of this.#storage.ranges) {
      if (isCalm(range, troubled, copiesOf(configuration)) || this.#state.ledger.isLost(range.id)) continue;
      this.#forgetFailed(range);
      if (!this.#survives(range)) {
        for (const { key } of range.incoming) this.#state.movement.abort(key);
        range.incoming = [];
        this.#state.ledger.lose(range.id);
        continue;
      }
      this.#abortNeedless(range, copiesOf(configuration));
      if (available) this.#beginMoves(range, copiesOf(configuration));
      this.#dropSurplus(range, copiesOf(configuration));
    }
  }

  /** The fewest copies that any range has, as far as the database has noticed. */
  minReplicasRemaining(): number {
    return Math.min(...this.#storage.ranges.map((range) => this.#standing(range).length));
  }

  /** How many zones may fail with a copy of everything left, as far as the database has noticed. */
  zonesToSpare(): number {
    return Math.min(
      ...this.#storage.ranges.map(
        (range) => new Set(this.#standing(range).map(({ process }) => process.zone)).size - 1,
      ),
    );
  }

  unavailable(): readonly KeyRange[] {
    return this.#storage.ranges.filter(
      (range) => !this.#state.ledger.isLost(range.id) && this.#heard(range).length === 0,
    );
  }

  /** Bytes on the way, and bytes that wait for a place or a source. */
  movingBytes(): { readonly inFlight: number; readonly inQueue: number } {
    let inFlight = 0;
    let inQueue = 0;
    for (const range of this.#storage.ranges) {
      for (const { key } of range.incoming) {
        const progress = this.#state.movement.progressOf(key);
        inFlight += progress === undefined ? 0 : Math.round(progress.bytes - progress.moved);
      }
      inQueue += range.bytes * Math.max(0, this.#unwanted(range).length - range.incoming.length);
    }
    return { inFlight, inQueue };
  }

  /** What a server still has to give away: what it holds, less what has already arrived at the successors. */
  bytesOn(server: StorageServer): number {
    return this.#storage.rangesOn(server).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether forgetting these servers at once would take the last copy of something. */
  wouldLose(servers: readonly StorageServer[]): boolean {
    return this.#storage.ranges.some((range) => this.#heard(range).every((server) => servers.includes(server)));
  }

  /** The servers that something is wrong with. */
  #troubledServers(): ReadonlySet<StorageServer> {
    return new Set(
      this.#storage.servers.filter(
        (server) => server.destroyed || this.#storage.isFailed(server) || this.#state.isExcluded(server.process),
      ),
    );
  }

  #heard(range: KeyRange): readonly StorageServer[] {
    return range.team.filter((server) => this.#storage.isHeard(server));
  }

  #standing(range: KeyRange): readonly StorageServer[] {
    return range.team.filter((server) => !this.#storage.isFailed(server));
  }

  #survives(range: KeyRange): boolean {
    return range.team.some(({ destroyed }) => !destroyed);
  }

  /** Copies that should be elsewhere: on what leaves or was given up, or in a zone that has a copy already. */
  #unwanted(range: KeyRange): readonly StorageServer[] {
    const zones = new Set<string>();
    return range.team.filter((server) => {
      if (this.#storage.isFailed(server) || this.#state.isExcluded(server.process)) return true;
      if (zones.has(server.process.zone)) return true;
      zones.add(server.process.zone);
      return false;
    });
  }

  /** `exclude failed`: the database acts as if the data on them did not exist. */
  #forgetFailed(range: KeyRange): void {
    for (const server of range.team) {
      if (!this.#state.exclusions.coversAsFailed(server.process)) continue;
      range.team = range.team.filter((other) => other !== server);
      this.#storage.note(range, server, 'was given up by `exclude failed`');
    }
  }

  #abortNeedless(range: KeyRange, copies: number): void {
    if (range.incoming.length === 0) return;
    const unwanted = this.#unwanted(range);
    for (const move of range.incoming) {
      const source = this.#state.movement.get(move.key)?.from;
      const possible =
        this.#storage.isHeard(move.to) &&
        !this.#state.isExcluded(move.to.process) &&
        this.#heard(range).some(({ process }) => process.id === source);
      const needed = move.instead === null ? range.team.length < copies : unwanted.includes(move.instead);
      if (possible && needed) continue;
      this.#state.movement.abort(move.key);
      range.incoming = range.incoming.filter((other) => other !== move);
    }
  }

  #beginMoves(range: KeyRange, copies: number): void {
    const [source] = this.#heard(range);
    if (source === undefined) return;
    const unwanted = this.#unwanted(range);
    const staying = range.team.filter((server) => !unwanted.includes(server));
    const replaced = range.incoming.map(({ instead }) => instead);
    const wishes: (StorageServer | null)[] = unwanted.filter((server) => !replaced.includes(server));
    // A team that lost members for good has nobody to replace: the wish is for one more.
    const more = replaced.filter((instead) => instead === null).length;
    for (let count = range.team.length + more; count < copies; count++) wishes.push(null);
    for (const instead of wishes) {
      const to = this.#storage.placeFor(range, staying);
      if (to === undefined) return;
      const move: Move = { to, instead, key: transferOf(range, to) };
      range.incoming = [...range.incoming, move];
      this.#state.movement.begin(
        { key: move.key, from: source.process.id, to: to.process.id, bytes: range.bytes },
        () => this.#state.happen(() => this.#arrive(range, move)),
      );
    }
  }

  /** After a change to a lesser mode. */
  #dropSurplus(range: KeyRange, copies: number): void {
    if (range.team.length <= copies || this.#unwanted(range).length > 0 || range.incoming.length > 0) return;
    const surplus = range.team.slice(copies);
    range.team = range.team.slice(0, copies);
    for (const server of surplus) this.#storage.note(range, server, 'was one too many');
  }

  #arrive(range: KeyRange, move: Move): void {
    const { to, instead } = move;
    range.incoming = range.incoming.filter((other) => other !== move);
    range.team = [...range.team.filter((server) => server !== instead), to];
    this.#storage.note(range, to, 'was made');
    if (instead !== null) this.#storage.note(range, instead, `moved away to ${to.process.id}`);
  }
}

/** Nearly every range, nearly always: all its copies are there and where they should be, so there is nothing to do. */
function isCalm({ team, incoming }: KeyRange, troubled: ReadonlySet<StorageServer>, copies: number): boolean {
  if (incoming.length > 0 || team.length !== copies) return false;
  return team.every(
    (server, index) =>
      !troubled.has(server) && team.findIndex(({ process }) => process.zone === server.process.zone) === index,
  );
}
