import type { EvictionGuardStatus } from '../../api/v1alpha1/eviction-guard.schema.ts';
import { list } from '../../model/phrases.ts';
import type { LockState } from '../lock/lock-state.ts';
import { withJudgements } from '../status/conditions.ts';
import type { Guard } from './guard.ts';
import { lockedOf, notAsked } from './guard-conditions.ts';
import type { Member } from './members.ts';

/** Somebody else has the pods, or two roles do. */
type Overlapping = Extract<LockState, { readonly is: 'overlapping' }>;

/**
 * Two roles of one guard select the same pod: which of their rules holds is not known. Both budgets stay, so that the API server refuses to evict it
 * all the same.
 */
export function selectedTwice(members: readonly Member[]): Overlapping | undefined {
  const twice = members.find(({ roles }) => roles.length > 1);
  if (twice === undefined) return undefined;
  return { is: 'overlapping', owners: [`${list(twice.roles, 5)} of this very guard, such as ${twice.view.pod.name},`] };
}

/** The status of a guard that does nothing because others have its pods: what it had on record before stays. */
export function besideAnother(
  { status: before, generation }: Pick<Guard, 'status' | 'generation'>,
  pods: number,
  lock: Overlapping,
  now: string,
): EvictionGuardStatus {
  const blocked = {
    type: 'Blocked',
    status: 'False',
    reason: 'NothingWaits',
    message: 'nobody waits for a pod to go',
  } as const;
  return {
    ...before,
    observedGeneration: generation,
    counts: { ...before.counts, pods, leaving: 0, waiting: 0 },
    conditions: withJudgements(before.conditions, [lockedOf(lock, pods), notAsked, blocked], { generation, now }),
  };
}
