import { isFalse, isTrue } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import type { StepBuilder } from './step.ts';

/**
 * Tells the engine that a process group keeps its data, again and again until the engine shows it; only then the row forgets that it was
 * being emptied. A process that the engine does not list any more is included again by every address that it was known by.
 */
export function undoEvacuation(survey: Survey, group: ProcessGroup, reason: Reason, step: StepBuilder): void {
  const { unreachable, processesOf } = survey.engine;
  if (unreachable !== undefined) {
    const subject = `${group.id} is not included again yet`;
    const why = reasons.engineUnreachable({ subject, why: unreachable.unreachable, since: unreachable.since });
    if (group.evacuationAt !== null) step.hold(group.id, why);
  } else if (isBeingEmptied(survey, group)) {
    const processes = processesOf.get(group.id) ?? [];
    const listed = new Set(processes.flatMap(({ addresses }) => addresses));
    step.act({
      act: 'cancel-evacuation',
      group: group.id,
      processes: processes.map(({ id }) => id).sort(),
      addresses: group.addresses.filter((address) => !listed.has(address)),
      reason,
    });
  } else if (group.evacuationAt !== null) step.record({ record: 'evacuation-ended', group: group.id, reason });
}

/** Unmarks a process group: it stays. What the engine was told is undone in this decision and, until that is seen, in the next ones. */
export function unmark(survey: Survey, group: ProcessGroup, reason: Reason, step: StepBuilder): void {
  const stands = survey.engine.unreachable !== undefined || isBeingEmptied(survey, group);
  const remembers = stands && group.evacuationAt !== null;
  step.record({ record: 'unmarked', group: group.id, reason, ...(remembers && { evacuationStands: true }) });
  if (stands) undoEvacuation(survey, group, reason, step);
}

/**
 * Whether the engine may be moving the data of a process group away. It is not only on the word of an observation that began after it was
 * told to: an older one cannot show it.
 */
function isBeingEmptied({ engine }: Survey, { id, evacuationAt }: ProcessGroup): boolean {
  const processes = engine.processesOf.get(id) ?? [];
  if (processes.some(({ excluded }) => isTrue(excluded))) return true;
  if (evacuationAt === null) return false;
  const shown = processes.length > 0 && processes.every(({ excluded }) => isFalse(excluded));
  return !shown || engine.topology === undefined || engine.topology.observedAt <= evacuationAt;
}
