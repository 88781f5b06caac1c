import type { Labels } from '../../kube/label-selection.ts';
import { selects } from '../../kube/label-selection.ts';
import { keyText } from '../../kube/object.ts';
import type { BudgetView } from './budget-view.ts';
import { isLockOf } from './budget-view.ts';
import { closed, guardLabel } from './guard-label.ts';
import { lockBudget } from './lock-budget.ts';
import type { LockedRole, LockOwner } from './lock-owner.ts';
import type { LockState } from './lock-state.ts';

type Obstacle = Exclude<LockState, { readonly is: 'locked' | 'missing' }>;

/** Which roles of an owner can be locked, and what stands in the way of the others; undefined: nothing does. */
export interface Lockable<Role extends LockedRole = LockedRole> {
  readonly roles: readonly Role[];
  /** Those whose pods somebody else's budget selects: no lock of Drover's can be on them. */
  readonly bare: readonly Role[];
  readonly obstacle: Obstacle | undefined;
}

/**
 * What keeps an owner from locking its pods: budgets of others that select one of them, or the lock of an older owner. Of two that would lock the
 * same pod the one whose lock was made first has it. Only the role whose pods are concerned goes without its lock.
 */
export function lockable<Role extends LockedRole>(
  owner: LockOwner,
  roles: readonly Role[],
  budgets: readonly BudgetView[],
  podLabels: readonly Labels[],
): Lockable<Role> {
  const own = new Set(roles.map((role) => keyText(lockBudget(owner, role).metadata)));
  const others = budgets.filter((budget) => !isOwn(owner, own, budget));
  const mine = ownSince(owner, roles, budgets);
  const found = roles.map((role) => ({ role, obstacle: inTheWayOf(role, others, podLabels, mine) }));
  return {
    roles: found.filter(({ obstacle }) => obstacle === undefined).map(({ role }) => role),
    bare: found.filter(({ obstacle }) => obstacle?.is === 'foreign').map(({ role }) => role),
    obstacle: together(found.flatMap(({ obstacle }) => obstacle ?? [])),
  };
}

/** By its name too: a lock whose labels or owner somebody took away is still the lock, and is mended. */
const isOwn = (owner: LockOwner, own: ReadonlySet<string>, budget: BudgetView): boolean =>
  isLockOf(owner, budget) ||
  (own.has(budget.key) &&
    (budget.lockOf === undefined || (budget.lockOf.kind === owner.kind && budget.lockOf.name === owner.name)));

function inTheWayOf(
  { selector }: LockedRole,
  others: readonly BudgetView[],
  podLabels: readonly Labels[],
  mine: string,
): Obstacle | undefined {
  // As they are while the lock is closed: an open pod is under no lock, and will be again.
  const pods = podLabels
    .map((labels) => ({ ...labels, [guardLabel]: closed }))
    .filter((labels) => selects(selector, labels));
  const inTheWay = others.filter(({ spec }) => pods.some((labels) => selects(spec.selector ?? nothing, labels)));
  const foreign = inTheWay.filter(({ lockOf }) => lockOf === undefined).map(({ key }) => key);
  if (foreign.length > 0) return { is: 'foreign', budgets: foreign };
  const older = inTheWay.filter(({ createdAt, key }) => `${createdAt} ${key}` < mine);
  if (older.length === 0) return undefined;
  const owners = older.flatMap(({ lockOf }) => (lockOf === undefined ? [] : [`${lockOf.kind} ${lockOf.name}`]));
  return { is: 'overlapping', owners };
}

/** A foreign budget is told before a guard that overlaps: it makes every eviction fail. */
function together(obstacles: readonly Obstacle[]): Obstacle | undefined {
  const budgets = obstacles.flatMap((one) => (one.is === 'foreign' ? one.budgets : []));
  if (budgets.length > 0) return { is: 'foreign', budgets: [...new Set(budgets)].toSorted() };
  const owners = obstacles.flatMap((one) => (one.is === 'overlapping' ? one.owners : []));
  return owners.length > 0 ? { is: 'overlapping', owners: [...new Set(owners)].toSorted() } : undefined;
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
