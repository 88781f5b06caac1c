import { isTrue } from '../model/known.ts';
import { reasons } from '../model/reasons.ts';
import { latest } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { wishFor } from './asked.ts';
import type { EvacuationBudget } from './evacuation-budget.ts';
import type { Marked } from './marked.ts';
import type { StepBuilder } from './step.ts';
import { undoEvacuation } from './undo-evacuation.ts';

/**
 * One that was being emptied for a drain when it was marked never asked the budget. Where nobody wants its pod gone any more and its role lacks it, it
 * keeps its data until its successor is up: else so many may be emptied at once that the data of all of them finds no place. Whether it is taken back.
 */
export function takeBackEvacuation(
  survey: Survey,
  group: Marked,
  budget: EvacuationBudget,
  step: StepBuilder,
): boolean {
  const lacksSince = beganBeforeMark(survey, group) ? budget.lacksSince(group) : undefined;
  if (lacksSince === undefined) return false;
  const wish = wishFor(survey, group);
  if (wish !== undefined && wish.until === undefined) return false;
  const due = latest(lacksSince, wish?.until) ?? lacksSince;
  if (survey.snapshot.now < due) {
    step.wake(due);
    return false;
  }
  budget.giveBack(group);
  const because = 'it was emptied for a drain that is over, and goes when its successor is up';
  undoEvacuation(survey, group, reasons.evacuationCancelled({ group: group.id, because, leftovers: [] }), step);
  return true;
}

function beganBeforeMark({ engine }: Survey, { id, evacuationAt, removal, removingAt, drainedAt }: Marked): boolean {
  if (evacuationAt === null || evacuationAt >= removal.at || removingAt !== null || drainedAt !== null) return false;
  return (engine.processesOf.get(id) ?? []).some(({ drained }) => !isTrue(drained));
}
