import type { ProcessGroup } from '../../model/process-group.ts';
import type { Job } from '../../model/snapshot.ts';
import { inPercentSteps } from './percent-steps.ts';

/**
 * How far the engine is with emptying process groups, for whoever wants to know when that ends. Counted from when Drover told it to: what an engine says
 * of when it began moves with every reading.
 */
export const runningJobs = (jobs: readonly Job[], processGroups: readonly ProcessGroup[]): readonly Job[] =>
  processGroups.flatMap(({ id, evacuationAt }): Job[] => {
    const job = jobs.find(({ group, verb, state }) => group === id && verb === 'Evacuate' && state === 'Running');
    if (evacuationAt === null || job === undefined || job.percent === null) return [];
    const percent = inPercentSteps(job.percent);
    return [{ ...job, since: evacuationAt, percent, message: '', secondsLeft: null }];
  });
