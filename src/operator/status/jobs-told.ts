import type { Action } from '../../model/decision.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';

/** What is noted of an action that was carried out: what the engine may list nothing of, and what takes that back. */
export function jobFor(action: Action, since: Instant): Job | undefined {
  if (action.act !== 'forget' && action.act !== 'cancel-evacuation' && action.act !== 'evacuate') return undefined;
  const unmeasured = { attempts: 1, retryAt: null, message: '', percent: null, secondsLeft: null };
  return { ...unmeasured, verb: verbs[action.act], group: action.group, state: 'Done', since };
}

const verbs = { forget: 'Forget', 'cancel-evacuation': 'CancelEvacuation', evacuate: 'Evacuate' } as const;

/**
 * What the engine was told, by the record and by what is noted since: for each process group what came last, of going and staying and of being
 * forgotten. By their order and not by a clock, which may be set back. Whatever is told again and again, as while
 * a clock that was set back has not caught up, must not fill the status, which could not be written then at all.
 */
export const jobsTold = (recorded: readonly Job[], since: readonly Job[]): readonly Job[] => [
  ...new Map([...recorded, ...since].map((job) => [`${subjectOf(job)} ${job.group}`, job])).values(),
];

const subjectOf = ({ verb }: Job): string => (verb === 'CancelEvacuation' ? 'Evacuate' : verb);

/** Those that anyone still asks for: nobody does for a process group that is gone, or has long settled. */
export const jobsNeeded = (told: readonly Job[], processGroups: readonly ProcessGroup[]): readonly Job[] =>
  told.filter(({ verb, group }) => processGroups.some((one) => one.id === group && isNeeded(verb, one)));

function isNeeded(verb: Job['verb'], { conditions, drainedAt, evacuationAt }: ProcessGroup): boolean {
  if (verb === 'Forget') return true;
  if (evacuationAt === null) return false;
  if (verb === 'CancelEvacuation') return true;
  // Of one that it lists the engine shows by itself that it is to go.
  return verb === 'Evacuate' && drainedAt === null && conditions.some(({ type }) => type === 'MissingProcesses');
}
