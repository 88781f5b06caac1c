import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { MissingBudget } from '../model/snapshot.ts';
import type { Survey } from '../rules/survey.ts';

/**
 * Why nothing of a process group is made yet: its role has no lock, and never had a pod, so that nothing is lost by waiting for the lock. Where the
 * role has served already, its pods are made all the same: data that waits for its pod, or for the successor of one that failed, is worth more than a
 * lock that guards nothing but the time while Drover is down; and the permission for budgets, once lost, would take the whole database with it.
 */
export function reasonToWaitForLock(survey: Survey, group: ProcessGroup): Reason | undefined {
  const missing = missingIn(survey).find(({ role }) => role === group.role);
  if (missing === undefined || hasServed(survey, missing)) return undefined;
  const { budget, message } = missing;
  const subject = `${group.id} is not created, because nothing would lock it`;
  return reasons.budgetMissing({ subject, budgets: [budget], serverSays: message });
}

/** That pods which are there, or come again, can be evicted by anyone while Drover is down; undefined: none can. */
export function reasonToWarnOfNoLock(survey: Survey): Reason | undefined {
  const bare = missingIn(survey).filter((missing) => hasServed(survey, missing));
  if (bare.length === 0) return undefined;
  return reasons.budgetMissing({
    subject: `nothing locks the pods of ${bare.map(({ role }) => role).join(', ')} while Drover is down`,
    budgets: bare.map(({ budget }) => budget),
    serverSays: [...new Set(bare.map(({ message }) => message))].join('; '),
  });
}

const missingIn = ({ snapshot }: Survey): readonly MissingBudget[] =>
  (snapshot.missingBudgets ?? []).toSorted((a, b) => (a.role < b.role ? -1 : 1));

/** Whether anything of a role is there, or was: also a volume whose pod is gone is data that wants to be served. */
const hasServed = ({ snapshot }: Survey, { role }: MissingBudget): boolean =>
  snapshot.processGroups.some((group) => group.role === role && !isUntouched(group));

const isUntouched = ({ addresses, pod, claim, service }: ProcessGroup): boolean =>
  addresses.length === 0 &&
  pod === null &&
  (claim === null || claim === 'none') &&
  (service === null || service === 'none');
