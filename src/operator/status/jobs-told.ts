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
export const jobsNeeded = (told: readonly Job[], groups: readonly ProcessGroup[], now: Instant): readonly Job[] =>
  told.filter((job) => groups.some((group) => group.id === job.group && isNeeded(job, group, now)));

function isNeeded(job: Job, group: ProcessGroup, now: Instant): boolean {
  const { verb } = job;
  const { conditions, drainedAt, evacuationAt } = group;
  if (verb === 'Forget') return true;
  if (verb === 'Evict') return isAboutItsPod(job, group) && isNew(job, now);
  if (evacuationAt === null) return false;
  if (verb === 'CancelEvacuation') return true;
  // Of one that it lists the engine shows by itself that it is to go.
  return verb === 'Evacuate' && drainedAt === null && conditions.some(({ type }) => type === 'MissingProcesses');
}

/** A refused eviction says nothing about a pod that is going after all, or that came after it. */
const isAboutItsPod = ({ since }: Job, { pod }: ProcessGroup): boolean =>
  pod !== null && pod.deletingSince === null && pod.createdAt <= since;

/** For so long after its next try was due a refusal is remembered: what nobody tries any more nobody wants, or another rule holds. */
const rememberedFor = 600_000;

/** One of the future was written by a clock that was set back since: it would hold the pod until then. */
const isNew = ({ since, retryAt }: Job, now: Instant): boolean =>
  since <= now && now < (retryAt ?? since) + rememberedFor;
