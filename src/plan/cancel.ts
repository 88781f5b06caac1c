import type { Step } from '../model/decision.ts';
import type { ProcessGroupId } from '../model/ids.ts';
import { count, list } from '../model/phrases.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import { wishFor } from './asked.ts';
import { newestFirst } from './group-number.ts';
import { isListed } from './listed.ts';
import { changesByReplacement } from './pod-changes.ts';
import { rulesOf } from './role-of.ts';
import { idle, StepBuilder } from './step.ts';
import { Successors } from './successors.ts';
import { undoEvacuation, unmark } from './undo-evacuation.ts';

export { isHeldByCancel } from './held-by-cancel.ts';

/**
 * Undoes the replacement of every process group that `cancelReplacementsForInstance` lists: unmarked, included again in the engine, its taint
 * forgiven, and its successor sent away. Possible until its objects are being deleted. Where another part of the spec wants the same process group gone, nothing is done
 * about it until one of the two gives way.
 */
export function cancelReplacements(survey: Survey): Step {
  const { cancelReplacements: ids, ownsPods } = survey.snapshot.spec;
  if (!ownsPods || ids.length === 0) return idle;

  const step = new StepBuilder('cancel');
  const unsatisfiable = listedThatMustShrink(survey);
  const successors = new Successors(survey);
  for (const id of [...new Set(ids)].sort()) {
    const group = survey.groups.get(id);
    if (group === undefined) {
      step.hold(null, reasons.unknownProcessGroup({ id, list: 'cancelReplacementsForInstance' }));
      continue;
    }
    if (group.removingAt !== null) {
      step.hold(id, reasons.tooLateToCancel({ group: id, removingAt: group.removingAt }));
      continue;
    }
    const other = unsatisfiable.get(id) ?? conflictOf(survey, group);
    if (other !== undefined) step.hold(id, reasons.conflictingRequests({ group: id, other }));
    else cancel(survey, group, successors, step);
  }
  return step.build();
}

function cancel(survey: Survey, group: ProcessGroup, successors: Successors, step: StepBuilder): void {
  const reason = reasons.cancelled({ group: group.id });
  if (group.conditions.some(({ type }) => type === 'NodeTaintReplacing')) {
    step.record({ record: 'condition-cleared', group: group.id, condition: 'NodeTaintReplacing' });
  }
  if (group.removal !== null) {
    unmark(survey, group, reason, step);
    successors.dismissFor(group, step);
  } else if (!isEmptiedForAnAsk(survey, group)) undoEvacuation(survey, group, reason, step);
}

/** Not a replacement: someone wants the pod gone, by asking or by a cordon, and its role is emptied for that and stays. */
function isEmptiedForAnAsk(survey: Survey, group: ProcessGroup): boolean {
  return (
    group.evacuationAt !== null &&
    rulesOf(survey, group)?.leavesBy === 'evacuate' &&
    wishFor(survey, group) !== undefined
  );
}

/** What else of the spec wants this one process group gone. */
function conflictOf(survey: Survey, group: ProcessGroup): string | undefined {
  const { spec } = survey.snapshot;
  if (isListed(spec.processGroupsToRemove, group.id)) return 'processGroupsToRemove lists it too';
  if (isListed(spec.processGroupsToRemoveWithoutExclusion, group.id)) {
    return 'processGroupsToRemoveWithoutExclusion lists it too';
  }
  const changes = changesByReplacement(survey, group);
  return changes.length === 0 ? undefined : `${list(changes)} changed, which only its replacement can follow`;
}

/**
 * Listed process groups that have to go all the same, because more are listed than the spec wants. Those that are on their way already are
 * the ones, then the newest.
 */
function listedThatMustShrink({ snapshot }: Survey): ReadonlyMap<ProcessGroupId, string> {
  const { cancelReplacements: ids, roles } = snapshot.spec;
  const listed = snapshot.processGroups.filter(({ id, removingAt }) => removingAt === null && isListed(ids, id));
  const conflicts = new Map<ProcessGroupId, string>();
  for (const [role, groups] of Map.groupBy(listed, (group) => group.role)) {
    const want = roles.find(({ name }) => name === role)?.count ?? 0;
    const other = `no more than ${count(want, `${role} process group`)} ${want === 1 ? 'is' : 'are'} wanted, and ${groups.length} are listed`;
    const excess = groups.toSorted(markedThenNewest).slice(0, Math.max(0, groups.length - want));
    for (const { id } of excess) conflicts.set(id, other);
  }
  return conflicts;
}

const markedThenNewest = (a: ProcessGroup, b: ProcessGroup): number =>
  Number(b.removal !== null) - Number(a.removal !== null) || newestFirst(a, b);
