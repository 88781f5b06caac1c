import type { ConditionType, ProcessGroup } from '../model/process-group.ts';
import type { Instant } from '../model/time.ts';
import { dueAt, seconds } from '../model/time.ts';
import { lossIsNoticed } from '../rules/fault-tolerance.ts';
import type { Survey } from '../rules/survey.ts';
import { allReport } from './reporting.ts';

/** A pod that does not go for so long is stuck, and is not waited for any longer. */
const terminatingIsStuck = seconds(600);
/** A new pod needs so long until its process is known. */
const newPodReports = seconds(60);

/** Something changed that the engine may not have noticed. */
export interface Unsettled {
  readonly other: string;
  readonly due: Instant;
}

/** What was taken away or made so recently that the engine's word cannot be relied on, the one that takes longest; undefined: nothing. */
export function settling(survey: Survey): Unsettled | undefined {
  let last: Unsettled | undefined;
  for (const group of survey.snapshot.processGroups) {
    const due = settledAt(survey, group);
    if (due === undefined || survey.snapshot.now >= due) continue;
    if (last === undefined || due > last.due || (due === last.due && group.id < last.other))
      last = { other: group.id, due };
  }
  return last;
}

function settledAt(survey: Survey, group: ProcessGroup): Instant | undefined {
  // What is being removed was drained, or judged to be dispensable.
  if (group.removingAt !== null) return undefined;
  const { pod } = group;
  const missing = missingSince(group);
  if (pod === null) return missing === undefined ? undefined : dueAt(missing, lossIsNoticed);
  if (pod.deletingSince !== null) return dueAt(pod.deletingSince, terminatingIsStuck);
  const born = allReport(survey, group) ? undefined : dueAt(pod.createdAt, newPodReports);
  const lost = missing === undefined ? undefined : dueAt(missing, lossIsNoticed);
  return born === undefined || (lost !== undefined && lost > born) ? lost : born;
}

const losses: ReadonlySet<ConditionType> = new Set(['MissingPod', 'MissingProcesses']);

/** The newest loss is the one that may not have been noticed. One that began anew may have lost its disk. */
function missingSince({ conditions, pod }: ProcessGroup): Instant | undefined {
  let since = pod?.restartedAt ?? undefined;
  for (const condition of conditions) {
    if (losses.has(condition.type) && (since === undefined || condition.since > since)) since = condition.since;
  }
  return since;
}
