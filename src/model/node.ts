import type { NodeName, Zone } from './ids.ts';
import type { Instant } from './time.ts';

/** A node, as far as a decision depends on it. */
export interface Node {
  readonly name: NodeName;
  readonly zone: Zone | null;
  readonly ready: boolean;
  readonly cordoned: boolean;
  /** When the cordon was first seen; null where it is not cordoned. */
  readonly cordonedSince: Instant | null;
  readonly taints: readonly Taint[];
}

export interface Taint {
  readonly key: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  /** Only the node controller sets it: `kubectl taint` does not. */
  readonly timeAdded: Instant | null;
}
