import type { Pod, ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Grant, Job } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { dueAt, seconds } from '../model/time.ts';
import { newestJob } from '../rules/newest-job.ts';
import type { Survey } from '../rules/survey.ts';
import { isForPod } from './live-wish.ts';

/** Asks are written down once a minute: who was last seen so shortly before may have asked again since. */
const writtenEvery = seconds(60);

/**
 * What the API server said when this very pod was last to be evicted and somebody's budget held it. Its next try is due where someone evicts it who may
 * still be at it: the server answers them, and what it says to them must not wait for what it said to us.
 */
export function refusedEviction({ snapshot, asks }: Survey, { id, pod }: ProcessGroup): Job | undefined {
  const last = newestJob(snapshot, id, 'Evict');
  if (pod === null || last === undefined || last.state !== 'Failed' || last.since < pod.createdAt) return undefined;
  const isEvicting = (asks.get(id) ?? []).some(
    (ask) =>
      ask.source === 'Eviction' &&
      isForPod(ask) &&
      ask.pod === pod.uid &&
      last.since < dueAt(ask.lastSeen, writtenEvery),
  );
  return isEvicting ? { ...last, retryAt: null } : last;
}

/** When it is tried again, where that is not yet. */
export const tryAgainAt = ({ retryAt }: Job, now: Instant): Instant | undefined =>
  retryAt === null || retryAt <= now ? undefined : retryAt;

/** Whether it was refused under this grant: one that was refused before is granted again only when the next try is due. */
export const isRefusedUnder = ({ grantedAt }: Grant, refused: Job): boolean =>
  tryAgainAt(refused, grantedAt) !== undefined;

/** Why it stays, in the server's own words. It stands while it is tried again: until it goes nothing else is known. */
export const heldByBudget = ({ name }: Pod, { message }: Job): Reason =>
  reasons.budgetHolds({ pod: name, budgets: [], words: message });
