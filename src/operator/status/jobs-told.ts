import type { Action } from '../../model/decision.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';

/** What is kept of an action that was carried out, where the engine lists nothing that would show it. */
export function jobFor(action: Action, since: Instant): Job | undefined {
  if (action.act !== 'forget' && action.act !== 'cancel-evacuation') return undefined;
  const unmeasured = { attempts: 1, retryAt: null, message: '', percent: null, secondsLeft: null };
  const verb = action.act === 'forget' ? 'Forget' : 'CancelEvacuation';
  return { ...unmeasured, verb, group: action.group, state: 'Done', since };
}

/**
 * What the engine was told, by the record and by what is noted since: for each process group what came last. Whatever is told again and again, as while
 * a clock that was set back has not caught up, must not fill the status, which could not be written then at all.
 */
export const jobsTold = (recorded: readonly Job[], since: readonly Job[]): readonly Job[] => [
  ...new Map([...recorded, ...since].map((job) => [`${job.verb} ${job.group}`, job])).values(),
];

/** Those that anyone still asks for: nobody does for a process group that is gone, or has long settled to stay. */
export const jobsNeeded = (told: readonly Job[], processGroups: readonly ProcessGroup[]): readonly Job[] =>
  told.filter(({ verb, group }) =>
    processGroups.some(({ id, evacuationAt }) => id === group && (verb === 'Forget' || evacuationAt !== null)),
  );
