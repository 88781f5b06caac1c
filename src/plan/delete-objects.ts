import type { Precondition } from '../model/decision.ts';
import type { Pod } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import { dueAt, seconds } from '../model/time.ts';
import { lossIsNoticed } from '../rules/fault-tolerance.ts';
import type { Survey } from '../rules/survey.ts';
import { areObjectsGone } from './forget.ts';
import type { Marked } from './marked.ts';
import { asksForOldPodGone, mayBeLost, removability } from './removability.ts';
import { rulesOf } from './role-of.ts';
import type { StepBuilder } from './step.ts';
import { isTakenForEmpty } from './taken-for-empty.ts';

/**
 * Deletes the objects of a process group that is being removed, until they are gone. One that is terminating stays excluded, is reported and
 * holds nothing else up. Where the successor takes over the identity the volume waits until the old pod is known to be gone; where its process
 * may have come up in this very moment, until the engine would have noticed.
 */
export function deleteObjects(survey: Survey, group: Marked, step: StepBuilder): void {
  if (areObjectsGone(group)) return;
  const { id, pod } = group;
  const rules = rulesOf(survey, group);
  if (pod !== null && pod.deletingSince === null) {
    // Recorded is not done: until its pod is going, what goes undrained is still asked about.
    const asked = rules !== undefined && group.drainedAt === null && !group.removal.withoutExclusion;
    const answer = asked ? mayBeLost(survey, group, rules) : undefined;
    if (answer !== undefined && answer.kind !== 'allow') {
      for (const reason of answer.reasons) step.hold(id, reason);
      return;
    }
  }
  const because = group.drainedAt === null ? 'everything survives without it' : 'it is drained';
  const reason = group.removal.withoutExclusion
    ? reasons.requestedWithoutExclusion({ group: id })
    : reasons.removed({ group: id, because });
  const podFirst = pod !== null && ((rules !== undefined && asksForOldPodGone(rules)) || mayHaveComeUp(group));
  if (podFirst && pod.deletingSince === null)
    step.act({ act: 'delete-pod', group: id, pod: preconditionOf(pod), reason });
  else if (podFirst || isTerminating(group)) report(survey, group, step);
  else if (mayHaveComeUp(group) && keepsVolume(survey, group, step)) return;
  else if (pod === null) step.act({ act: 'delete-group', group: id, pod: null, reason });
  else {
    const unchanged = isTakenForEmpty(group) ? ({ unchanged: true } as const) : {};
    step.act({ act: 'delete-group', group: id, pod: preconditionOf(pod), ...unchanged, reason });
  }
}

/** Its pod has, or had, a node: a process that comes up between the look and the deletion is not excluded. Only a volume outlives that. */
const mayHaveComeUp = (group: Marked): boolean =>
  isTakenForEmpty(group) && group.zone !== null && group.claim !== 'none';

/** Whether the engine may not have noticed yet that it is gone, or misses what it had. */
function keepsVolume(survey: Survey, group: Marked, step: StepBuilder): boolean {
  const { now } = survey.snapshot;
  const { id, removingAt } = group;
  const due = dueAt(removingAt ?? now, lossIsNoticed);
  if (now < due) {
    step.hold(id, reasons.podsSettling({ subject: `${id} keeps its volume`, other: id, due }));
    return true;
  }
  const removal = removability(survey, group);
  if (removal.may === 'stay') for (const reason of removal.reasons) step.hold(id, reason);
  return removal.may === 'stay';
}

/** Twice the grace that pods have by default. What takes longer may still go, and people should know of it. */
const stuckAfter = seconds(60);

function report({ snapshot: { now } }: Survey, { id, pod, removingAt }: Marked, step: StepBuilder): void {
  const since = pod?.deletingSince ?? removingAt ?? now;
  const due = dueAt(since, stuckAfter);
  if (now >= due) step.hold(id, reasons.stuckTerminating({ group: id, since }));
  else {
    step.hold(id, reasons.terminating({ group: id, since }));
    step.wake(due);
  }
}

/** Everything that is still there is on its way out. */
const isTerminating = ({ pod, claim, service }: Marked): boolean =>
  (pod === null || pod.deletingSince !== null) &&
  (claim === null || claim === 'none' || claim.deleting) &&
  (service === null || service === 'none' || service === 'terminating');

const preconditionOf = ({ uid, resourceVersion }: Pod): Precondition => ({ uid, resourceVersion });
