import type { Fleet, FleetCluster, Pool, RoomRequest } from '../../model/fleet.ts';
import { name } from '../../model/ids.ts';
import type { Share } from '../../model/snapshot.ts';
import { at } from '../../model/testing/given.ts';
import { allocate } from '../allocate.ts';

/** A quota of ten cores, two of which are free. */
export const pool = (given: Partial<Pool> = {}): Pool => ({
  name: 'quota',
  capacity: { cpu: 10 },
  free: { cpu: 2 },
  message: 'exceeded quota',
  ...given,
});
/** Room for one core, asked for at the beginning. */
export const request = (group: string, given: Partial<RoomRequest> = {}): RoomRequest => ({
  since: at(0),
  needs: { cpu: 1 },
  holds: 'none',
  ...given,
  group: name(group),
});
export const cluster = (
  key: string,
  requests: readonly RoomRequest[],
  pools: readonly string[] = ['quota'],
): FleetCluster => ({
  cluster: name(key),
  pools,
  requests,
});
/** What each cluster gets, by its key. */
export const shares = (fleet: Fleet): Readonly<Record<string, Share>> =>
  Object.fromEntries([...allocate(fleet)].map(([key, { reserved, quota }]) => [key, { reserved, quota }]));
