import type { KubeClient } from '../kube/client.ts';
import { jsonCodec } from '../kube/codec.ts';
import { isForbidden } from '../kube/errors.ts';
import { selects } from '../kube/label-selection.ts';
import type { Pod } from '../kube/resources.ts';
import { budgetView } from '../operator/lock/budget-view.ts';
import type { DisruptionBudget } from '../operator/lock/lock-budget.ts';
import { disruptionBudgets, isLockName } from '../operator/lock/lock-budget.ts';

/** A disruption budget that selects a pod. */
export interface BudgetOver {
  readonly name: string;
  /** It is a lock of Drover's. */
  readonly isLock: boolean;
  /** Why it would not let the pod go now, as the API server would say it; undefined: it would. */
  readonly holds: string | undefined;
}

/** A budget with what the API server goes by when it is asked to evict something. */
export interface CountedBudget extends DisruptionBudget {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
    readonly desiredHealthy?: number;
    readonly currentHealthy?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/** The budgets that the API server would ask about this pod, by their names; undefined: the caller may not list them. */
export async function budgetsOver(
  client: KubeClient,
  pod: Pod,
  signal: AbortSignal,
): Promise<readonly BudgetOver[] | undefined> {
  // The API server evicts what does not run yet without a look at any budget.
  if (pod.status?.phase === 'Pending') return [];
  const codec = jsonCodec<CountedBudget, CountedBudget>((budget) => budget);
  try {
    const { items } = await client.list(disruptionBudgets, codec, { signal, namespace: pod.metadata.namespace ?? '' });
    return items
      .filter(({ spec }) => spec?.selector !== undefined && selects(spec.selector, pod.metadata.labels ?? {}))
      .map((budget) => ({ name: budget.metadata.name, isLock: isLock(budget), holds: whyHeld(budget, pod) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** By its name too: a lock whose labels or owner somebody took away is still the lock. */
const isLock = (budget: DisruptionBudget): boolean =>
  budgetView(budget).lockOf !== undefined || isLockName(budget.metadata.name);

/** As `pkg/registry/core/pod/storage/eviction.go` judges it: it answers itself only where no webhook has answered before. */
export function whyHeld({ metadata: { name, generation = 0 }, spec, status = {} }: CountedBudget, pod: Pod) {
  const { desiredHealthy = 0, currentHealthy = 0, disruptionsAllowed = 0, observedGeneration = 0 } = status;
  const isWhole = currentHealthy >= desiredHealthy && desiredHealthy > 0;
  if (!isReady(pod) && (isWhole || spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow')) return undefined;
  if (observedGeneration < generation) return `The disruption budget ${name} is still being processed by the server.`;
  if (disruptionsAllowed > 0) return undefined;
  const failure = status.conditions?.find(
    (condition) =>
      condition.type === 'DisruptionAllowed' && condition.status === 'False' && condition.reason === 'SyncFailed',
  )?.message;
  return failure === undefined
    ? `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
    : `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${failure}`;
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
