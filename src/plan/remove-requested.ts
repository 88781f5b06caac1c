import type { Step } from '../model/decision.ts';
import type { ProcessGroupId } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import { isHeldByCancel } from './held-by-cancel.ts';
import { isListed } from './listed.ts';
import { reasonNeverToReplace } from './replaceable.ts';
import { Room } from './room.ts';
import { idle, StepBuilder } from './step.ts';

/**
 * Marks the process groups that people listed to be removed. No cap holds them back, though they count towards every cap; only room for the
 * successor does. Those to go without exclusion are marked so, also when they were already leaving the safe way.
 */
export function removeRequested(survey: Survey): Step {
  const { ownsPods, processGroupsToRemove, processGroupsToRemoveWithoutExclusion } = survey.snapshot.spec;
  if (!ownsPods || processGroupsToRemove.length + processGroupsToRemoveWithoutExclusion.length === 0) return idle;

  const step = new StepBuilder('remove-requested');
  const room = new Room(survey);
  for (const id of [...new Set(processGroupsToRemoveWithoutExclusion)].sort()) {
    const group = known(survey, id, 'processGroupsToRemoveWithoutExclusion', step);
    if (group !== undefined && group.removal?.withoutExclusion !== true) markWithoutExclusion(group, room, step);
  }
  for (const id of [...new Set(processGroupsToRemove)].sort()) {
    const group = known(survey, id, 'processGroupsToRemove', step);
    const isMarked = group?.removal !== null || isListed(processGroupsToRemoveWithoutExclusion, id);
    if (group !== undefined && !isMarked) mark(survey, group, room, step);
  }
  return step.build();
}

/** The process group, where there is something to do about it. What the cancel list holds has its reason there. */
function known(survey: Survey, id: ProcessGroupId, list: string, step: StepBuilder): ProcessGroup | undefined {
  const group = survey.groups.get(id);
  if (group === undefined) step.hold(null, reasons.unknownProcessGroup({ id, list }));
  return group === undefined || isHeldByCancel(survey, id) || group.removingAt !== null ? undefined : group;
}

function markWithoutExclusion(group: ProcessGroup, room: Room, step: StepBuilder): void {
  if (group.removal === null) room.take(group);
  const reason = reasons.requestedWithoutExclusion({ group: group.id });
  step.record({ record: 'marked', group: group.id, cause: 'Requested', withoutExclusion: true, reason });
}

function mark(survey: Survey, group: ProcessGroup, room: Room, step: StepBuilder): void {
  const hold = reasonNeverToReplace(survey, group) ?? room.reasonAgainst(group);
  if (hold !== undefined) {
    step.hold(group.id, hold);
    return;
  }
  room.take(group);
  const reason = reasons.requested({ group: group.id });
  step.record({ record: 'marked', group: group.id, cause: 'Requested', withoutExclusion: false, reason });
}
