import type { Step } from '../model/decision.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import { newestJob } from '../rules/newest-job.ts';
import type { Survey } from '../rules/survey.ts';
import { reasonToWaitForRetry } from './engine-job.ts';
import type { Marked } from './marked.ts';
import { markedGroups } from './marked.ts';
import { quietBeforeInclusion, reasonToLeaveAlone } from './quiet-engine.ts';
import { rulesOf } from './role-of.ts';
import { StepBuilder } from './step.ts';

/**
 * Drops the row of each process group whose objects are all gone, once the engine has forgotten it. Where the successor takes over the
 * identity the row stays: it is unmarked, and its objects are made again, empty.
 */
export function forget(survey: Survey): Step {
  const step = new StepBuilder('forget');
  for (const group of markedGroups(survey)) {
    if (group.removingAt === null || !areObjectsGone(group)) continue;
    if (mustBeForgotten(survey, group)) tell(survey, group, step);
    else if (keepsIdentity(survey, group)) {
      step.record({ record: 'unmarked', group: group.id, reason: reasons.madeAgainEmpty({ group: group.id }) });
    } else step.record({ record: 'gone', group: group.id });
  }
  return step.build();
}

/** Terminating is not gone: the kubelet may be cut off, and the process still run. */
export const areObjectsGone = ({ pod, claim, service }: ProcessGroup): boolean =>
  pod === null && (claim === null || claim === 'none') && (service === null || service === 'none');

/** A shrink takes the identity away as well. */
const keepsIdentity = (survey: Survey, group: Marked): boolean =>
  rulesOf(survey, group)?.replacedAs === 'same-id-wiped' && group.removal.cause !== 'Shrink';

/**
 * The engine was told to exclude it, so it has to be told to include it again: an exclusion by address would hit the next pod with that
 * address. The engine does not list what it excluded, so the job shows that this was done. What was never excluded is forgotten for as long
 * as the engine lists it, unless its successor has the same identity.
 */
function mustBeForgotten(survey: Survey, group: Marked): boolean {
  if (group.evacuationAt !== null) {
    const job = newestJob(survey.snapshot, group.id, 'Forget');
    return job?.state !== 'Done' || (group.removingAt !== null && job.since < group.removingAt);
  }
  if (keepsIdentity(survey, group)) return false;
  return survey.engine.topology === undefined || survey.engine.processesOf.has(group.id);
}

function tell(survey: Survey, group: Marked, step: StepBuilder): void {
  const hold =
    reasonToLeaveAlone(survey, group.id, 'is gone, and the engine is not told yet', quietBeforeInclusion) ??
    reasonToWaitForRetry(survey.snapshot, newestJob(survey.snapshot, group.id, 'Forget'));
  if (hold !== undefined) {
    step.hold(group.id, hold);
    return;
  }
  const processes = (survey.engine.processesOf.get(group.id) ?? []).map(({ id }) => id);
  const reason = reasons.includedAgain({ group: group.id });
  step.act({ act: 'forget', group: group.id, processes, addresses: group.addresses, reason });
}
