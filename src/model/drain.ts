import type { Precondition, Some } from './decision.ts';
import type { ClusterKey, NodeName, ProcessGroupId, Uid } from './ids.ts';
import type { Reason } from './reason.ts';
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

export interface DrainNode {
  readonly name: NodeName;
  readonly exists: boolean;
  readonly cordoned: boolean;
  /** Its turn had come, as the status of the drain says: it keeps its turn. */
  readonly begun: boolean;
  readonly pods: readonly DrainPod[];
}

export interface DrainPod {
  /** `namespace/name` */
  readonly name: string;
  readonly uid: Uid;
  readonly resourceVersion: string;
  readonly madeBy: 'DaemonSet' | 'Controller' | 'Nobody';
  /** The kubelet's own: it cannot be evicted through the API server. */
  readonly mirror: boolean;
  readonly emptyDir: boolean;
  /** Succeeded or Failed. */
  readonly finished: boolean;
  readonly deletingSince: Instant | null;
  /** The process group that it is, where a StatefulCluster or EvictionGuard covers it. */
  readonly guarded: { readonly cluster: ClusterKey; readonly group: ProcessGroupId } | null;
}

/** What is to be done for a drain now, and what it waits for. */
export interface DrainPlan {
  /** `never`: something on it can only go when a person decides. */
  readonly outlook: 'done' | 'going' | 'never';
  /** In the order of the drain. */
  readonly nodes: readonly NodePlan[];
  /** Nodes to cordon now. */
  readonly cordon: readonly NodeName[];
  /** Pods to evict now. Of each cluster at most one. */
  readonly evict: readonly (DrainPod & { readonly node: NodeName; readonly precondition: Precondition })[];
  /** Guarded pods that their clusters are asked to let go. */
  readonly ask: readonly {
    readonly cluster: ClusterKey;
    readonly group: ProcessGroupId;
    readonly pod: Uid;
    readonly node: NodeName;
  }[];
  /** null: not known */
  readonly estimatedEnd: Instant | null;
}

export interface NodePlan {
  readonly name: NodeName;
  readonly phase: 'Pending' | 'Draining' | 'Drained' | 'Gone';
  /** Why its turn has not come. */
  readonly reason: Reason | null;
  readonly podsLeft: number;
  readonly waiting: readonly WaitingPod[];
}

export interface WaitingPod {
  readonly pod: string;
  readonly kind: 'wait' | 'never';
  readonly reasons: Some<Reason>;
  readonly progressPercent: number | null;
  readonly estimatedEnd: Instant | null;
}
