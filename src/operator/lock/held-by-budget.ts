import { isTooManyRequests, KubeApiError } from '../../kube/errors.ts';
import type { Action } from '../../model/decision.ts';
import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import type { LockState } from './lock-state.ts';

/** The API server's answer to a pod under two budgets is a 500 that names none of them. */
export const severalBudgets = 'more than one PodDisruptionBudget';

/** Whether the API server evicts a pod under no circumstances, because more than one budget selects it. */
export const isUnderSeveral = (error: unknown): error is KubeApiError =>
  error instanceof KubeApiError && error.status === 500 && error.message.includes(severalBudgets);

/** Whether it was a budget that said no. */
export const isByBudget = ({ details, message }: KubeApiError): boolean =>
  details?.causes?.some(({ reason }) => reason === 'DisruptionBudget') === true ||
  message.includes('disruption budget');

/** What the API server says, without what it was asked: that is known. */
export function evictionWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A webhook's message has all its causes in it; a budget's has none.
  const cause = error instanceof KubeApiError && isByBudget(error) ? error.details?.causes?.[0]?.message : undefined;
  return cause ?? error.message.replace(/^[A-Z]+ \/\S+: /, '').replace(/ \(\d{3}\)$/, '');
}

/** So long after a refusal it is tried again: a minute it counts as gone, and another one belongs to those that may not go together with it. */
const triedAgainAfter = 120_000;

/**
 * What is noted where Drover let a pod go, evicted it itself, and a budget of somebody else held it; undefined: it was something else. Whoever evicts
 * the pod themselves hears it from the API server.
 */
export function refusedJob(action: Action, error: unknown, before: readonly Job[], since: Instant): Job | undefined {
  const isHeld = (isTooManyRequests(error) && isByBudget(error)) || isUnderSeveral(error);
  if (action.act !== 'let-go' || !isHeld) return undefined;
  const { group } = action;
  const known = before.find((job) => job.verb === 'Evict' && job.group === group);
  return {
    verb: 'Evict',
    group,
    state: 'Failed',
    since,
    attempts: (known?.attempts ?? 0) + 1,
    retryAt: instant(since + triedAgainAfter),
    message: evictionWords(error),
    percent: null,
    secondsLeft: null,
  };
}

/**
 * What was told, without what a budget refused that is gone since: then it is tried again at once, and nobody hears of it any more. Only where all is as
 * it should be: a refusal that comes from anything else must not be forgotten, or it would be asked for all the time.
 */
export const withoutLifted = (told: readonly Job[], lock: LockState): readonly Job[] =>
  lock.is === 'locked' ? told.filter(({ verb }) => verb !== 'Evict') : told;
