import type { KeyText } from '../../../kube/object.ts';
import type { Fleet, FleetCluster, Pool, RoomRequest } from '../../../model/fleet.ts';
import type { ProcessGroupId } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import type { Resources } from '../../../model/shape.ts';
import type { Share } from '../../../model/snapshot.ts';
import type { Instant } from '../../../model/time.ts';
import { dueAt, seconds } from '../../../model/time.ts';
import { allocate } from '../../../plan/allocate.ts';

/** What one cluster has and wants of the room that it shares. */
export interface Entry {
  readonly held: readonly RoomRequest[];
  readonly wanted: readonly RoomRequest[];
  readonly inUse: readonly RoomRequest[];
}

interface Kept extends Entry {
  readonly namespace: string;
  readonly at: Instant;
  readonly settling: readonly Settling[];
}

/** Objects that were just made: they may not be in the used room of the quota that was read last. */
interface Settling {
  readonly needs: Resources;
  readonly until: Instant;
}

/** So long after an object was seen every quota that is read counts it. */
const settles = seconds(5);
/** Every cluster is looked at every 30 s; one that is not, however often it fails, does not keep others waiting. */
const believed = seconds(90);

/** Who has room, who waits for it and since when, over all clusters of a namespace. Kept in memory; what has to outlive that is in the statuses. */
export class RoomBook {
  readonly #entries = new Map<KeyText, Kept>();

  /** Notes what a cluster has and wants now. */
  note(key: KeyText, namespace: string, { held, wanted, inUse }: Entry, now: Instant): void {
    const before = this.#entries.get(key);
    const settling = [
      ...(before?.settling ?? []).filter(({ until }) => now < until),
      ...madeSince(before?.held ?? [], held).map((needs) => ({ needs, until: dueAt(now, settles) })),
    ];
    this.#entries.set(key, { held, wanted, inUse, namespace, at: now, settling });
  }

  /** What of it matters to others: while that is the same there is no news for them. */
  of(key: KeyText): object | undefined {
    const { held, wanted, inUse, settling } = this.#entries.get(key) ?? {};
    return held === undefined ? undefined : { held, wanted, inUse, settling };
  }

  /** It has and wants nothing, or is gone. Says whether it had. */
  forget(key: KeyText): boolean {
    return this.#entries.delete(key);
  }

  /** Those that wait for room. */
  waiting(namespace: string): readonly KeyText[] {
    return this.#in(namespace).flatMap(([key, { wanted }]) => (wanted.length > 0 ? [key] : []));
  }

  /** Whether it gets room in this share that it waits for. */
  getsSome(key: KeyText, share: Share | undefined): boolean {
    return (this.#entries.get(key)?.wanted ?? []).some(({ group }) => hasRoom(group, share));
  }

  /** How the room is shared at this moment. `recorded` are the clusters that only their statuses tell of. */
  shares(
    namespace: string,
    pools: readonly Pool[],
    recorded: ReadonlyMap<KeyText, readonly RoomRequest[]>,
    now: Instant,
  ): ReadonlyMap<string, Share> {
    const entries = this.#in(namespace);
    const settling = entries.flatMap(([, kept]) => kept.settling).filter(({ until }) => now < until);
    const names = pools.map((pool) => pool.name);
    const known = entries.map(([key, kept]) => clusterOf(key, names, requestsOf(kept, now)));
    const others = [...recorded]
      .filter(([key]) => !this.#entries.has(key))
      .map(([key, held]) => clusterOf(key, names, held));
    const fleet: Fleet = { pools: pools.map((pool) => without(pool, settling)), clusters: [...known, ...others] };
    return allocate(fleet);
  }

  #in(namespace: string): readonly [KeyText, Kept][] {
    return [...this.#entries].filter(([, kept]) => kept.namespace === namespace);
  }
}

/** Whether a share has room for this one, or for its successor. */
export const hasRoom = (group: ProcessGroupId, share: Share | undefined): boolean =>
  share !== undefined && (share.reserved === 'all' || share.reserved.includes(group));

const clusterOf = (key: KeyText, pools: readonly string[], requests: readonly RoomRequest[]): FleetCluster => ({
  cluster: name(key),
  pools,
  requests,
});

function requestsOf({ held, wanted, inUse, at }: Kept, now: Instant): readonly RoomRequest[] {
  const waits = now < dueAt(at, believed) ? wanted : [];
  // One that lacks something itself has that in the room that it wants for its successor.
  const both = new Set(waits.map(({ group }) => group));
  return [...held.filter(({ group }) => !both.has(group)), ...waits, ...inUse.filter(({ group }) => !both.has(group))];
}

/** What was held and is not any more: it was made, or is not needed any more, which in the worst case is a short wait for others. */
function madeSince(before: readonly RoomRequest[], now: readonly RoomRequest[]): readonly Resources[] {
  const left = new Map(now.map(({ group, needs }) => [group, needs]));
  return before
    .map(({ group, needs }) =>
      Object.fromEntries(
        Object.entries(needs).flatMap(([resource, amount]) => {
          const made = amount - (left.get(group)?.[resource] ?? 0);
          return made > 0 ? [[resource, made]] : [];
        }),
      ),
    )
    .filter((made) => Object.keys(made).length > 0);
}

function without(pool: Pool, settling: readonly Settling[]): Pool {
  const free = Object.entries(pool.free).map(([resource, amount]) => {
    const made = settling.reduce((sum, { needs }) => sum + (needs[resource] ?? 0), 0);
    return [resource, amount - made];
  });
  return { ...pool, free: Object.fromEntries(free) };
}
