import type { UnitId } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import type { DiskId, EngineProcess } from '../model-engine.ts';
import { choosePlace } from '../placement.ts';
import { copiesOf } from './configuration.ts';
import type { FdbState } from './fdb-state.ts';
import type { Maintenance } from './maintenance.ts';
import type { KeyRange, StorageServer } from './storage-server.ts';

/** Classes that hold data. */
const storageClasses: ReadonlySet<string> = new Set(['storage', 'general']);

/** The storage servers and the ranges of keys on them: who has what, and where it is going. */
export class Storage {
  readonly #state: FdbState;
  readonly #maintenance: Maintenance;
  #servers: readonly StorageServer[] = [];
  #ranges: readonly KeyRange[] = [];

  constructor(state: FdbState, maintenance: Maintenance) {
    this.#state = state;
    this.#maintenance = maintenance;
  }

  get ranges(): readonly KeyRange[] {
    return this.#ranges;
  }

  get servers(): readonly StorageServer[] {
    return this.#servers;
  }

  /** The storage server that this process runs. */
  serverOf({ disk }: EngineProcess): StorageServer | undefined {
    return this.servers.find((server) => server.process.disk === disk && !server.destroyed);
  }

  rangesOn(server: StorageServer): readonly KeyRange[] {
    return this.#ranges.filter(({ team }) => team.includes(server));
  }

  isHeard(server: StorageServer): boolean {
    return server.silentSince === null;
  }

  /** The database has given it up: silent for long enough, and not expected to be. */
  isFailed({ silentSince, process }: StorageServer): boolean {
    if (silentSince === null || process.zone === this.#maintenance.zone) return false;
    return this.#state.options.clock.monotonic() - silentSince >= this.#state.options.failureDetection;
  }

  /** How far it is behind the writes, in seconds. */
  lagOf({ missed }: StorageServer): number {
    if (missed === null) return 0;
    const { clock, catchUpFactor } = this.#state.options;
    return Math.max(0, missed.seconds - (catchUpFactor * (clock.monotonic() - missed.at)) / 1000);
  }

  /** In how many zones a first copy could lie now. */
  zonesForData(): number {
    const eligible = this.#state.workers().filter((process) => canStore(process) && !this.#state.isExcluded(process));
    return new Set(eligible.map(({ zone }) => zone)).size;
  }

  /** A new database: all its data, spread over the servers that are there. */
  fill(): void {
    const { options, configuration } = this.#state;
    if (configuration === null || this.#ranges.length > 0) return;
    this.#recruit();
    for (let index = 0; index < options.shards; index++) {
      const range: KeyRange = {
        id: name<UnitId>(`range-${String(index + 1).padStart(3, '0')}`),
        bytes: Math.floor(options.bytes / options.shards),
        team: [],
        incoming: [],
      };
      this.#ranges = [...this.#ranges, range];
      for (let copy = 0; copy < copiesOf(configuration); copy++) {
        const place = this.placeFor(range, range.team);
        if (place === undefined) break;
        range.team = [...range.team, place];
        this.note(range, place, 'was created');
      }
    }
  }

  /** A server in a zone of its own, apart from `others` and from what is coming. */
  placeFor(range: KeyRange, others: readonly StorageServer[]): StorageServer | undefined {
    const taken = [...others, ...range.incoming.map(({ to }) => to)];
    const zones = new Set(taken.map(({ process }) => process.zone));
    const places = this.servers
      .filter((server) => this.#mayTake(server) && !range.team.includes(server) && !zones.has(server.process.zone))
      .map((server) => ({
        server,
        process: server.process.id,
        zone: server.process.zone,
        load: this.#loadOf(server),
      }));
    return choosePlace(places, new Set(), this.#state.options.random)?.server;
  }

  /** Who answers, who is new, who is empty and may go. A failure outside of the zone under maintenance ends that. */
  survey(): void {
    if (this.#state.configuration === null) return;
    const now = this.#state.options.clock.monotonic();
    for (const server of this.#servers) {
      const user = server.destroyed ? undefined : this.#state.table.respondsOn(server.process.disk)?.process;
      const heard = user !== undefined && this.#state.responds(user.id);
      if (heard) {
        server.process = user;
        if (server.silentSince !== null)
          server.missed = { seconds: this.lagOf(server) + (now - server.silentSince) / 1000, at: now };
        server.silentSince = null;
        this.#state.agenda.cancel(`detect ${server.id}`);
      } else if (server.silentSince === null) {
        server.silentSince = now;
        this.#state.agenda.set(`detect ${server.id}`, this.#state.options.failureDetection, () =>
          this.#state.happen(() => {}),
        );
      }
    }
    if (this.#ranges.length > 0) this.#recruit();
    this.#endMaintenanceOnFailure();
    this.#dismiss();
  }

  destroy(disk: DiskId): void {
    for (const server of this.#servers) {
      if (server.process.disk !== disk || server.destroyed) continue;
      server.destroyed = true;
      for (const range of this.rangesOn(server)) this.note(range, server, 'its disk was lost');
    }
  }

  noteAll(process: EngineProcess, what: string): void {
    const server = this.serverOf(process);
    if (server !== undefined) for (const range of this.rangesOn(server)) this.note(range, server, what);
  }

  note({ id }: KeyRange, { process }: StorageServer, what: string): void {
    this.#state.ledger.note(id, process, what);
  }

  #mayTake(server: StorageServer): boolean {
    return this.isHeard(server) && !this.#state.isExcluded(server.process);
  }

  #loadOf(server: StorageServer): number {
    let load = 0;
    for (const { team, incoming, bytes } of this.#ranges)
      if (team.includes(server) || incoming.some(({ to }) => to === server)) load += bytes;
    return load;
  }

  #recruit(): void {
    for (const process of this.#state.workers()) {
      if (!canStore(process) || this.#state.isExcluded(process) || this.serverOf(process) !== undefined) continue;
      const id = this.#state.hex(16);
      this.#servers = [...this.#servers, { id, process, destroyed: false, silentSince: null, missed: null }];
    }
  }

  #endMaintenanceOnFailure(): void {
    const { zone } = this.#maintenance;
    if (zone !== null && this.servers.some((server) => server.process.zone !== zone && this.isFailed(server)))
      this.#maintenance.end();
  }

  /** An empty server that is to leave, or that was given up, stops being one after a moment. */
  #dismiss(): void {
    for (const server of this.#servers) {
      const key = `dismiss ${server.id}`;
      const unwanted = this.isFailed(server) || this.#state.isExcluded(server.process);
      if (!unwanted || this.#loadOf(server) > 0) this.#state.agenda.cancel(key);
      else if (!this.#state.agenda.has(key))
        this.#state.agenda.set(key, this.#state.options.roleRemoval, () =>
          this.#state.happen(() => {
            this.#state.agenda.cancel(`detect ${server.id}`);
            this.#servers = this.#servers.filter((other) => other !== server);
          }),
        );
    }
  }
}

const canStore = ({ role }: EngineProcess): boolean => storageClasses.has(role);
