import type { ClusterKey, ProcessGroupId } from './ids.ts';
import type { Resources } from './shape.ts';
import type { Instant } from './time.ts';

/** The clusters that draw on the same room, and the room. */
export interface Fleet {
  readonly pools: readonly Pool[];
  readonly clusters: readonly FleetCluster[];
}

/** Something that several clusters use up: a quota of a namespace, or the nodes that a set of pods fits on. */
export interface Pool {
  readonly name: string;
  /** All of it. A request for more can never be met. */
  readonly capacity: Resources;
  /** What no pod uses at the moment. A resource that is not named is not rationed. */
  readonly free: Resources;
  /** The quota's or the scheduler's own words about it. */
  readonly message: string;
}

export interface FleetCluster {
  readonly cluster: ClusterKey;
  /** The pools that its pods draw on; none: nothing is rationed. */
  readonly pools: readonly string[];
  /** One for each process group that is being replaced or waits to be, and for each that lacks something it had or was promised. */
  readonly requests: readonly RoomRequest[];
}

/** Room for one process group that is not complete, or for the successor of one. */
export interface RoomRequest {
  readonly group: ProcessGroupId;
  readonly since: Instant;
  readonly needs: Resources;
  /** `none`: it waits. `reserved`: recorded in the status. `in-use`: its successor is there, the pools' free room is without it, and comes back. */
  readonly holds: 'none' | 'reserved' | 'in-use';
}
