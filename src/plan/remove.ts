import type { Step } from '../model/decision.ts';
import { reasons } from '../model/reasons.ts';
import type { Instant, Seconds } from '../model/time.ts';
import { dueAt, instant } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { deleteObjects } from './delete-objects.ts';
import type { Lot } from './lots.ts';
import { lotsOf } from './lots.ts';
import type { Marked } from './marked.ts';
import { markedGroups } from './marked.ts';
import type { Kept } from './removability.ts';
import { removability } from './removability.ts';
import { StepBuilder } from './step.ts';

/**
 * Which process groups are removed for good now: their objects deleted, one lot as `removalMode` says, and the next one
 * `waitBetweenRemovals` later. Those that are being deleted already are no lot of their own and hold nothing up, however long they take.
 */
export function remove(survey: Survey): Step {
  const step = new StepBuilder('remove');
  const ready: Marked[] = [];
  for (const group of markedGroups(survey)) {
    if (group.removingAt !== null) {
      deleteObjects(survey, group, step);
      continue;
    }
    const removal = removability(survey, group);
    if (removal.may === 'go') ready.push(group);
    else keep(group, removal, step);
  }
  startOneLot(survey, ready, step);
  return step.build();
}

function startOneLot(survey: Survey, ready: readonly Marked[], step: StepBuilder): void {
  const { lastRemovalAt, now, spec } = survey.snapshot;
  const due = lastRemovalAt === null ? undefined : nextLotAt(lastRemovalAt, spec.waitBetweenRemovals);
  if (due !== undefined && now < due) {
    for (const { id } of ready) step.hold(id, reasons.waitBetweenRemovals({ group: id, due }));
    return;
  }
  const [first, ...others] = inTurn(survey, ready);
  if (first === undefined) return;
  startLot(survey, first, step);
  for (const { id } of others.flatMap(({ groups }) => groups)) {
    step.hold(id, reasons.anotherBatch({ group: id, first: first.name }));
  }
}

/** Never at the same moment: without a wait the plan, gone through again, would take one lot after the other in a single decision. */
const nextLotAt = (last: Instant, wait: Seconds): Instant => instant(Math.max(last + 1, dueAt(last, wait)));

/** The zone with the most first, and of two alike the one whose name comes first; process groups in the order in which they were marked. */
function inTurn({ snapshot }: Survey, ready: readonly Marked[]): readonly Lot<Marked>[] {
  const lots = lotsOf(snapshot.spec.removalMode, ready);
  if (snapshot.spec.removalMode !== 'Zone') return lots;
  return lots.toSorted((a, b) => b.groups.length - a.groups.length || (a.name < b.name ? -1 : 1));
}

/** What goes undrained is asked about again for each that goes with it: one may be all that can be lost. */
function startLot(survey: Survey, { groups }: Lot<Marked>, step: StepBuilder): void {
  let after = survey;
  for (const group of groups) {
    const removal = removability(after, group);
    if (removal.may === 'stay') {
      keep(group, removal, step);
      continue;
    }
    const record = { record: 'removing', group: group.id, reason: removal.because } as const;
    step.record(record);
    deleteObjects(survey, group, step);
    if (group.drainedAt === null) after = surveyOf(applyRecords(after.snapshot, [record]), after.engine);
  }
}

function keep({ id }: Marked, { reasons, again }: Kept, step: StepBuilder): void {
  for (const reason of reasons) step.hold(id, reason);
  step.wake(again);
}
