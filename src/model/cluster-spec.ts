import type { ProcessGroupId, RoleName } from './ids.ts';
import type { PredicateName } from './role-rules.ts';
import type { PodShape } from './shape.ts';
import type { Duration, Seconds } from './time.ts';

export const engineTypes = ['foundationdb', 'arangodb', 'longhorn', 'etcd', 'redis', 'http'] as const;
export type EngineType = (typeof engineTypes)[number];

export const drainPolicies = [
  'block-if-contains-last-replica',
  'allow-if-replica-is-stopped',
  'always-allow',
  'block-for-eviction',
  'block-for-eviction-if-contains-last-replica',
] as const;
export type DrainPolicy = (typeof drainPolicies)[number];

export type Batch = 'All' | 'Zone' | 'ProcessGroup';

/** What people asked for, with every default in its place. */
export interface ClusterSpec {
  readonly engine: EngineType;
  readonly roles: readonly RoleSpec[];
  readonly drainPolicy: DrainPolicy;
  readonly unitPolicies: readonly UnitPolicy[];
  readonly trigger: 'Eviction' | 'Cordon';
  /** Whether Drover owns the pods (StatefulCluster) or only guards them (EvictionGuard): then it never makes or deletes one. */
  readonly ownsPods: boolean;
  readonly processGroupsToRemove: readonly ProcessGroupId[];
  readonly processGroupsToRemoveWithoutExclusion: readonly ProcessGroupId[];
  readonly cancelReplacements: readonly ProcessGroupId[];
  readonly replaceWhenResourcesRise: boolean;
  /** null: off */
  readonly maxZonesWithUnavailablePods: number | null;
  readonly podUpdateStrategy: 'Replace' | 'ReplaceTransactionSystem' | 'Delete';
  readonly deletionMode: Batch;
  readonly removalMode: Batch;
  readonly waitBetweenRemovals: Seconds;
  /** Of misconfigured process groups; null: all at once */
  readonly maxConcurrentReplacements: number | null;
  readonly maintenance: { readonly use: boolean; readonly time: Seconds };
  readonly replacements: AutomaticReplacement;
  readonly buggify: Buggify;
}

export interface RoleSpec {
  readonly name: RoleName;
  readonly count: number;
  readonly dataTravels: 'auto' | 'always' | 'never';
  /** Asked on top of the engine's own rule. */
  readonly evictionRequires: readonly PredicateName[];
  /** What a pod of this role should look like; absent for a guard. */
  readonly shape: PodShape | null;
}

/** A policy for the units that match everything that it names. */
export interface UnitPolicy {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelExpression[] | undefined;
  /** By id, or as people call them. Absent: whatever their names are. */
  readonly names?: readonly string[] | undefined;
  readonly drainPolicy: DrainPolicy;
}

export const labelOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/** A condition on one label, with Kubernetes' meaning: `NotIn` also holds where there is no such label. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: (typeof labelOperators)[number];
  readonly values: readonly string[];
}

export interface AutomaticReplacement {
  readonly enabled: boolean;
  readonly failureDetectionTime: Seconds;
  readonly maxConcurrentReplacements: number;
  /** Empty: taints are not looked at, and no node is read for them. */
  readonly taints: readonly { readonly key: string; readonly duration: Duration }[];
  readonly taintReplacementTime: Seconds;
  /** null: no brake */
  readonly maxTaintedZones: { readonly count: number } | { readonly percent: number } | null;
}

/** Faults that people inject on purpose. `*` stands for every process group. */
export interface Buggify {
  readonly crashLoop: readonly (ProcessGroupId | '*')[];
  readonly emptyMonitorConf: boolean;
  readonly noSchedule: readonly (ProcessGroupId | '*')[];
  readonly blockRemoval: readonly (ProcessGroupId | '*')[];
}
