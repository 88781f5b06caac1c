import type { ProcessGroupId, ProcessId, QuorumId, RoleName, UnitId, Zone } from './ids.ts';
import type { Known } from './known.ts';
import type { Instant, Seconds } from './time.ts';

/** What the engine says of its processes, units and quorums at one moment. */
export interface Topology {
  /** When the observation began: what happened later is not in it. */
  readonly observedAt: Instant;
  readonly processes: readonly Process[];
  readonly units: readonly Unit[];
  readonly quorums: readonly Quorum[];
  readonly health: EngineHealth;
  /** What kind each role is of, where the engine itself says so. One that is not named may hold anything. */
  readonly kinds?: Readonly<Record<string, RoleKind>> | undefined;
}

/**
 * What the processes of a role are for, where users name their roles themselves. `data`: may hold anything. `member`: takes part in a quorum.
 * `stateless`: holds nothing.
 */
export const roleKinds = ['data', 'member', 'stateless'] as const;
export type RoleKind = (typeof roleKinds)[number];

/**
 * What keeps a new database from being set up. `coordinators`: too few zones have a pod that could be one. `answer`: the engine does not answer yet.
 * `refused`: it answers, and does not create the database.
 */
export const setUpWaits = ['coordinators', 'answer', 'refused'] as const;
export type SetUpWait = (typeof setUpWaits)[number];

/** The engine could not be read, or not in whole. */
export interface Unreachable {
  readonly unreachable: string;
  readonly since: Instant;
  /** It was never up: it is still to be set up, which waits for this. Absent: it was up before, or somebody else sets it up. */
  readonly setUpWaitsFor?: SetUpWait | undefined;
}

export function isUnreachable(view: Topology | Unreachable): view is Unreachable {
  return 'unreachable' in view;
}

/** One server that the engine knows. */
export interface Process {
  readonly id: ProcessId;
  /** The process group that it runs in; null for one that belongs to nobody we know. */
  readonly group: ProcessGroupId | null;
  readonly role: RoleName;
  readonly zone: Zone | null;
  readonly addresses: readonly string[];
  /** Alive and answering, as far as the engine can tell. */
  readonly responds: Known<boolean>;
  /** The engine was told to move its data and roles away. */
  readonly excluded: Known<boolean>;
  /** The engine confirms that it holds no data and no role. */
  readonly drained: Known<boolean>;
  readonly startedAt: Instant | null;
}

/** A piece of data that exists in copies. */
export interface Unit {
  readonly id: UnitId;
  /** As people call it: `shard s10042`, `volume pvc-7`. */
  readonly name: string;
  /** What `unitPolicies` select by. */
  readonly labels: Readonly<Record<string, string>>;
  /** In use, so that its copies are running. */
  readonly attached: Known<boolean>;
  readonly replicas: readonly Replica[];
  /** How many in-sync copies a write needs; null where the engine has no such figure. */
  readonly writeConcern: number | null;
  /** A copy that is being made, for the messages. */
  readonly copying: {
    readonly percent: number;
    readonly bytes: number | null;
    readonly secondsLeft: Seconds | null;
  } | null;
  /** Why the engine cannot place another copy, in its own words; null where it can or has not tried. */
  readonly unplaceable: string | null;
}

/** One copy of a unit on one process. */
export interface Replica {
  readonly process: ProcessId;
  readonly leader: boolean;
  /** `unused`: never held data. `rebuilding`: not complete yet. */
  readonly state: Known<'healthy' | 'rebuilding' | 'failed' | 'unused'>;
  readonly inSync: Known<boolean>;
  readonly running: Known<boolean>;
  /** The engine was told to move this copy away. It protects until it is gone. */
  readonly movingAway: boolean;
  /** Being deleted, left over from a migration, or otherwise not to be counted on. */
  readonly doomed: boolean;
}

/** Processes that agree by majority, or by whatever number the engine names. */
export interface Quorum {
  readonly id: QuorumId;
  readonly name: string;
  readonly members: readonly QuorumMember[];
  /** null: there is none at the moment. */
  readonly leader: Known<ProcessId | null>;
  /** How many members must agree. */
  readonly needed: number;
  /** Whether a member has to be moved out of it before its process goes (FoundationDB's coordinators), or just misses (Raft). */
  readonly membersMove: boolean;
}

export interface QuorumMember {
  readonly process: ProcessId;
  readonly responds: Known<boolean>;
  /** Level with the leader. A member that is behind answers, but does not hold what was agreed. */
  readonly inSync: Known<boolean>;
}

/** What an engine says of itself as a whole. null: this engine has no such notion. */
export interface EngineHealth {
  readonly available: Known<boolean>;
  /** Every unit has all the copies that it should have. */
  readonly fullyReplicated: Known<boolean>;
  /** What falls short of the fault tolerance that was asked for, copies of data aside, each in words. Empty: nothing does. */
  readonly toleranceLacks: Known<readonly string[]> | null;
  /** How many more zones may fail before data or service is lost. */
  readonly zonesThatMayFail: Known<number> | null;
  /** How many zones the copies of a unit are in: so many the processes of each role that holds data have to span. */
  readonly zonesForCopies: Known<number> | null;
  readonly secondsSinceRecovery: Known<Seconds> | null;
  /** Generations of the transaction log that still hold data. More than one: old ones may hold what is nowhere else. */
  readonly activeGenerations: Known<number> | null;
  readonly maintenance: Known<{ readonly zone: Zone; readonly until: Instant } | 'off'> | null;
  /** Lags are small enough to end maintenance without a rush of data. */
  readonly caughtUp: Known<boolean> | null;
}
