import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Job, Snapshot } from '../model/snapshot.ts';

/** Why it is not tried again yet after a failure; undefined: it never failed, or the next try is due. A failure is never taken for a success. */
export function reasonToWaitForRetry({ now }: Snapshot, job: Job | undefined): Reason | undefined {
  if (job?.state !== 'Failed' || job.retryAt === null || now >= job.retryAt) return undefined;
  return reasons.jobFailed({ group: job.group, verb: job.verb, engineSays: job.message, due: job.retryAt });
}
