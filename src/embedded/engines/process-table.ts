import type { Clock, MonotonicMillis } from '../../kube/clock.ts';
import type { ProcessId } from '../../model/ids.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import type { DiskId, EngineProcess } from './model-engine.ts';
import { WorldError } from './model-engine.ts';

/** A process that the engine has met: as it ran last, and whether it can be heard now. */
export interface Server {
  readonly process: EngineProcess;
  readonly running: boolean;
  readonly isolated: boolean;
  readonly startedAt: Instant;
  /** Since when it can be heard, or cannot. */
  readonly since: MonotonicMillis;
}

/** Who runs where: the bookkeeping that all models share. Processes come out sorted by id, so that runs repeat. */
export class ProcessTable {
  readonly #clock: Clock;
  readonly #servers = new Map<ProcessId, Server>();
  #sorted: readonly Server[] | undefined;
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(process: EngineProcess): void {
    if (this.#servers.get(process.id)?.running === true) throw new WorldError(`${process.id} runs already`);
    const user = this.userOf(process.disk);
    if (user !== undefined) throw new WorldError(`${process.disk} is in use by ${user.process.id}`);
    this.#put({
      process,
      running: true,
      isolated: this.#servers.get(process.id)?.isolated ?? false,
      startedAt: instant(this.#clock.now()),
      since: this.#clock.monotonic(),
    });
  }

  /** Whether that changed anything. */
  stop(id: ProcessId): boolean {
    const server = this.#servers.get(id);
    if (server === undefined || !server.running) return false;
    this.#put({ ...server, running: false, since: server.isolated ? server.since : this.#clock.monotonic() });
    return true;
  }

  /** Whether that changed anything. */
  isolate(id: ProcessId, isolated: boolean): boolean {
    const server = this.#servers.get(id);
    if (server === undefined || server.isolated === isolated) return false;
    this.#put({ ...server, isolated, since: server.running ? this.#clock.monotonic() : server.since });
    return true;
  }

  /** Another number after every change, so that readers can remember what they have worked out. */
  get version(): number {
    return this.#version;
  }

  forget(id: ProcessId): void {
    this.#servers.delete(id);
    this.#sorted = undefined;
    this.#version += 1;
  }

  get(id: ProcessId): Server | undefined {
    return this.#servers.get(id);
  }

  responds(id: ProcessId): boolean {
    const server = this.#servers.get(id);
    return server !== undefined && heard(server);
  }

  /** Who can be heard and has this disk. */
  respondsOn(disk: DiskId): Server | undefined {
    return this.all().find((server) => server.process.disk === disk && heard(server));
  }

  /** Who runs on this disk, heard or not. */
  userOf(disk: DiskId): Server | undefined {
    return this.all().find((server) => server.process.disk === disk && server.running);
  }

  all(): readonly Server[] {
    this.#sorted ??= [...this.#servers.values()].sort((a, b) => (a.process.id < b.process.id ? -1 : 1));
    return this.#sorted;
  }

  responding(): readonly Server[] {
    return this.all().filter(heard);
  }

  #put(server: Server): void {
    this.#servers.set(server.process.id, server);
    this.#sorted = undefined;
    this.#version += 1;
  }
}

const heard = ({ running, isolated }: Server): boolean => running && !isolated;
