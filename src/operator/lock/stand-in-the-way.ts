import type { Labels } from '../../kube/label-selection.ts';
import { selects } from '../../kube/label-selection.ts';
import type { BudgetView } from './budget-view.ts';
import { isLockOf } from './budget-view.ts';
import { closed, guardLabel } from './guard-label.ts';
import { lockBudget } from './lock-budget.ts';
import type { LockedRole, LockOwner } from './lock-owner.ts';
import type { LockState } from './lock-state.ts';

/**
 * What keeps an owner from locking its pods: budgets of others that select one of them, or the lock of an older owner. Of two that would lock the
 * same pod the one whose lock was made first has it.
 */
export function standInTheWay(
  owner: LockOwner,
  roles: readonly LockedRole[],
  budgets: readonly BudgetView[],
  podLabels: readonly Labels[],
): Exclude<LockState, { readonly is: 'locked' | 'missing' }> | undefined {
  // As they are while the lock is closed: an open pod is under no lock, and will be again.
  const pods = podLabels
    .map((labels) => ({ ...labels, [guardLabel]: closed }))
    .filter((labels) => roles.some(({ selector }) => selects(selector, labels)));
  const inTheWay = budgets.filter(
    (budget) => !isLockOf(owner, budget) && pods.some((labels) => selects(budget.spec.selector ?? nothing, labels)),
  );
  const foreign = inTheWay.filter(({ lockOf }) => lockOf === undefined).map(({ key }) => key);
  if (foreign.length > 0) return { is: 'foreign', budgets: foreign.toSorted() };
  const mine = ownSince(owner, roles, budgets);
  const older = inTheWay.filter(({ createdAt, key }) => `${createdAt} ${key}` < mine);
  if (older.length === 0) return undefined;
  const owners = older.flatMap(({ lockOf }) => (lockOf === undefined ? [] : [`${lockOf.kind} ${lockOf.name}`]));
  return { is: 'overlapping', owners: [...new Set(owners)].toSorted() };
}

/** A budget without a selector selects nothing. */
const nothing = { matchExpressions: [{ key: '', operator: 'none' }] };

/** Sorts by the first lock that the owner has; one that has none yet comes last. */
function ownSince(owner: LockOwner, roles: readonly LockedRole[], budgets: readonly BudgetView[]): string {
  const own = budgets.filter((budget) => isLockOf(owner, budget)).map(({ createdAt, key }) => `${createdAt} ${key}`);
  const [first] = own.toSorted();
  if (first !== undefined) return first;
  const [role] = roles;
  return role === undefined ? '~' : `~ ${lockBudget(owner, role).metadata.name}`;
}
