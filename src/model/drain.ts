import type { Precondition, Some } from './decision.ts';
import type { ClusterKey, NodeName, Uid } from './ids.ts';
import type { Instant } from './time.ts';

/** A drain of one or more nodes, with the pods that are on them now. */
export interface Drain {
  readonly name: string;
  readonly now: Instant;
  /** In the order in which they are to be drained. */
  readonly nodes: readonly DrainNode[];
  readonly maxConcurrentNodes: number;
  /** What cannot be done by then is reported up front, and never forced. */
  readonly deadline: Instant | null;
  readonly pods: {
    readonly ignoreDaemonSets: boolean;
    readonly deleteEmptyDirData: boolean;
    readonly force: boolean;
  };
}

/** Drained and Gone are for good: whatever comes to the node afterwards is no business of the drain. */
export type NodePhase = 'Pending' | 'Draining' | 'Drained' | 'Gone';

export interface DrainNode {
  readonly name: NodeName;
  readonly exists: boolean;
  readonly cordoned: boolean;
  /** As the status of the drain has it. A node that was begun keeps its turn. */
  readonly recorded: NodePhase;
  /** Another drain that has the node and came first; null: none. */
  readonly heldBy: string | null;
  /** null: not read yet. */
  readonly pods: readonly DrainPod[] | null;
  /** Volumes that are attached to it and that no pod which stays uses. */
  readonly attached: readonly string[];
  /** Process groups that are being removed from it and whose claims are not gone. Their pods may be gone before that. */
  readonly leaving: readonly string[];
}

export interface DrainPod {
  /** `namespace/name` */
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: string;
  readonly madeBy: 'DaemonSet' | 'Controller' | 'Nobody';
  /** What made it, so that pods of one workload do not all go first; null: nothing did. */
  readonly workload: string | null;
  /** The kubelet's own: it cannot be evicted through the API server. */
  readonly mirror: boolean;
  readonly emptyDir: boolean;
  /** Succeeded or Failed. */
  readonly finished: boolean;
  readonly deletingSince: Instant | null;
  /** When its grace period is over; null: it is not being deleted. */
  readonly goneBy: Instant | null;
  /** The disruption budgets that select it, as `namespace/name`. */
  readonly budgets: readonly string[];
  /** What its StatefulCluster or EvictionGuard says of it; null: nobody guards it. Whoever guards a pod evicts it. */
  readonly guarded: GuardWord | null;
  /** The API server's last no; null: it has not said any, or what it said is out of date. */
  readonly refused: Refusal | null;
}

/** Why something of a drain waits: by Drover's own word, or as a guard has written it down. */
export interface WaitReason {
  readonly code: string;
  readonly message: string;
  /** Since when, where it is known. */
  readonly since: Instant | null;
  /** When time alone lifts it; null where an event must. */
  readonly until: Instant | null;
}

/** What the guard of a pod says of it. */
export interface GuardWord {
  readonly by: ClusterKey;
  /** null: it has not decided about the pod yet. */
  readonly verdict: 'allow' | 'wait' | 'never' | null;
  readonly reasons: readonly WaitReason[];
  readonly progressPercent: number | null;
  readonly estimatedEnd: Instant | null;
  /** The end is that of one copy, and others follow. */
  readonly moreFollows?: boolean;
}

/** The API server would not evict a pod. */
export interface Refusal {
  readonly reason: WaitReason;
  readonly retryAt: Instant;
}

/** A pod to evict, if it is still this one. */
export type PodToEvict = Pick<DrainPod, 'name' | 'budgets'> & {
  readonly node: NodeName;
  readonly precondition: Pick<Precondition, 'uid'>;
};

/** What is to be done for a drain now, and what it waits for. */
export interface DrainPlan {
  /** `never`: something on it can only go when a person decides. */
  readonly outlook: 'done' | 'going' | 'never';
  /** In the order of the drain. */
  readonly nodes: readonly NodePlan[];
  /** Nodes to cordon now. */
  readonly cordon: readonly NodeName[];
  /** Pods to evict now, the first ones first: of each workload one, then of each a second, and so on. */
  readonly evict: readonly PodToEvict[];
  /** null: not known */
  readonly estimate: Estimate | null;
  /** When the plan could change by time alone; null: never. */
  readonly wakeAt: Instant | null;
}

/** When it should be done, and why one thinks so. */
export interface Estimate {
  readonly end: Instant;
  readonly basis: string;
}

export interface NodePlan {
  readonly name: NodeName;
  readonly phase: NodePhase;
  /** Why its turn has not come, or what keeps it once its pods are gone. */
  readonly reasons: readonly WaitReason[];
  readonly podsLeft: number;
  readonly waiting: readonly WaitingPod[];
  /** Pods that are left where they are, and why. */
  readonly ignored: readonly { readonly pod: string; readonly reason: WaitReason }[];
}

export interface WaitingPod {
  readonly pod: string;
  readonly kind: 'wait' | 'never';
  readonly reasons: Some<WaitReason>;
  readonly progressPercent: number | null;
  readonly estimatedEnd: Instant | null;
  /** The end is the earliest one. */
  readonly moreFollows?: boolean;
}
