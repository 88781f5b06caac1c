import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Job } from '../model/snapshot.ts';
import { newestJob } from '../rules/newest-job.ts';
import type { Survey } from '../rules/survey.ts';

/** What the API server said the last time that an object of the process group was to be made, if it refused. */
export const refusedObject = ({ snapshot }: Survey, { id }: ProcessGroup): Job | undefined => {
  const last = newestJob(snapshot, id, 'Create');
  return last?.state === 'Failed' ? last : undefined;
};

/** Why it is not tried again yet, in the words of whoever refused it; undefined where it was not refused, or the next try is due. */
export function reasonNotToTry(survey: Survey, group: ProcessGroup, subject: string): Reason | undefined {
  const refused = refusedObject(survey, group);
  if (refused === undefined || refused.retryAt === null || survey.snapshot.now >= refused.retryAt) return undefined;
  return reasons.objectRefused({ subject, serverSays: refused.message, due: refused.retryAt });
}
