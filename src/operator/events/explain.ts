import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import type { Action, Decision, Hold, StatusRecord } from '../../model/decision.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import type { WaitingRow } from '../status/blocked.ts';
import { neverCodes } from '../status/waits.ts';

/** Something that people are told, once: what an event is made of, and the labels of a metric. */
export interface Told {
  readonly type: 'Normal' | 'Warning';
  /** A code of the catalogue. */
  readonly reason: string;
  /** Its sentence. */
  readonly note: string;
  /** What was done, or tried, from a small set. */
  readonly action: string;
  /** The step of the plan that waits, or what was recorded or done. With the reason it labels the metric. */
  readonly step: string;
  /** null: it is about the whole cluster. */
  readonly about: ProcessGroupId | null;
}

/** What was told already, and is not told again while it goes on. */
export type Said = ReadonlySet<string>;

/**
 * What a decision gives to tell. What is recorded happens once and is told every time; what waits, and what is done again until its result is
 * seen, is told when it begins or when its reason becomes another one.
 */
export function eventsFor(decision: Decision, said: Said): readonly Told[] {
  return [
    ...decision.records.flatMap(fromRecord),
    ...begun(decision.actions, actionKey, said).flatMap(fromAction),
    ...begun(decision.holds, holdKey, said).map((hold) => fromHold(hold, decision)),
  ];
}

/** What is told already once the events of this decision are. */
export const saidBy = ({ actions, holds }: Decision): Said =>
  new Set([...actions.map(actionKey), ...holds.map(holdKey)]);

/** What was told before by what a status says: for an operator that has just begun, and does not want to repeat the last one. */
export const saidIn = ({ processGroups }: StatefulClusterStatus): Said =>
  saidInRows(processGroups.map(({ processGroupID: id, waitingFor }) => ({ id, waitingFor })));

/** The same by rows of whatever kind. */
export const saidInRows = (rows: readonly WaitingRow[]): Said =>
  new Set(rows.flatMap(({ id, waitingFor }) => waitingFor.map(({ code }) => waitKey(id, code))));

const waitKey = (about: string, code: string): string => `wait ${about} ${code}`;

const oneAtMost: ReadonlySet<string> = new Set([
  reasons.coordinatorsNotChosen.code,
  reasons.setUpUnanswered.code,
  reasons.setUpRefused.code,
]);

/** A wait of the whole cluster of which there is one at most: its sentence tells how far it is, which alone is no news. */
export const isOneAtMost = ({ code }: Reason): boolean => oneAtMost.has(code);

/** What is about the whole cluster can be about several ids at once, which only the sentence tells apart. */
export const holdKey = ({ group, reason }: Hold): string => {
  const { code, message } = reason;
  return waitKey(group ?? '', group === null && !isOneAtMost(reason) ? `${code} ${message}` : code);
};

const actionKey = (action: Action): string =>
  [action.act, 'what' in action ? action.what : '', aboutOf(action) ?? '', action.reason.code].join(' ');

const aboutOf = (of: Action | StatusRecord): ProcessGroupId | null => ('group' in of ? of.group : null);

/** Those that were not told yet, each once. */
function begun<T>(all: readonly T[], keyOf: (one: T) => string, said: Said): readonly T[] {
  const seen = new Set(said);
  return all.filter((one) => {
    const key = keyOf(one);
    return !seen.has(key) && seen.add(key);
  });
}

/** What records are called where people read them. A record without a name is told by what it brings about. */
const recordNames: { readonly [kind in StatusRecord['record']]?: string } = {
  'group-added': 'Add',
  marked: 'Mark',
  unmarked: 'Unmark',
  evacuating: 'Exclude',
  'evacuation-ended': 'Include',
  drained: 'ConfirmDrained',
  'not-drained': 'DoubtDrained',
  removing: 'Remove',
  granted: 'LetGo',
  'maintenance-on': 'BeginMaintenance',
  'maintenance-off': 'EndMaintenance',
};

function fromRecord(record: StatusRecord): readonly Told[] {
  const action = recordNames[record.record];
  if (action === undefined || !('reason' in record)) return [];
  const about = record.record === 'granted' ? record.grant.group : aboutOf(record);
  return [told(record.reason, { action, step: record.record, about })];
}

/** What actions are called that no record tells of. The others were told when they were recorded. */
const actionNames: { readonly [act in Action['act']]?: string } = {
  create: 'Create',
  'delete-pod': 'Recreate',
  'hand-off': 'HandOff',
  reseat: 'Reseat',
  'cancel-evacuation': 'Include',
  forget: 'Forget',
  close: 'Close',
};

function fromAction(action: Action): readonly Told[] {
  const name = actionNames[action.act];
  if (name === undefined) return [];
  return [told(action.reason, { action: name, step: action.act, about: aboutOf(action) })];
}

/** Holds that are a no: nothing comes of them by waiting. */
const refusals: ReadonlySet<string> = new Set([
  reasons.conflictingRequests.code,
  reasons.unknownProcessGroup.code,
  reasons.tooLateToCancel.code,
  reasons.taintIgnored.code,
  reasons.crashLoopOnPurpose.code,
  reasons.monitorConfEmpty.code,
  reasons.removalBlocked.code,
]);

function fromHold({ step, group, reason }: Hold, { verdicts }: Decision): Told {
  const never = neverCodes(verdicts.find((verdict) => verdict.group === group));
  if (never.has(reason.code)) return { ...told(reason, { action: 'Refuse', step, about: group }), type: 'Warning' };
  return told(reason, { action: refusals.has(reason.code) ? 'Refuse' : 'Wait', step, about: group });
}

/** What somebody should look at: it can lose data, it does not end by itself, or the spec is wrong. */
const warnings: ReadonlySet<string> = new Set([
  reasons.setUpRefused.code,
  reasons.requestedWithoutExclusion.code,
  reasons.forced.code,
  reasons.allAtOnce.code,
  reasons.usedAgain.code,
  reasons.noHealthyReplica.code,
  reasons.unplaceable.code,
  reasons.engineUnreachable.code,
  reasons.engineUnavailable.code,
  reasons.noSuchRole.code,
  reasons.jobFailed.code,
  reasons.stuckTerminating.code,
  reasons.conflictingRequests.code,
  reasons.unknownProcessGroup.code,
  reasons.tooLateToCancel.code,
  reasons.taintBrake.code,
  reasons.nodesUnreadable.code,
  reasons.quotasUnreadable.code,
  reasons.nodeUnknown.code,
  reasons.noRoom.code,
  reasons.unschedulable.code,
  reasons.podBroken.code,
  reasons.quotaFull.code,
  reasons.budgetMissing.code,
]);

function told({ code, message }: Reason, what: Pick<Told, 'action' | 'step' | 'about'>): Told {
  return { type: warnings.has(code) ? 'Warning' : 'Normal', reason: code, note: message, ...what };
}
