import type { KubeClient } from '../../kube/client.ts';
import { isConflict, isNotFound, isTooManyRequests } from '../../kube/errors.ts';
import { parseKey } from '../../kube/object.ts';
import type { PodToEvict } from '../../model/drain.ts';
import { reasons } from '../../model/reasons.ts';
import { evictionWords, isByBudget, isUnderSeveral } from '../lock/held-by-budget.ts';
import type { WhyRefused } from './refusals.ts';

/** What came of an eviction. `again`: somebody else was faster, and the next look sees what is there now. */
export type Evicted =
  | { readonly outcome: 'evicted' | 'gone' | 'again' }
  | { readonly outcome: 'refused'; readonly why: WhyRefused };

/** Asks the API server to evict this very pod. Throws only when nobody waits any more. */
export async function evict(
  client: KubeClient,
  { name, budgets, precondition }: PodToEvict,
  gracePeriodSeconds: number | null,
  signal: AbortSignal,
): Promise<Evicted> {
  try {
    await client.evict(parseKey(name), {
      signal,
      preconditions: { uid: precondition.uid },
      ...(gracePeriodSeconds !== null && { gracePeriodSeconds }),
    });
    return { outcome: 'evicted' };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (isNotFound(error)) return { outcome: 'gone' };
    if (isConflict(error)) return { outcome: 'again' };
    return { outcome: 'refused', why: whyRefused(error, budgets) };
  }
}

function whyRefused(error: unknown, budgets: readonly string[]): WhyRefused {
  const words = evictionWords(error);
  if (isUnderSeveral(error)) return (pod) => reasons.severalBudgets({ pod, budgets });
  if (isTooManyRequests(error) && budgets.length > 0 && isByBudget(error)) {
    return (pod) => reasons.budgetHolds({ pod, budgets, words });
  }
  return (pod) => reasons.evictionRefused({ pod, words });
}
