import type { Reservation } from '../../../api/v1alpha1/stateful-cluster-status.schema.ts';
import type { RoomRequest } from '../../../model/fleet.ts';
import { name } from '../../../model/ids.ts';
import type { ProcessGroup } from '../../../model/process-group.ts';
import { reasons } from '../../../model/reasons.ts';
import type { Resources } from '../../../model/shape.ts';
import type { Snapshot } from '../../../model/snapshot.ts';
import type { Instant } from '../../../model/time.ts';
import { instant } from '../../../model/time.ts';
import { isOnItsWayOut } from '../../../plan/in-flight.ts';
import { momentOf, timestampOf } from '../../status/moments.ts';
import type { Cluster } from '../cluster.ts';
import type { Lacking } from './needs.ts';
import { needsOf, nothingYet } from './needs.ts';

/** As many as the schema of a status has room for. */
const mostReservations = 100;
const mostResources = 16;

/** What the process groups of one cluster need of what a namespace rations. */
export class Rations {
  readonly #cluster: Cluster;
  readonly #rationed: ReadonlySet<string>;

  /** `rationed`: the names of the resources that some quota of its namespace limits. */
  constructor(cluster: Cluster, rationed: ReadonlySet<string>) {
    this.#cluster = cluster;
    this.#rationed = rationed;
  }

  /** Room for what process groups lack that stay, or still have to be emptied: rows of the record come before the objects. */
  held({ processGroups, now }: Snapshot): readonly RoomRequest[] {
    const since = new Map(this.#cluster.status.reservations.map((one) => [one.processGroupID, momentOf(one.since)]));
    return processGroups
      .filter((group) => !isOnItsWayOut(group))
      .map((group): RoomRequest => {
        const needs = this.#needs(group, group);
        return { group: group.id, since: since.get(group.id) ?? now, needs, holds: 'reserved' };
      })
      .filter(({ needs }) => Object.keys(needs).length > 0);
  }

  /** Room for the successors of these, which have none yet. One that lacks something itself needs room for that as well. */
  wanted(groups: readonly ProcessGroup[], { now }: Snapshot): readonly RoomRequest[] {
    return groups.map((group) => {
      const needs = sumOf(this.#needs(group, nothingYet), this.#needs(group, group));
      return { group: group.id, since: this.#waitsSince(group, now), needs, holds: 'none' };
    });
  }

  /** Room that comes back when these, whose successors are there, have left. */
  inUse(groups: readonly ProcessGroup[], { now }: Snapshot): readonly RoomRequest[] {
    return groups
      .filter(({ removal, pod, claim }) => removal !== null && (pod !== null || (claim !== null && claim !== 'none')))
      .map((group) => ({
        group: group.id,
        since: group.removal?.at ?? now,
        needs: this.#needs(group, nothingYet),
        holds: 'in-use',
      }));
  }

  /** Since it was marked; or, where it waits to be, since the status says that it does. */
  #waitsSince({ id, removal }: ProcessGroup, now: Instant): Instant {
    const row = this.#cluster.status.processGroups.find(({ processGroupID }) => processGroupID === id);
    const wait = row?.waitingFor.find(({ code }) => code === reasons.noRoom.code);
    return instant(Math.min(removal?.at ?? now, wait === undefined ? now : momentOf(wait.since)));
  }

  #needs({ role: of }: ProcessGroup, lacking: Lacking): Resources {
    const role = this.#cluster.spec.roles.find(({ name }) => name === of);
    if (role === undefined) return {};
    return Object.fromEntries(
      Object.entries(needsOf(this.#cluster, role, lacking)).filter(([resource]) => this.#rationed.has(resource)),
    );
  }
}

/** As a status records it. */
export function reservationsOf(held: readonly RoomRequest[]): Reservation[] {
  return held.slice(0, mostReservations).map(({ group, since, needs }) => {
    const kept = Object.entries(needs).slice(0, mostResources);
    const requests = Object.fromEntries(kept.map(([resource, amount]) => [resource, String(amount)]));
    return { processGroupID: group, since: timestampOf(since), requests };
  });
}

/** As a status has it on record. */
export function heldIn(reservations: readonly Reservation[]): readonly RoomRequest[] {
  return reservations.map(({ processGroupID, since, requests }) => ({
    group: name(processGroupID),
    since: momentOf(since),
    needs: Object.fromEntries(Object.entries(requests).map(([resource, amount]) => [resource, Number(amount)])),
    holds: 'reserved',
  }));
}

function sumOf(one: Resources, other: Resources): Resources {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}
