import type { ClusterKey, ProcessGroupId, ProcessId, QuorumId, RoleName, Uid, UnitId, Zone } from './ids.ts';
import type { ConditionType, RemovalCause, TaintClock } from './process-group.ts';
import type { Reason } from './reason.ts';
import type { Grant } from './snapshot.ts';
import type { Instant, Seconds } from './time.ts';

/** At least one. A wait without a reason cannot be written. */
export type Some<T> = readonly [T, ...T[]];

/** May it? `never` beats `wait` beats `allow`. */
export type Answer = { readonly kind: 'allow' } | { readonly kind: 'wait' | 'never'; readonly reasons: Some<Reason> };

export const allow: Answer = { kind: 'allow' };

/** What holds for one process group at this moment. */
export interface Verdict {
  readonly group: ProcessGroupId;
  readonly eviction: Answer;
  readonly replacement: Answer;
}

/** A change to the status. Recorded before anything is done on its account. */
export type StatusRecord =
  | {
      readonly record: 'condition-set';
      readonly group: ProcessGroupId;
      readonly condition: ConditionType;
      readonly since: Instant;
    }
  | { readonly record: 'condition-cleared'; readonly group: ProcessGroupId; readonly condition: ConditionType }
  | { readonly record: 'taints-seen'; readonly group: ProcessGroupId; readonly taints: readonly TaintClock[] }
  | { readonly record: 'addresses'; readonly group: ProcessGroupId; readonly addresses: readonly string[] }
  | { readonly record: 'zone'; readonly group: ProcessGroupId; readonly zone: Zone }
  | {
      readonly record: 'group-added';
      readonly group: ProcessGroupId;
      readonly role: RoleName;
      readonly number: number;
      readonly reason: Reason;
    }
  | {
      readonly record: 'marked';
      readonly group: ProcessGroupId;
      readonly cause: RemovalCause;
      readonly withoutExclusion: boolean;
      readonly reason: Reason;
    }
  | {
      readonly record: 'unmarked';
      readonly group: ProcessGroupId;
      readonly reason: Reason;
      /** The engine is still to be told that it keeps its data: the row remembers that until the engine shows it. */
      readonly evacuationStands?: true;
    }
  | { readonly record: 'evacuating'; readonly group: ProcessGroupId; readonly reason: Reason }
  /** The engine is about to be told that it keeps its data: whoever comes after a crash must not believe what it was told before. */
  | { readonly record: 'keeping'; readonly group: ProcessGroupId; readonly reason: Reason }
  | { readonly record: 'evacuation-ended'; readonly group: ProcessGroupId; readonly reason: Reason }
  | { readonly record: 'drained'; readonly group: ProcessGroupId; readonly reason: Reason }
  | { readonly record: 'not-drained'; readonly group: ProcessGroupId; readonly reason: Reason }
  | { readonly record: 'removing'; readonly group: ProcessGroupId; readonly reason: Reason }
  | { readonly record: 'gone'; readonly group: ProcessGroupId }
  | { readonly record: 'granted'; readonly grant: Grant; readonly reason: Reason }
  | { readonly record: 'grant-ended'; readonly group: ProcessGroupId; readonly pod: Uid }
  | { readonly record: 'maintenance-on'; readonly zone: Zone; readonly until: Instant; readonly reason: Reason }
  | { readonly record: 'maintenance-off'; readonly reason: Reason };

/** The object is still the one that the decision was made about, or nothing is done. */
export interface Precondition {
  readonly uid: Uid;
  readonly resourceVersion: string;
}

/** One idempotent step on Kubernetes or the engine. Taken again until its result is seen. */
export type Action =
  | {
      readonly act: 'create';
      readonly what: 'pod' | 'claim' | 'service';
      readonly group: ProcessGroupId;
      readonly reason: Reason;
    }
  | { readonly act: 'delete-pod'; readonly group: ProcessGroupId; readonly pod: Precondition; readonly reason: Reason }
  /** Pod, claim and service: the point of no return. */
  | {
      readonly act: 'delete-group';
      readonly group: ProcessGroupId;
      readonly pod: Precondition | null;
      /** Only if its pod is still as it was seen: nothing ever ran in it, and once it has a node something may. */
      readonly unchanged?: true;
      readonly reason: Reason;
    }
  | {
      readonly act: 'hand-off';
      readonly group: ProcessGroupId;
      readonly processes: readonly ProcessId[];
      readonly reason: Reason;
    }
  | {
      readonly act: 'evacuate' | 'cancel-evacuation' | 'forget';
      readonly group: ProcessGroupId;
      readonly processes: readonly ProcessId[];
      /** For a process that the engine does not list any more: every address that it was known by. */
      readonly addresses: readonly string[];
      /** Only the copies of these units; absent: all that the processes hold. */
      readonly units?: readonly UnitId[];
      readonly reason: Reason;
    }
  | { readonly act: 'maintenance-on'; readonly zone: Zone; readonly time: Seconds; readonly reason: Reason }
  | { readonly act: 'maintenance-off'; readonly reason: Reason }
  /** Others take the seats of these members, on which nobody answers, or which are in one zone with others. */
  | {
      readonly act: 'reseat';
      readonly quorum: QuorumId;
      readonly processes: readonly ProcessId[];
      readonly reason: Reason;
    }
  /** Open the lock for this one pod and evict it. */
  | { readonly act: 'let-go'; readonly group: ProcessGroupId; readonly pod: Precondition; readonly reason: Reason }
  | { readonly act: 'close'; readonly group: ProcessGroupId; readonly pod: Precondition; readonly reason: Reason };

/** Something that is not done yet, and why. `group` is null where it is about the whole cluster. */
export interface Hold {
  readonly step: string;
  readonly group: ProcessGroupId | null;
  readonly reason: Reason;
}

/** What one step of the plan says. */
export interface Step {
  readonly records: readonly StatusRecord[];
  readonly actions: readonly Action[];
  readonly holds: readonly Hold[];
  /** The next moment at which this step could say something else by time alone. */
  readonly wakeAt: Instant | undefined;
}

export interface Decision extends Step {
  readonly cluster: ClusterKey;
  readonly at: Instant;
  /** One for each process group, sorted by id. */
  readonly verdicts: readonly Verdict[];
}
