import type { ProcessGroupId, ProcessId, UnitId, Zone } from '../model/ids.ts';
import type { Job } from '../model/snapshot.ts';
import type { Seconds } from '../model/time.ts';
import type { Topology } from '../model/topology.ts';

/**
 * A database, as Drover reads it and tells it things. It holds no policy: what may be done is decided elsewhere.
 *
 * Every verb is idempotent and only *asks*: that it resolved means that the engine took the request, never that the work is done. What came of
 * it is read back by `observe`. A verb that an engine does not have is absent. Verbs reject with `EngineRefused` when the engine says no, and
 * with `EngineUnreachable` when nobody knows whether it heard.
 */
export interface Engine {
  /** How a client finds the database, by the engine's own last word, where that can change. null: not heard yet. */
  readonly connectionString?: string | null;
  /** A new database's first steps. Harmless on one that exists. */
  bootstrap?(signal: AbortSignal): Promise<void>;
  /** What the engine says now. What it left out is `unknown`, never guessed. Rejects with `EngineUnreachable` where it says nothing sound. */
  observe(signal: AbortSignal): Promise<Observation>;
  /** Leadership moves away from these, their data stays. */
  handOff?(target: Target, signal: AbortSignal): Promise<void>;
  /** Data and duties move away from these. */
  evacuate?(target: Target, signal: AbortSignal): Promise<void>;
  cancelEvacuation?(target: Target, signal: AbortSignal): Promise<void>;
  /** The engine drops them from its membership, and from its list of those that must hold no data. */
  forget?(target: Target, signal: AbortSignal): Promise<void>;
  /** Processes of this zone are about to restart: do not move their data meanwhile. null: off. */
  maintenance?(window: MaintenanceWindow | null, signal: AbortSignal): Promise<void>;
}

/** One process group as the engine knows it. */
export interface Target {
  readonly group: ProcessGroupId;
  readonly processes: readonly ProcessId[];
  /** For a process that the engine does not list any more: every address that it was known by. */
  readonly addresses: readonly string[];
  /** Only the copies of these units; absent: all that the processes hold. */
  readonly units?: readonly UnitId[];
}

export interface MaintenanceWindow {
  readonly zone: Zone;
  readonly time: Seconds;
}

export interface Observation {
  readonly topology: Topology;
  /** What the engine was told to do and what came of it, as far as it can tell. */
  readonly jobs: readonly Job[];
}

/** The engine could not be asked, did not answer in time, or answered nothing sound. Whether it heard the request is unknown. */
export class EngineUnreachable extends Error {
  override readonly name = 'EngineUnreachable';
  readonly code = 'EngineUnreachable';
}

/** The engine got the request and says no. */
export class EngineRefused extends Error {
  override readonly name = 'EngineRefused';
  readonly code = 'EngineRefused';
}
