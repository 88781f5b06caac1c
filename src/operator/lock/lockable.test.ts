import { describe, expect, test } from 'vitest';
import type { BudgetView } from './budget-view.ts';
import { budgetView } from './budget-view.ts';
import { guardLabel, open } from './guard-label.ts';
import type { DisruptionBudget } from './lock-budget.ts';
import { lockBudget } from './lock-budget.ts';
import type { LockOwner } from './lock-owner.ts';
import { lockable } from './lockable.ts';

const owner = (name: string, given: Partial<LockOwner> = {}): LockOwner => ({
  kind: 'StatefulCluster',
  namespace: 'db',
  name,
  uid: `uid-${name}`,
  ...given,
});
const role = (name: string) => ({ role: name, selector: { matchLabels: { role: name } } });
const [storage, log] = [role('storage'), role('log')];
const pods = [{ role: 'storage' }, { role: 'log' }];

const made = (budget: DisruptionBudget, creationTimestamp = '2026-11-15T00:00:00Z'): BudgetView =>
  budgetView({ ...budget, metadata: { ...budget.metadata, creationTimestamp } });
const foreign = (name: string, selector?: NonNullable<DisruptionBudget['spec']>['selector']): BudgetView =>
  made({ metadata: { namespace: 'db', name }, spec: { ...(selector !== undefined && { selector }) } });
const lockOf = (whose: LockOwner, of: typeof storage, at?: string): BudgetView => made(lockBudget(whose, of), at);

/** Which roles of `orders` can be locked, and what stands in the way of the rest. */
function found(budgets: readonly BudgetView[], labels: readonly Readonly<Record<string, string>>[] = pods) {
  const { roles, obstacle } = lockable(owner('orders'), [storage, log], budgets, labels);
  return { roles: roles.map((one) => one.role), obstacle };
}

describe('a role is locked', () => {
  const everything = { roles: ['storage', 'log'], obstacle: undefined };
  test.each<[string, readonly BudgetView[]]>([
    ['where there is no budget', []],
    ['where its own lock is there already', [lockOf(owner('orders'), storage)]],
    ['beside a budget for other pods', [foreign('chart', { matchLabels: { role: 'web' } })]],
    ['beside a budget without a selector, which selects nothing', [foreign('chart')]],
    [
      'before a guard that came later',
      [lockOf(owner('orders'), storage), lockOf(owner('late'), storage, '2026-11-16T00:00:00Z')],
    ],
    [
      'with a lock whose labels and owner somebody took away',
      [foreign('drover-cluster-orders.storage', { matchLabels: { role: 'storage' } })],
    ],
    ['where a cluster of that name was before', [lockOf(owner('orders', { uid: 'uid-before' }), storage)]],
  ])('%s', (_, budgets) => {
    expect(found(budgets)).toEqual(everything);
  });

  test.each<[string, readonly BudgetView[], object]>([
    [
      'one role only, where the budget of somebody else selects the pods of the other',
      [foreign('chart', { matchLabels: { role: 'log' } })],
      { roles: ['storage'], obstacle: { is: 'foreign', budgets: ['db/chart'] } },
    ],
    [
      'none, where it selects everything; all such budgets are named, once and in order',
      [foreign('z', {}), foreign('a', {})],
      { roles: [], obstacle: { is: 'foreign', budgets: ['db/a', 'db/z'] } },
    ],
    [
      'not again where an older guard has the pods',
      [lockOf(owner('old', { kind: 'EvictionGuard' }), storage)],
      { roles: ['log'], obstacle: { is: 'overlapping', owners: ['EvictionGuard old'] } },
    ],
    [
      'with a foreign budget told before an older guard',
      [lockOf(owner('old'), storage), foreign('chart', { matchLabels: { role: 'log' } })],
      { roles: [], obstacle: { is: 'foreign', budgets: ['db/chart'] } },
    ],
    [
      'not over the lock of another owner that came to have the same name',
      [
        made({
          ...lockBudget(owner('old'), storage),
          metadata: { ...lockBudget(owner('old'), storage).metadata, name: 'drover-cluster-orders.storage' },
        }),
      ],
      { roles: ['log'], obstacle: { is: 'overlapping', owners: ['StatefulCluster old'] } },
    ],
  ])('%s', (_, budgets, expected) => {
    expect(found(budgets)).toEqual(expected);
  });

  test('not for a moment where a pod stands open: it will be closed again', () => {
    const chart = foreign('chart', { matchExpressions: [{ key: guardLabel, operator: 'NotIn', values: [open] }] });
    expect(found([chart], [{ role: 'storage', [guardLabel]: open }]).obstacle?.is).toBe('foreign');
  });

  test('of two that want the same pods at once by exactly one', () => {
    const [a, b] = [owner('a'), owner('b')];
    const both = [lockOf(a, storage), lockOf(b, storage)];
    const locks = [a, b].map((one) => lockable(one, [storage], both, pods).roles.length);
    expect(locks).toEqual([1, 0]);
  });
});
