import type { Fleet, FleetCluster, Pool, RoomRequest } from '../model/fleet.ts';
import type { ClusterKey, ProcessGroupId } from '../model/ids.ts';
import type { Resources } from '../model/shape.ts';
import type { Share } from '../model/snapshot.ts';

interface Waiting {
  readonly cluster: FleetCluster;
  readonly request: RoomRequest;
}

/**
 * Gives each cluster the room for the successors of its process groups. One replacement needs room for one successor and for nothing else,
 * so clusters cannot hold room while they wait for more of it, and cannot deadlock each other. What is in use stays; what was reserved comes
 * before what was not; then the oldest request comes first, and nobody younger overtakes it in a pool in which it waits.
 */
export function allocate(fleet: Fleet): ReadonlyMap<ClusterKey, Share> {
  const room = new Room(fleet.pools);
  const reserved = new Map<ClusterKey, ProcessGroupId[]>();
  const refused = new Map<ClusterKey, Shortage>();
  for (const { cluster, request } of inOrder(fleet.clusters)) {
    const shortage = request.holds === 'in-use' ? undefined : room.take(cluster.pools, request.needs);
    if (shortage === undefined) push(reserved, cluster.cluster, request.group);
    else if (!refused.has(cluster.cluster)) refused.set(cluster.cluster, shortage);
  }
  return new Map(
    fleet.clusters.map((cluster) => [
      cluster.cluster,
      {
        reserved: cluster.pools.length === 0 ? 'all' : (reserved.get(cluster.cluster) ?? []).sort(),
        quota: refused.get(cluster.cluster) ?? null,
      },
    ]),
  );
}

const rank = { 'in-use': 0, reserved: 1, none: 2 } as const;

function inOrder(clusters: readonly FleetCluster[]): readonly Waiting[] {
  return clusters
    .flatMap((cluster) => cluster.requests.map((request) => ({ cluster, request })))
    .sort(
      (a, b) =>
        rank[a.request.holds] - rank[b.request.holds] ||
        a.request.since - b.request.since ||
        compare(a.cluster.cluster, b.cluster.cluster) ||
        compare(a.request.group, b.request.group),
    );
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

interface Shortage {
  readonly message: string;
  readonly missing: Resources;
}

/** What is left of each pool while it is given away. */
class Room {
  readonly #pools = new Map<string, { readonly pool: Pool; readonly free: Map<string, number>; closed: boolean }>();

  constructor(pools: readonly Pool[]) {
    for (const pool of pools) {
      this.#pools.set(pool.name, { pool, free: new Map(Object.entries(pool.free)), closed: false });
    }
  }

  /** Takes the room from every one of these pools, or from none of them and says what is missing. */
  take(names: readonly string[], needs: Resources): Shortage | undefined {
    const pools = [...names].sort().map((name) => ({ name, state: this.#pools.get(name) }));
    const short = pools.filter(({ state }) => state === undefined || state.closed || !fits(needs, state.free));
    const [first] = short;
    if (first !== undefined) {
      // Whoever comes later waits too, or the large request would be overtaken for ever. What can never be met closes nothing.
      if (pools.every(({ state }) => state !== undefined && canEverFit(needs, state.pool))) {
        for (const { state } of short) if (state !== undefined) state.closed = true;
      }
      // Unknown is never yes: a pool that nobody described gives nothing.
      if (first.state === undefined) return { message: `nothing is known about ${first.name}`, missing: needs };
      return { message: first.state.pool.message, missing: shortOf(needs, first.state.free) };
    }
    for (const { state } of pools) if (state !== undefined) subtract(needs, state.free);
    return undefined;
  }
}

function shortOf(needs: Resources, free: ReadonlyMap<string, number>): Resources {
  const missing = Object.entries(needs)
    .map(([resource, amount]) => [resource, amount - (free.get(resource) ?? amount)] as const)
    .filter(([, short]) => short > 0)
    .sort(([a], [b]) => compare(a, b));
  return Object.fromEntries(missing);
}

const fits = (needs: Resources, free: ReadonlyMap<string, number>): boolean =>
  Object.keys(shortOf(needs, free)).length === 0;

const canEverFit = (needs: Resources, { capacity }: Pool): boolean =>
  Object.entries(needs).every(([resource, amount]) => amount <= (capacity[resource] ?? amount));

function subtract(needs: Resources, free: Map<string, number>): void {
  for (const [resource, amount] of Object.entries(needs)) {
    const left = free.get(resource);
    if (left !== undefined) free.set(resource, left - amount);
  }
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
