import { describe, expect, test } from 'vitest';
import { selects } from '../../kube/label-selection.ts';
import { budgetView, isLockOf } from './budget-view.ts';
import { closed, guardLabel, open } from './guard-label.ts';
import { lockBudget } from './lock-budget.ts';
import type { LockOwner } from './lock-owner.ts';

const owner: LockOwner = { kind: 'StatefulCluster', namespace: 'db', name: 'orders', uid: 'u1' };
const role = { role: 'storage', selector: { matchLabels: { app: 'fdb' } } };

describe('the lock of a role', () => {
  test('is a budget that more pods would have to be healthy for than there can be', () => {
    expect(lockBudget(owner, role)).toEqual({
      metadata: {
        namespace: 'db',
        name: 'drover-cluster-orders.storage',
        labels: {
          'drover.dev/lock-of-kind': 'StatefulCluster',
          'drover.dev/lock-of': 'orders',
          'drover.dev/role': 'storage',
        },
        ownerReferences: [
          {
            apiVersion: 'drover.dev/v1alpha1',
            kind: 'StatefulCluster',
            name: 'orders',
            uid: 'u1',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        minAvailable: 2_147_483_647,
        selector: {
          matchLabels: { app: 'fdb' },
          matchExpressions: [{ key: 'drover.dev/guard', operator: 'NotIn', values: ['open'] }],
        },
      },
    });
  });

  test.each([
    ['born without the label', {}, true],
    ['closed again', { [guardLabel]: closed }, true],
    ['with nonsense in the label', { [guardLabel]: 'opened' }, true],
    ['open', { [guardLabel]: open }, false],
  ])('selects a pod that is %s: %j %s', (_, label, isLocked) => {
    const selector = lockBudget(owner, role).spec?.selector ?? {};
    expect(selects(selector, { app: 'fdb', ...label })).toBe(isLocked);
    expect(selects(selector, { app: 'other', ...label })).toBe(false);
  });

  test('keeps what the role itself asks of labels', () => {
    const matchExpressions = [{ key: 'tier', operator: 'Exists' }];
    const selector = lockBudget(owner, { role: 'storage', selector: { matchExpressions } }).spec?.selector ?? {};
    expect(selector.matchLabels).toBeUndefined();
    expect(selects(selector, { tier: 'gold' })).toBe(true);
    expect(selects(selector, {})).toBe(false);
  });

  test('of a role with an underscore has a name that an object can have', () => {
    const { metadata } = lockBudget(owner, { role: 'commit_proxy', selector: {} });
    expect(metadata.name).toBe('drover-cluster-orders.commit--proxy');
    expect(metadata.labels?.['drover.dev/role']).toBe('commit_proxy');
  });

  test.each<[Partial<LockOwner>, string, Partial<LockOwner>, string]>([
    [{ name: 'a-b' }, 'c', { name: 'a' }, 'b-c'],
    [{ name: 'a' }, 'b_c', { name: 'a' }, 'b-c'],
    [{ kind: 'EvictionGuard', name: 'a.b' }, 'c', { kind: 'EvictionGuard', name: 'a' }, 'b-c'],
    [{ kind: 'EvictionGuard', name: 'a.b' }, 'c', { kind: 'EvictionGuard', name: 'a' }, 'b_c'],
  ])('of %j and role %s has another name than that of %j and role %s', (one, first, other, second) => {
    const named = (given: Partial<LockOwner>, text: string) =>
      lockBudget({ ...owner, ...given }, { role: text, selector: {} }).metadata.name;
    expect(named(one, first)).not.toBe(named(other, second));
  });

  test('of a guard has another name than that of a cluster', () => {
    expect(lockBudget({ ...owner, kind: 'EvictionGuard' }, role).metadata.name).toBe('drover-guard-orders.storage');
  });
});

describe('a lock is known', () => {
  const lock = lockBudget(owner, role);
  const [reference] = lock.metadata.ownerReferences ?? [];

  test('by its owner and its labels', () => {
    expect(isLockOf(owner, budgetView(lock))).toBe(true);
    expect(isLockOf({ ...owner, uid: 'u2' }, budgetView(lock))).toBe(false);
    expect(isLockOf({ ...owner, namespace: 'db2' }, budgetView(lock))).toBe(false);
  });

  test.each([
    ['without labels', { labels: {} }],
    ['without an owner', { ownerReferences: [] }],
    ['with an owner that does not control it', { ownerReferences: [{ ...reference, controller: false }] }],
    ['of a kind that locks nothing', { labels: { 'drover.dev/lock-of-kind': 'Deployment' } }],
  ])('not %s', (_, metadata) => {
    const other = JSON.parse(JSON.stringify({ ...lock, metadata: { ...lock.metadata, ...metadata } }));
    expect(budgetView(other).lockOf).toBeUndefined();
  });
});
