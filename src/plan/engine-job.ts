import type { ProcessGroupId } from '../model/ids.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Job, Snapshot } from '../model/snapshot.ts';

/** The newest thing of this kind that the engine was told to do about a process group. */
export function jobOf({ jobs }: Snapshot, group: ProcessGroupId, verb: Job['verb']): Job | undefined {
  let newest: Job | undefined;
  for (const job of jobs) {
    if (job.group !== group || job.verb !== verb) continue;
    if (
      newest === undefined ||
      job.since > newest.since ||
      (job.since === newest.since && job.attempts > newest.attempts)
    ) {
      newest = job;
    }
  }
  return newest;
}

/** Why it is not tried again yet after a failure; undefined: it never failed, or the next try is due. A failure is never taken for a success. */
export function reasonToWaitForRetry({ now }: Snapshot, job: Job | undefined): Reason | undefined {
  if (job?.state !== 'Failed' || job.retryAt === null || now >= job.retryAt) return undefined;
  return reasons.jobFailed({ group: job.group, verb: job.verb, engineSays: job.message, due: job.retryAt });
}
