import type { ProcessGroupId } from '../model/ids.ts';
import type { Job, Snapshot } from '../model/snapshot.ts';

/** The newest thing of this kind that the engine was told to do about a process group, of those that `counts` lets in. */
export function newestJob(
  { jobs }: Snapshot,
  group: ProcessGroupId,
  verb: Job['verb'],
  counts: (job: Job) => boolean = () => true,
): Job | undefined {
  let newest: Job | undefined;
  for (const job of jobs) {
    if (job.group !== group || job.verb !== verb || !counts(job)) continue;
    if (newest === undefined || isNewer(job, newest)) newest = job;
  }
  return newest;
}

/** A total order, so that it does not matter which one is listed first. */
function isNewer(job: Job, than: Job): boolean {
  if (job.since !== than.since) return job.since > than.since;
  if (job.attempts !== than.attempts) return job.attempts > than.attempts;
  return JSON.stringify(job) > JSON.stringify(than);
}
