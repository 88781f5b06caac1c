import { isDeepStrictEqual } from 'node:util';
import type { Reservation, StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import type { Decision } from '../../model/decision.ts';
import type { Job, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { isUnreachable } from '../../model/topology.ts';
import type { AskRow } from '../lock/ask-row.ts';
import type { LockState } from '../lock/lock-state.ts';
import { withJudgements } from '../status/conditions.ts';
import { asksOf, grantsOf, jobsOf } from '../status/lock-rows.ts';
import { timestampOf, timestampOrNull } from '../status/moments.ts';
import type { Room } from '../status/waiting-for.ts';
import { fullRoom } from '../status/waiting-for.ts';
import { clusterWaitsIn, waitsIn } from '../status/waits.ts';
import type { Cluster } from './cluster.ts';
import { isUp } from './standing.ts';
import { judgementsOf } from './status-conditions.ts';
import { rowsOf } from './status-rows.ts';

/** What a status is made from. */
export interface StatusInput {
  /** As it was read, with the status that it has. */
  readonly cluster: Cluster;
  /** The snapshot that was decided about, as it is once the decision is recorded: `applyRecords(snapshot, decision.records)`. */
  readonly after: Snapshot;
  readonly decision: Decision;
  /** What the engine was told and cannot show again. */
  readonly jobs: readonly Job[];
  /** Who wants which pod gone, and who was let go lately. */
  readonly asks: readonly AskRow[];
  readonly lock: LockState;
  /** When the engine was seen to be set up; null: not yet. */
  readonly bootstrappedAt: Instant | null;
  /** Room that is kept for process groups until their objects are there. */
  readonly reservations: readonly Reservation[];
}

/**
 * The whole status to write. It is the record of everything that the decision wants recorded, and says what waits and why. Equal inputs give an
 * equal status, and while nothing happens it is the one that is there already: neither time alone nor reading the engine again changes it.
 */
export function statusOf(input: StatusInput): StatefulClusterStatus {
  const { status: before } = input.cluster;
  const status = fitting(input);
  // A fresh reading is written along with something else, and is never worth a write by itself.
  const unread = { ...status, health: { ...status.health, observedAt: before.health.observedAt } };
  return before.health.observedAt !== null && sameStatus(unread, before) ? before : status;
}

/** Whether two statuses say exactly the same. */
export const sameStatus = (a: StatefulClusterStatus, b: StatefulClusterStatus): boolean => isDeepStrictEqual(a, b);

/** An object of the API server holds 1 MiB with good conscience; the spec and the bookkeeping of fields need some of it. */
const mostBytes = 900 * 1024;

/** What is left out of the sentences where there are too many of them, until they fit. */
const rooms: readonly [Room, ...Room[]] = [
  fullRoom,
  { reasons: 1, characters: 256 },
  { reasons: 1, characters: 128 },
  { reasons: 1, characters: 32 },
];

/** Fewer rows than this always fit. */
const fewRows = 300;

function fitting(input: StatusInput): StatefulClusterStatus {
  const [first, ...tighter] = rooms;
  let status = inRoom(input, first);
  if (status.processGroups.length <= fewRows) return status;
  for (const room of tighter) {
    if (Buffer.byteLength(JSON.stringify(status)) <= mostBytes) break;
    status = inRoom(input, room);
  }
  return status;
}

function inRoom(input: StatusInput, room: Room): StatefulClusterStatus {
  const { cluster, after, decision, jobs, asks, lock, bootstrappedAt, reservations } = input;
  const { status: before, generation } = cluster;
  const waits = waitsIn(decision);
  const rows = rowsOf({ after, before: before.processGroups, verdicts: decision.verdicts, waits, room });
  const judgements = judgementsOf({
    after,
    decision,
    bootstrapped: bootstrappedAt !== null,
    rows,
    clusterWaits: clusterWaitsIn(decision),
    lock,
    before: before.conditions,
  });
  return {
    observedGeneration: generation,
    nextProcessGroupNumber: after.nextGroupNumber,
    bootstrapTimestamp: timestampOrNull(bootstrappedAt),
    lastRemovalTimestamp: timestampOrNull(after.lastRemovalAt),
    maintenance: maintenanceOf(after),
    counts: countsOf(after, rows),
    health: healthOf(after, before.health),
    processGroups: rows,
    reservations,
    grants: grantsOf(after, decision, before.grants),
    asks: asksOf(after, asks),
    jobs: jobsOf(after, jobs),
    conditions: withJudgements(before.conditions, judgements, { generation, now: timestampOf(after.now) }),
  };
}

function maintenanceOf({ maintenance }: Snapshot): StatefulClusterStatus['maintenance'] {
  if (maintenance === null) return null;
  const { zone, since, until } = maintenance;
  return { zone, since: timestampOf(since), until: timestampOf(until) };
}

function countsOf(
  { spec, processGroups }: Snapshot,
  rows: StatefulClusterStatus['processGroups'],
): StatefulClusterStatus['counts'] {
  const staying = processGroups.filter(({ removal }) => removal === null);
  return {
    desired: spec.roles.reduce((sum, { count }) => sum + count, 0),
    current: staying.length,
    available: staying.filter(isUp).length,
    leaving: processGroups.length - staying.length,
    waiting: rows.filter(({ waitingFor }) => waitingFor.length > 0).length,
  };
}

/** Unknown is never yes. */
function healthOf({ topology }: Snapshot, before: StatefulClusterStatus['health']): StatefulClusterStatus['health'] {
  if (isUnreachable(topology)) return { available: false, fullReplication: false, observedAt: before.observedAt };
  const { available, fullyReplicated } = topology.health;
  return {
    available: available === true,
    fullReplication: fullyReplicated === true,
    observedAt: timestampOf(topology.observedAt),
  };
}
