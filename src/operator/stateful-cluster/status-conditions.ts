import type { Condition } from '../../api/v1alpha1/condition.schema.ts';
import type { ProcessGroupStatus } from '../../api/v1alpha1/process-group.schema.ts';
import type { Decision, StatusRecord } from '../../model/decision.ts';
import { count, list } from '../../model/phrases.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { LockState } from '../lock/lock-state.ts';
import { sayLock } from '../lock/say-lock.ts';
import { blockedOf } from '../status/blocked.ts';
import type { Judgement } from '../status/conditions.ts';
import { isUp, readyOf } from './standing.ts';

/** What the conditions of a status are judged by. */
export interface ConditionsInput {
  readonly after: Snapshot;
  readonly decision: Decision;
  readonly bootstrapped: boolean;
  readonly rows: readonly ProcessGroupStatus[];
  /** What waits and is about no process group. */
  readonly clusterWaits: readonly Reason[];
  readonly before: readonly Condition[];
  readonly lock: LockState;
}

/** Everything that is said of the cluster as a whole, in the order of the catalogue. */
export function judgementsOf(input: ConditionsInput): readonly Judgement[] {
  const { decision } = input;
  return [
    readyOf(input.after),
    progressingOf(input),
    blockedOf({
      rows: input.rows.map(({ processGroupID: id, waitingFor }) => ({ id, waitingFor })),
      clusterWaits: input.clusterWaits,
      before: input.before,
      otherwise: 'no process group waits for anything',
    }),
    conflictsOf(decision),
    unknownIdsOf(decision),
    lockedOf(input.lock),
  ];
}

/** Whether the API server refuses evictions by itself, also while Drover is down. */
function lockedOf(lock: LockState): Judgement<'Locked'> {
  const type = 'Locked';
  const { reason, message } = sayLock(lock);
  return { type, status: lock.is === 'locked' ? 'True' : 'False', reason, message };
}

/** Records that change the cluster, and not only what is known of it. */
const changes: { readonly [kind in StatusRecord['record']]?: true } = {
  'group-added': true,
  marked: true,
  unmarked: true,
  evacuating: true,
  'evacuation-ended': true,
  drained: true,
  removing: true,
  gone: true,
  granted: true,
  'maintenance-on': true,
  'maintenance-off': true,
};

function progressingOf({
  after,
  decision,
  bootstrapped,
  rows,
  clusterWaits,
}: ConditionsInput): Judgement<'Progressing'> {
  const type = 'Progressing';
  if (!bootstrapped) {
    const message = 'the cluster comes up for the first time';
    return { type, status: 'True', reason: 'Bootstrapping', message };
  }
  if (isChanging(after, decision)) {
    const message = 'process groups are being added, replaced, removed or updated';
    return { type, status: 'True', reason: 'Changing', message };
  }
  const waiting = rows.filter((row) => row.waitingFor.length > 0).length;
  if (waiting > 0 || clusterWaits.length > 0) {
    return { type, status: 'False', reason: 'Waiting', message: 'what is left to do waits: see the condition Blocked' };
  }
  return { type, status: 'False', reason: 'AsSpecified', message: 'there is nothing to do' };
}

/** Drover does something, or what it told others to do goes on: the engine moves data, Kubernetes brings up a pod. */
function isChanging({ processGroups }: Snapshot, { actions, records, holds }: Decision): boolean {
  return (
    actions.length > 0 ||
    records.some(({ record }) => changes[record] === true) ||
    holds.some(({ reason }) => reason.code === reasons.draining.code) ||
    processGroups.some(isComingUp)
  );
}

/** One that the engine has never known yet. */
const isComingUp = (group: ProcessGroup): boolean =>
  group.removal === null && group.addresses.length === 0 && !isUp(group);

function conflictsOf({ holds }: Decision): Judgement<'ConflictingRequests'> {
  const type = 'ConflictingRequests';
  const conflicts = holds.map(({ reason }) => reason).filter(({ code }) => code === reasons.conflictingRequests.code);
  const [first] = conflicts;
  if (first === undefined) {
    const message = 'no process group is asked both to stay and to go';
    return { type, status: 'False', reason: 'NoConflict', message };
  }
  const message = conflicts.map((conflict) => conflict.message).join('; ');
  return { type, status: 'True', reason: kindOfConflict(String(first.evidence['other'])), message };
}

/** What the cancel list is at odds with, by the words that the core has for it. */
function kindOfConflict(other: string): Judgement<'ConflictingRequests'>['reason'] {
  if (other.startsWith('processGroupsToRemove')) return 'RemoveAndCancel';
  return other.startsWith('no more than') ? 'ShrinkAndCancel' : 'ChangeAndCancel';
}

/** Which ids the spec lists that do not exist. */
export function unknownIdsOf({ holds }: Decision): Judgement<'UnknownProcessGroups'> {
  const type = 'UnknownProcessGroups';
  const unknown = holds.map(({ reason }) => reason).filter(({ code }) => code === reasons.unknownProcessGroup.code);
  if (unknown.length === 0) {
    return { type, status: 'False', reason: 'AllFound', message: 'every id that the spec lists exists' };
  }
  const lists = [...Map.groupBy(unknown, ({ evidence }) => String(evidence['list']))].map(([where, found]) => {
    const ids = found.map(({ evidence }) => String(evidence['id']));
    return `${where} lists ${list(ids, 20)}`;
  });
  const message = `ignored, because ${count(unknown.length, 'id does', 'ids do')} not exist: ${lists.join('; ')}`;
  return { type, status: 'True', reason: 'IdsNotFound', message };
}
