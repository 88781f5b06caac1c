import type { EpochMillis } from '../../../kube/clock.ts';
import { fromTimestamp, minutes } from '../../../kube/clock.ts';
import { isString, type JsonObject, objectAt } from '../../api-server/json.ts';
import type { World } from '../../api-server/world.ts';
import { isDeleting, isReady, type PodView } from '../pod-view.ts';
import { textsAt } from '../texts.ts';
import { expectedScale } from './expected-scale.ts';

/** What a budget counts to. */
export interface BudgetCount {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptionsAllowed: number;
  /** Pods whose eviction was granted and that are not seen deleted yet, with the time of the grant. */
  readonly disruptedPods: Readonly<Record<string, string>>;
  /** When one of these grants runs out. */
  readonly recheckAt: EpochMillis | undefined;
}

/** How long a granted eviction is waited for: `DeletionTimeout`. */
const deletionTimeout = minutes(2);

/** After `trySync` of the disruption controller. Throws `ScaleUnknown` where the owners cannot be asked. */
export function countBudget(world: World, budget: JsonObject, pods: readonly PodView[], now: EpochMillis): BudgetCount {
  const { expectedPods, desiredHealthy } = wantedHealthy(world, objectAt(budget, 'spec'), pods);
  const disruptedPods: Record<string, string> = {};
  let recheckAt: number | undefined;
  const granted = textsAt(budget, 'status', 'disruptedPods');
  for (const pod of pods) {
    const at = granted[pod.name];
    if (at === undefined || isDeleting(pod)) continue;
    const end = (fromTimestamp(at) ?? now) + deletionTimeout;
    if (end < now) continue;
    disruptedPods[pod.name] = at;
    recheckAt = Math.min(end, recheckAt ?? end);
  }
  const currentHealthy = pods.filter(
    (pod) => !isDeleting(pod) && disruptedPods[pod.name] === undefined && isReady(pod),
  ).length;
  // No pods are expected: a budget that selects nothing yet must not be open when its first pod comes.
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const recheck = recheckAt === undefined ? undefined : fromTimestamp(new Date(recheckAt).toISOString());
  return { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed, disruptedPods, recheckAt: recheck };
}

function wantedHealthy(
  world: World,
  { minAvailable, maxUnavailable }: JsonObject,
  pods: readonly PodView[],
): { readonly expectedPods: number; readonly desiredHealthy: number } {
  if (maxUnavailable !== undefined) {
    const expectedPods = expectedScale(world, pods).pods;
    return { expectedPods, desiredHealthy: Math.max(0, expectedPods - scaled(maxUnavailable, expectedPods)) };
  }
  if (isString(minAvailable)) {
    const expectedPods = expectedScale(world, pods).pods;
    return { expectedPods, desiredHealthy: scaled(minAvailable, expectedPods) };
  }
  if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable };
  return { expectedPods: 0, desiredHealthy: 0 };
}

/** A number as it is, a percentage rounded up. */
function scaled(value: JsonObject[string], total: number): number {
  if (typeof value === 'number') return value;
  return isString(value) ? Math.ceil((Number(value.replace('%', '')) * total) / 100) : 0;
}
