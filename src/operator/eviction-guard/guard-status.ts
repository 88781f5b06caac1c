import { isDeepStrictEqual } from 'node:util';
import type { EvictionGuardStatus, GuardedProcess } from '../../api/v1alpha1/eviction-guard.schema.ts';
import type { Decision } from '../../model/decision.ts';
import { isTrue } from '../../model/known.ts';
import type { Job, Snapshot } from '../../model/snapshot.ts';
import { isUnreachable } from '../../model/topology.ts';
import type { Said } from '../events/explain.ts';
import { saidInRows } from '../events/explain.ts';
import type { AskRow } from '../lock/ask-row.ts';
import type { LockState } from '../lock/lock-state.ts';
import type { WaitingRow } from '../status/blocked.ts';
import { blockedOf } from '../status/blocked.ts';
import { withJudgements } from '../status/conditions.ts';
import { asksOf, grantsOf, jobsOf } from '../status/lock-rows.ts';
import { timestampOf } from '../status/moments.ts';
import type { Room } from '../status/waiting-for.ts';
import { fullRoom } from '../status/waiting-for.ts';
import { clusterWaitsIn, waitsIn } from '../status/waits.ts';
import type { Guard } from './guard.ts';
import { healthyOf, lockedOf } from './guard-conditions.ts';
import { guardRows } from './guard-rows.ts';

/** What the status of a guard is made from. */
export interface GuardStatusInput {
  /** As it was read, with the status that it has. */
  readonly guard: Pick<Guard, 'status' | 'generation'>;
  /** The snapshot that was decided about, as it is once the decision is recorded. */
  readonly after: Snapshot;
  readonly decision: Decision;
  /** What the engine was told and cannot show again. */
  readonly jobs: readonly Job[];
  readonly asks: readonly AskRow[];
  readonly lock: LockState;
}

/**
 * The whole status to write: the record of everything that the decision wants recorded, and what each pod waits for. While nothing happens it is
 * the one that is there already: a fresh reading of the engine is written along with something else, and is never worth a write by itself.
 */
export function guardStatusOf(input: GuardStatusInput): EvictionGuardStatus {
  const { status: before } = input.guard;
  const status = fitting(input);
  const unread = { ...status, observedAt: before.observedAt };
  return before.observedAt !== null && sameGuardStatus(unread, before) ? before : status;
}

/** Whether two statuses say exactly the same. */
export const sameGuardStatus = (a: EvictionGuardStatus, b: EvictionGuardStatus): boolean => isDeepStrictEqual(a, b);

/** An object of the API server holds 1 MiB with good conscience; fewer rows than this always fit. */
const mostBytes = 900 * 1024;
const fewRows = 300;
const tighter: readonly Room[] = [
  { reasons: 1, characters: 256 },
  { reasons: 1, characters: 64 },
];

function fitting(input: GuardStatusInput): EvictionGuardStatus {
  let status = inRoom(input, fullRoom);
  if (status.processes.length <= fewRows) return status;
  for (const room of tighter) {
    if (Buffer.byteLength(JSON.stringify(status)) <= mostBytes) break;
    status = inRoom(input, room);
  }
  return status;
}

function inRoom({ guard, after, decision, jobs, asks, lock }: GuardStatusInput, room: Room): EvictionGuardStatus {
  const { status: before, generation } = guard;
  const { topology } = after;
  const processes = guardRows({ after, decision, before: before.processes, room });
  const pods = after.processGroups.filter(({ pod }) => pod !== null).length;
  const judgements = [
    lockedOf(lock, pods),
    healthyOf(after),
    blockedOf({
      rows: waitingRows(processes, decision),
      clusterWaits: clusterWaitsIn(decision),
      before: before.conditions,
      otherwise: 'nobody waits for a pod to go',
    }),
  ];
  return {
    observedGeneration: generation,
    observedAt: isUnreachable(topology) ? before.observedAt : timestampOf(topology.observedAt),
    counts: countsOf(after, decision, before.counts),
    processes,
    grants: grantsOf(after, decision, before.grants),
    asks: asksOf(after, asks),
    jobs: jobsOf(after, jobs),
    conditions: withJudgements(before.conditions, judgements, { generation, now: timestampOf(after.now) }),
  };
}

/** What people were told before, by what the status says: for an operator that has just begun. */
export const saidInGuard = ({ processes }: EvictionGuardStatus): Said =>
  saidInRows(processes.flatMap(({ pod, waitingFor }) => (pod === null ? [] : [{ id: pod, waitingFor }])));

/** Rows whose pods someone wants gone and that may not go: whatever else may not go waits for nothing. */
function waitingRows(processes: readonly GuardedProcess[], decision: Decision): readonly WaitingRow[] {
  const waits = waitsIn(decision);
  const groups = new Set<string>(waits.keys());
  return processes.flatMap(({ pod, waitingFor }) => (pod !== null && groups.has(pod) ? [{ id: pod, waitingFor }] : []));
}

function countsOf(
  { topology, processGroups, grants }: Snapshot,
  decision: Decision,
  before: EvictionGuardStatus['counts'],
): EvictionGuardStatus['counts'] {
  const waits = waitsIn(decision);
  const granted = new Set(
    grants.filter(({ closedAt, goneAt }) => closedAt === null && goneAt === null).map(({ pod }) => pod),
  );
  const there = processGroups.filter(({ pod }) => pod !== null);
  const leaving = there.filter(
    ({ id, pod, evacuationAt }) => waits.has(id) || evacuationAt !== null || (pod !== null && granted.has(pod.uid)),
  );
  const processes = isUnreachable(topology) ? undefined : topology.processes;
  return {
    pods: there.length,
    processes: processes?.length ?? before.processes,
    responding: processes?.filter(({ responds }) => isTrue(responds)).length ?? 0,
    leaving: leaving.length,
    waiting: there.filter(({ id }) => waits.has(id)).length,
  };
}
