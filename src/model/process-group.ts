import type { NodeName, ProcessGroupId, RoleName, Uid, Zone } from './ids.ts';
import type { PodShape } from './shape.ts';
import type { Instant } from './time.ts';

/** What is the matter with a process group. */
export const conditionTypes = [
  'MissingProcesses',
  'PodFailing',
  'MissingPod',
  'MissingPVC',
  'MissingService',
  'PodPending',
  'ProcessIsMarkedAsExcluded',
  'NodeTaintReplacing',
  'NodeTaintDetected',
  'IncorrectPodSpec',
  'ResourcesTerminating',
] as const;
export type ConditionType = (typeof conditionTypes)[number];

export interface GroupCondition {
  readonly type: ConditionType;
  readonly since: Instant;
}

/** One process group: its row in the status, and the objects that are there now. */
export interface ProcessGroup {
  readonly id: ProcessGroupId;
  readonly role: RoleName;

  // The row: what was recorded.
  readonly addresses: readonly string[];
  readonly zone: Zone | null;
  readonly conditions: readonly GroupCondition[];
  /** Marked: it will leave. */
  readonly removal: Removal | null;
  /** When it was recorded that the engine is told to move its data. */
  readonly evacuationAt: Instant | null;
  /** When the engine confirmed that it is drained. */
  readonly drainedAt: Instant | null;
  /** When its objects began to be deleted: from here on nothing is undone. */
  readonly removingAt: Instant | null;
  readonly taints: readonly TaintClock[];

  // The objects: what is seen.
  readonly pod: Pod | null;
  /** `none`: this role has no claim. null: it should have one, and has not. */
  readonly claim: Claim | 'none' | null;
  /** `none`: no service is wanted. */
  readonly service: 'present' | 'terminating' | 'none' | null;
}

export interface Removal {
  readonly at: Instant;
  /** A code of the reason catalogue. */
  readonly cause: RemovalCause;
  /** A person said that it leaves without being drained. */
  readonly withoutExclusion: boolean;
}

export type RemovalCause = 'Requested' | 'Failed' | 'Tainted' | 'Misconfigured' | 'Shrink' | 'Evicted';

/** A taint that counts, and since when it has been on the node. */
export interface TaintClock {
  readonly key: string;
  readonly since: Instant;
  /** The node that it was seen on. Absent: not recorded, and taken for the pod's present one. */
  readonly node?: NodeName;
}

export interface Pod {
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: string;
  readonly node: NodeName | null;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  /** All its containers are ready. */
  readonly ready: boolean;
  readonly createdAt: Instant;
  /** When one of its containers last began anew; null: none ever did. */
  readonly restartedAt: Instant | null;
  /** It has a node, and none of its containers runs: they have ended, and wait to begin anew. */
  readonly crashing: boolean;
  /** When its deletion was asked for. */
  readonly deletingSince: Instant | null;
  /** The scheduler's own words, where it finds no place. */
  readonly unschedulable: string | null;
  /** What the kubelet says of a container that does not start, or does not stay. */
  readonly broken: string | null;
  /** The lock's label stands open. */
  readonly open: boolean;
  readonly shape: PodShape;
  /** Made again now it would be another one, also where a replacement is to follow what changed: not all of the spec waits for that. */
  readonly wouldChange: boolean;
}

export interface Claim {
  readonly uid: Uid;
  readonly specHash: string;
  readonly deleting: boolean;
  /** The data goes with the pod to another node. Not readable counts as tied. */
  readonly travels: boolean;
}
