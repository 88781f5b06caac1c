import type { ProcessGroupId, ProcessId, QuorumId, RoleName, UnitId, Zone } from '../../model/ids.ts';
import type { Instant } from '../../model/time.ts';
import type { Topology, Unreachable } from '../../model/topology.ts';

/** What a process keeps its data on. It outlives the pod, until it is lost. */
export type DiskId = string & { readonly names: 'disk' };

/** One server as the world runs it. Started again it may have another address or disk, never another role. */
export interface EngineProcess {
  readonly id: ProcessId;
  readonly group: ProcessGroupId | null;
  readonly role: RoleName;
  readonly zone: Zone;
  /** `10.0.0.9:4501`. */
  readonly address: string;
  readonly disk: DiskId;
}

/** How much of an answer the client gets. `partial`: some facts are missing, chosen by chance. `none`: the line is cut. */
export type Answers = 'whole' | 'partial' | 'none';

/**
 * A database in memory with data that can be lost. The world tells it what happens to its processes and disks; time comes from a `Clock`,
 * chance from a `Random`, and the same seed with the same calls gives the same run. Nothing is polled: a model at rest has no timer.
 *
 * The verbs (evacuate, hand off, ...) are not here, because each engine has its own and is told them through its own seam.
 */
export interface ModelEngine {
  /** The process runs, on that disk with whatever the disk holds. Throws `WorldError` if it runs already or the disk is in use. */
  start(process: EngineProcess): void;
  /** The process is gone, its disk is kept. Harmless if it does not run. `noticed`: the engine knows at once, instead of after a while. */
  stop(id: ProcessId, noticed?: 'noticed'): void;
  /** All that the disk holds is gone for good, and a process that runs on it crashes. A later start on it finds it empty. */
  loseDisk(id: DiskId): void;
  /** The process goes on running, and nobody hears of it until `rejoin`. */
  isolate(id: ProcessId): void;
  rejoin(id: ProcessId): void;
  /** The line between the engine and whoever asks it. */
  answer(how: Answers): void;
  /** What the engine would say now. It knows only what a real one could: a dead disk looks like a silent process. */
  topology(): Topology | Unreachable;
  /** What it would say if it were asked over a good line. */
  whole(): Topology;
  /** What is so, whatever the engine says. */
  truth(): Truth;
}

/** The ground truth at one moment. */
export interface Truth {
  /** Data that is gone for good: no disk that still exists holds it up to date. Only ever grows. In the order of the losses. */
  readonly lost: readonly Loss[];
  /** Units that cannot be read now, and may come back. Lost ones are not among them. */
  readonly unavailable: readonly UnitId[];
  readonly brokenQuorums: readonly BrokenQuorum[];
}

export interface Loss {
  readonly unit: UnitId;
  readonly at: Instant;
  /** One sentence: `shard-3 had its last up-to-date copy on db-2`. */
  readonly because: string;
  /** The last thing that happened to each copy that it had lately, oldest first. */
  readonly copies: readonly CopyFate[];
}

export interface CopyFate {
  readonly process: ProcessId;
  readonly disk: DiskId;
  readonly what: string;
  readonly at: Instant;
}

/** Too few of its members answer for it to agree on anything. */
export interface BrokenQuorum {
  readonly quorum: QuorumId;
  readonly needed: number;
  readonly answering: number;
  readonly since: Instant;
}

/** The world did something that no world can do: a test or the simulator is wrong, not the engine. */
export class WorldError extends Error {
  override readonly name = 'WorldError';
}

/** The engine got the request and says no. */
export class EngineRefusal extends Error {
  override readonly name = 'EngineRefusal';
}

/** The request did not reach the engine. Whether it would have been obeyed is unknown. */
export class EngineSilence extends Error {
  override readonly name = 'EngineSilence';
}
