import type { Fleet, FleetCluster, Pool, RoomRequest } from '../model/fleet.ts';
import type { ClusterKey, ProcessGroupId } from '../model/ids.ts';
import { list, moment } from '../model/phrases.ts';
import type { Resources } from '../model/shape.ts';
import type { Share } from '../model/snapshot.ts';

interface Waiting {
  readonly cluster: FleetCluster;
  readonly request: RoomRequest;
}

/**
 * Gives each cluster the room for the successors of its process groups. One replacement needs room for one successor and for nothing else,
 * so clusters cannot hold room while they wait for more of it, and cannot deadlock each other. What is in use stays; what was reserved comes
 * before what was not; then the oldest request comes first, and nobody younger overtakes it in a pool in which it waits for room that comes
 * back when others are done. Where nothing that is under way makes enough room for it, it waits alone.
 */
export function allocate(fleet: Fleet): ReadonlyMap<ClusterKey, Share> {
  const room = new Room(fleet);
  const reserved = new Map<ClusterKey, ProcessGroupId[]>();
  const refused = new Map<ClusterKey, Refused[]>();
  for (const waiting of inOrder(fleet.clusters)) {
    const { cluster, request } = waiting;
    const shortage = request.holds === 'in-use' ? room.hold(waiting) : room.take(waiting);
    if (shortage === undefined) push(reserved, cluster.cluster, request.group);
    else push(refused, cluster.cluster, { ...shortage, group: request.group });
  }
  return new Map(
    fleet.clusters.map(({ cluster, pools }) => [
      cluster,
      {
        reserved: pools.length === 0 ? 'all' : (reserved.get(cluster) ?? []).sort(),
        quota: quotaFor(refused.get(cluster) ?? []),
      },
    ]),
  );
}

interface Shortage {
  readonly message: string;
  readonly missing: Resources;
}

interface Refused extends Shortage {
  readonly group: ProcessGroupId;
}

/** In the words about the first. */
function quotaFor(refused: readonly Refused[]): Share['quota'] {
  const [first] = refused;
  if (first === undefined) return null;
  return { message: first.message, missing: first.missing, refused: refused.map(({ group }) => group).sort() };
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

/** A pool while it is given away. */
interface PoolState {
  readonly pool: Pool;
  readonly free: Map<string, number>;
  /** What is free once everything that is under way is done. */
  readonly comesFree: Map<string, number>;
  /** Someone waits for what comes free. */
  closed: boolean;
  /** The first that has, or waits for, room in it. */
  first: Waiting | undefined;
}

/** What is left of each pool while it is given away. */
class Room {
  readonly #pools: ReadonlyMap<string, PoolState>;

  constructor({ pools, clusters }: Fleet) {
    const stateOf = (pool: Pool): PoolState => {
      const free = new Map(Object.entries(pool.free));
      return { pool, free, comesFree: new Map(free), closed: false, first: undefined };
    };
    this.#pools = new Map(pools.map((pool) => [pool.name, stateOf(pool)]));
    for (const { pools: names, requests } of clusters) {
      const inUse = requests.filter(({ holds }) => holds === 'in-use');
      for (const { state } of this.#named(names)) for (const { needs } of inUse) add(needs, state?.comesFree);
    }
  }

  /** It has its room, which is in use: whoever waits is told. */
  hold(waiting: Waiting): undefined {
    for (const { state } of this.#named(waiting.cluster.pools)) if (state !== undefined) state.first ??= waiting;
  }

  /** Takes the room from every one of these pools, or from none of them and says what is missing. */
  take(waiting: Waiting): Shortage | undefined {
    const { needs } = waiting.request;
    const pools = this.#named(waiting.cluster.pools);
    const short = pools.filter(({ state }) => state === undefined || state.closed || !fits(needs, state.free));
    const [refusing] = short;
    if (refusing === undefined) {
      for (const { state } of pools) subtract(needs, state?.free);
      this.hold(waiting);
      return undefined;
    }
    const said = shortageIn(refusing, waiting);
    // Whoever comes later waits too, or the large request would be overtaken for ever. What does not come by waiting closes nothing.
    const comes = pools.every(({ state }) => state !== undefined && fits(needs, state.comesFree));
    for (const { state } of short) {
      if (state === undefined || (!comes && waiting.request.holds === 'none')) continue;
      state.closed ||= comes;
      state.first ??= waiting;
    }
    return said;
  }

  #named(names: readonly string[]): readonly { readonly name: string; readonly state: PoolState | undefined }[] {
    return [...names].sort().map((name) => ({ name, state: this.#pools.get(name) }));
  }
}

function shortageIn(
  { name, state }: { readonly name: string; readonly state: PoolState | undefined },
  waiting: Waiting,
): Shortage {
  const { needs } = waiting.request;
  // Unknown is never yes: a pool that nobody described gives nothing.
  if (state === undefined) return { message: `nothing is known about ${name}`, missing: needs };
  const { pool, first, free } = state;
  const tooMuch = Object.keys(shortOf(needs, new Map(Object.entries(pool.capacity))));
  const why = tooMuch.length > 0 ? `one alone needs more ${list(tooMuch)} than that` : aheadOf(waiting, first);
  return { message: [pool.message, why].filter((part) => part !== '').join('; '), missing: shortOf(needs, free) };
}

/** Nobody is ahead of one that has its turn and finds the room gone. */
function aheadOf({ cluster, request }: Waiting, first: Waiting | undefined): string {
  if (first === undefined || request.holds !== 'none') return '';
  const { group, since } = first.request;
  const whose = first.cluster.cluster === cluster.cluster ? group : `${group} of ${first.cluster.cluster}`;
  return `${whose} is ahead, since ${moment(since)}`;
}

function shortOf(needs: Resources, free: ReadonlyMap<string, number>): Resources {
  const missing = Object.entries(needs)
    .map(([resource, amount]) => [resource, exact(amount - (free.get(resource) ?? amount))] as const)
    .filter(([, short]) => short > 0)
    .sort(([a], [b]) => compare(a, b));
  return Object.fromEntries(missing);
}

const fits = (needs: Resources, free: ReadonlyMap<string, number>): boolean =>
  Object.keys(shortOf(needs, free)).length === 0;

/** Quantities are whole thousandths; the difference of two fractions would miss by a hair. */
const exact = (amount: number): number => Math.round(amount * 1000) / 1000;

function add(needs: Resources, to: Map<string, number> | undefined, sign = 1): void {
  for (const [resource, amount] of Object.entries(needs)) {
    const has = to?.get(resource);
    if (has !== undefined) to?.set(resource, has + sign * amount);
  }
}

const subtract = (needs: Resources, from: Map<string, number> | undefined): void => add(needs, from, -1);

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
