import type { ClusterSpec } from './cluster-spec.ts';
import type { ClusterKey, NodeName, ProcessGroupId, RoleName, Uid, Zone } from './ids.ts';
import type { Node } from './node.ts';
import type { ProcessGroup } from './process-group.ts';
import type { Resources } from './shape.ts';
import type { Instant, Seconds } from './time.ts';
import type { Topology, Unreachable } from './topology.ts';

/** All that a decision may depend on. Saved, it is the bug report, the test and the audit record. */
export interface Snapshot {
  readonly cluster: ClusterKey;
  readonly now: Instant;
  readonly spec: ClusterSpec;
  readonly processGroups: readonly ProcessGroup[];
  /** null: nodes are not read, because nothing asks for it or it is not permitted. */
  readonly nodes: readonly Node[] | null;
  readonly topology: Topology | Unreachable;
  readonly grants: readonly Grant[];
  readonly asks: readonly Ask[];
  readonly jobs: readonly Job[];
  /** The number of the next process group id: a counter, so that nothing depends on chance. */
  readonly nextGroupNumber: number;
  readonly lastRemovalAt: Instant | null;
  /** Maintenance mode as it was recorded before the engine was told; null: off. */
  readonly maintenance: { readonly zone: Zone; readonly since: Instant; readonly until: Instant } | null;
  /** What `allocate` gave this cluster. */
  readonly share: Share;
  /** The locks that are not there, because they could not be made. Absent: none. */
  readonly missingBudgets?: readonly MissingBudget[];
}

/** A role whose pods nothing locks. */
export interface MissingBudget {
  readonly role: RoleName;
  /** The name of the disruption budget. */
  readonly budget: string;
  /** Why it could not be made, in the server's words. */
  readonly message: string;
}

/** One pod may go now. Recorded before it acts, and counted as gone until the engine shows the result. */
export interface Grant {
  readonly group: ProcessGroupId;
  readonly pod: Uid;
  readonly node: NodeName | null;
  readonly grantedAt: Instant;
  /** A real write to the pod closed the label again. */
  readonly closedAt: Instant | null;
  readonly goneAt: Instant | null;
  /** A rule held it, and a person or the spec let it go all the same. */
  readonly exemption: string | null;
}

/** Someone wants a pod gone. */
export interface Ask {
  readonly group: ProcessGroupId;
  readonly pod: Uid;
  readonly node: NodeName | null;
  readonly source: 'Eviction' | 'NodeDrain' | 'Taint' | 'Cordon';
  readonly by: string;
  readonly since: Instant;
  readonly lastSeen: Instant;
  /** A person named this very pod to be forced, and why. */
  readonly force: string | null;
  /** `Node`: not this pod was evicted, but another one of its cordoned node: it is made ready to go, or replaced, and not let go on that account. */
  readonly wants: 'Pod' | 'Node';
}

/** One thing that the engine was told to do, or, as `Create` and `Evict`, the API server. */
export interface Job {
  readonly verb: 'HandOff' | 'Evacuate' | 'CancelEvacuation' | 'Forget' | 'Create' | 'Evict';
  readonly group: ProcessGroupId;
  /**
   * `Recorded`: written down, perhaps told. Of a cancelled evacuation, `Running`: written down, perhaps told; `Done`: told; `Recorded`: it is on record
   * since that it is emptied, and perhaps told.
   */
  readonly state: 'Recorded' | 'Running' | 'Done' | 'Failed';
  readonly since: Instant;
  readonly attempts: number;
  readonly retryAt: Instant | null;
  readonly message: string;
  readonly percent: number | null;
  readonly secondsLeft: Seconds | null;
}

/** What this cluster may use of what it shares with others. */
export interface Share {
  /** Process groups that have room themselves, or whose successors have. `all`: nothing is rationed. */
  readonly reserved: readonly ProcessGroupId[] | 'all';
  /** The quota's own words, where it is full; null where it is not. */
  readonly quota: {
    readonly message: string;
    readonly missing: Resources;
    /** Those that it keeps waiting. Absent: whoever lacks a pod. */
    readonly refused?: readonly ProcessGroupId[];
  } | null;
  /** Why it is not known what is shared, so that nothing is rationed; absent where it is known. */
  readonly unread?: string;
}
