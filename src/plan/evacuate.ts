import type { Step } from '../model/decision.ts';
import { isTrue } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import { lastWordIsToKeep } from '../rules/last-word.ts';
import { newestJob } from '../rules/newest-job.ts';
import { askAbout } from '../rules/question.ts';
import type { Survey } from '../rules/survey.ts';
import { neverRan } from '../rules/unlisted.ts';
import { reasonToWaitForRetry } from './engine-job.ts';
import { EvacuationBudget } from './evacuation-budget.ts';
import { giveUpSeat } from './give-up-seat.ts';
import type { Marked } from './marked.ts';
import { markedGroups } from './marked.ts';
import { reasonToLeaveAlone } from './quiet-engine.ts';
import { rulesOf } from './role-of.ts';
import { StepBuilder } from './step.ts';
import { takeBackEvacuation } from './take-back-evacuation.ts';
import { formerAddresses, isToBeKept } from './undo-evacuation.ts';

/**
 * Which marked process groups the engine is told to empty now. Never while the engine is unavailable or just recovered, and never so that
 * too few of a role are left: see `EvacuationBudget`. Told again until the engine shows it, and once more if someone undid it by hand.
 */
export function evacuate(survey: Survey): Step {
  const step = new StepBuilder('evacuate');
  const budget = new EvacuationBudget(survey);
  for (const group of markedGroups(survey)) {
    const rules = rulesOf(survey, group);
    if (rules === undefined) {
      step.hold(group.id, reasons.noSuchRole({ group: group.id, role: group.role }));
      continue;
    }
    const empties =
      rules.drainedBeforeRemoval &&
      !group.removal.withoutExclusion &&
      !neverRan(askAbout('replacement', survey, group));
    if (!empties || startEvacuation(survey, group, budget, step)) giveUpSeat(survey, group, step);
  }
  return step.build();
}

/** Whether the evacuation is under way, or begins now. */
function startEvacuation(survey: Survey, group: Marked, budget: EvacuationBudget, step: StepBuilder): boolean {
  if (takeBackEvacuation(survey, group, budget, step)) return false;
  // It was told to keep its data since: it is told anew, whatever the engine shows, and that is written down anew.
  const told = !lastWordIsToKeep(survey, group) && isTold(survey, group);
  const onRecord = group.evacuationAt !== null && !isToBeKept(survey, group);
  if (onRecord && told) return true;
  // What a person or another operator began is only written down: nothing is started by that.
  if (told) return record(group, step);

  const hold =
    reasonToLeaveAlone(survey, group.id, 'is not evacuated yet') ??
    (group.evacuationAt === null ? budget.take(group) : undefined);
  if (hold !== undefined) {
    // One that is removed undrained does not wait for this any more.
    if (group.removingAt === null) step.hold(group.id, hold);
    else step.wake(hold.until ?? undefined);
    return false;
  }
  if (!onRecord) record(group, step);
  const retry = reasonToWaitForRetry(survey.snapshot, newestJob(survey.snapshot, group.id, 'Evacuate'));
  if (retry !== undefined) step.hold(group.id, retry);
  else tell(survey, group, step);
  return true;
}

function record(group: ProcessGroup, step: StepBuilder): true {
  step.record({ record: 'evacuating', group: group.id, reason: reasons.leaving({ group: group.id }) });
  return true;
}

function tell(survey: Survey, group: ProcessGroup, step: StepBuilder): void {
  const processes = survey.engine.processesOf.get(group.id) ?? [];
  step.act({
    act: 'evacuate',
    group: group.id,
    processes: processes.map(({ id }) => id),
    // A process that lost its IP is excluded by every address that it was known by.
    addresses: formerAddresses(survey, group),
    reason: reasons.leaving({ group: group.id }),
  });
}

/** The engine shows that it was told. Where it lists no process of the group any more, only what came of it can show that. */
function isTold({ snapshot, engine }: Survey, group: ProcessGroup): boolean {
  const processes = engine.processesOf.get(group.id) ?? [];
  if (processes.length > 0) return processes.every(({ excluded }) => isTrue(excluded));
  if (group.drainedAt !== null || group.removingAt !== null) return true;
  const state = newestJob(snapshot, group.id, 'Evacuate')?.state;
  return engine.topology !== undefined && group.evacuationAt !== null && (state === 'Running' || state === 'Done');
}
