import type { KubeClient } from '../../kube/client.ts';
import { isConflict, isNotFound, isTooManyRequests, KubeApiError } from '../../kube/errors.ts';
import { parseKey } from '../../kube/object.ts';
import type { PodToEvict } from '../../model/drain.ts';
import { reasons } from '../../model/reasons.ts';
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

/** The API server's answer to a pod under two budgets is a 500 that names none of them. */
export const severalBudgets = 'more than one PodDisruptionBudget';

function whyRefused(error: unknown, budgets: readonly string[]): WhyRefused {
  const words = wordsOf(error);
  if (error instanceof KubeApiError && error.status === 500 && error.message.includes(severalBudgets)) {
    return (pod) => reasons.severalBudgets({ pod, budgets });
  }
  if (isTooManyRequests(error) && budgets.length > 0 && isByBudget(error)) {
    return (pod) => reasons.budgetHolds({ pod, budgets, words });
  }
  return (pod) => reasons.evictionRefused({ pod, words });
}

const isByBudget = ({ details, message }: KubeApiError): boolean =>
  details?.causes?.some(({ reason }) => reason === 'DisruptionBudget') === true ||
  message.includes('disruption budget');

/** What the API server says, without what it was asked: that is known. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A webhook's message has all its causes in it; a budget's has none.
  const cause = error instanceof KubeApiError && isByBudget(error) ? error.details?.causes?.[0]?.message : undefined;
  return cause ?? error.message.replace(/^[A-Z]+ \/\S+: /, '').replace(/ \(\d{3}\)$/, '');
}
