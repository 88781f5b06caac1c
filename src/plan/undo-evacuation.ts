import { isFalse, isTrue } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Instant } from '../model/time.ts';
import { newestJob } from '../rules/newest-job.ts';
import type { Survey } from '../rules/survey.ts';
import { reasonToWaitForRetry } from './engine-job.ts';
import type { StepBuilder } from './step.ts';

/**
 * Tells the engine that a process group keeps its data, again and again until the engine shows it; only then the row forgets that it was
 * being emptied. A process that the engine does not list any more is included again by every address that it was known by.
 */
export function undoEvacuation(survey: Survey, group: ProcessGroup, reason: Reason, step: StepBuilder): void {
  const { unreachable } = survey.engine;
  if (unreachable !== undefined) {
    const subject = `${group.id} is not included again yet`;
    const why = reasons.engineUnreachable({ subject, why: unreachable.unreachable, since: unreachable.since });
    if (group.evacuationAt !== null) step.hold(group.id, why);
  } else if (isBeingEmptied(survey, group)) tellToKeep(survey, group, reason, step);
  else if (group.evacuationAt !== null) step.record({ record: 'evacuation-ended', group: group.id, reason });
}

/** Unmarks a process group: it stays. What the engine was told is undone in this decision and, until that is seen, in the next ones. */
export function unmark(survey: Survey, group: ProcessGroup, reason: Reason, step: StepBuilder): void {
  const stands = survey.engine.unreachable !== undefined || isBeingEmptied(survey, group);
  const remembers = stands && group.evacuationAt !== null;
  step.record({ record: 'unmarked', group: group.id, reason, ...(remembers && { evacuationStands: true }) });
  if (stands) undoEvacuation(survey, group, reason, step);
}

/** Tells the engine to leave the data where it is; not at once again after it refused. */
export function tellToKeep(survey: Survey, group: ProcessGroup, reason: Reason, step: StepBuilder): void {
  const refused = reasonToWaitForRetry(survey.snapshot, newestJob(survey.snapshot, group.id, 'CancelEvacuation'));
  if (refused !== undefined) {
    step.hold(group.id, refused);
    return;
  }
  // What is not on record as being emptied, a person emptied by hand: nothing of ours could be believed instead.
  if (group.evacuationAt !== null && !isToBeKept(survey, group))
    step.record({ record: 'keeping', group: group.id, reason });
  const processes = survey.engine.processesOf.get(group.id) ?? [];
  step.act({
    act: 'cancel-evacuation',
    group: group.id,
    processes: processes.map(({ id }) => id).sort(),
    // All of them: one that is listed now may be gone, and its address excluded, by the time that the engine hears of it.
    addresses: group.addresses,
    reason,
  });
}

/**
 * Whether it may still be excluded by an address that it does not have any more. The engine lists processes and not what it excludes, so only
 * its having been told shows that it is not.
 */
export const mayBeExcludedByAddress = (survey: Survey, group: ProcessGroup): boolean =>
  group.evacuationAt !== null && formerAddresses(survey, group).length > 0 && !wasToldToKeep(survey, group);

/** The engine took it after it was on record that it is emptied: whatever went out on that record, this came later. */
const wasToldToKeep = (survey: Survey, group: ProcessGroup): boolean =>
  group.evacuationAt !== null && keptSince(survey, group) !== undefined;

/** It is on record, after whatever told it to be emptied, that it keeps its data: the engine was told so, or may have been. */
export const isToBeKept = ({ snapshot }: Survey, { id, evacuationAt }: ProcessGroup): boolean =>
  evacuationAt !== null &&
  newestJob(snapshot, id, 'CancelEvacuation', ({ state }) => state === 'Running' || state === 'Done') !== undefined;

const keptSince = ({ snapshot }: Survey, { id }: ProcessGroup): Instant | undefined =>
  newestJob(snapshot, id, 'CancelEvacuation', ({ state }) => state === 'Done')?.since;

/**
 * What the engine shows may be from before it was told to empty it. Where it was told since that the data stays, from before that: a clock that was
 * set back in between makes the older moment the later one.
 */
export function mayBeFromBefore(survey: Survey, group: ProcessGroup): boolean {
  const { topology } = survey.engine;
  if (topology === undefined || group.evacuationAt === null) return true;
  return topology.observedAt <= group.evacuationAt && topology.observedAt <= (keptSince(survey, group) ?? Infinity);
}

/** Those that the engine does not list for it any more. */
export function formerAddresses({ engine }: Survey, { id, addresses }: ProcessGroup): readonly string[] {
  const processes = engine.processesOf.get(id) ?? [];
  const listed = new Set(processes.flatMap((process) => process.addresses));
  return addresses.filter((address) => !listed.has(address));
}

/**
 * Whether the engine may be moving the data of a process group away. It is not only on the word of an observation that began after it was
 * told to: an older one cannot show it.
 */
function isBeingEmptied(survey: Survey, group: ProcessGroup): boolean {
  const processes = survey.engine.processesOf.get(group.id) ?? [];
  if (processes.some(({ excluded }) => isTrue(excluded))) return true;
  if (group.evacuationAt === null) return false;
  const shown = processes.length > 0 && processes.every(({ excluded }) => isFalse(excluded));
  if (!shown || mayBeFromBefore(survey, group)) return true;
  return mayBeExcludedByAddress(survey, group);
}
