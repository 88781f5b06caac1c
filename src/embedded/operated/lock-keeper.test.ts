import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import { disruptionBudgets, lockBudget } from '../../operator/lock/lock-budget.ts';
import type { GivenKeeper } from './testing/given-keeper.ts';
import {
  alive,
  budgets,
  call,
  foreign,
  givenKeeper,
  keep,
  labels,
  log,
  orders,
  owner,
  storage,
} from './testing/given-keeper.ts';

const namespaces: Resource<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

const mark = async ({ people }: GivenKeeper) =>
  (await people.get(namespaces, { name: 'db' }, call)).metadata.labels?.['drover.dev/guarded'];

const both = ['drover-cluster-orders.log', 'drover-cluster-orders.storage'];

describe('the keeper of the locks', () => {
  test('makes one for each role, marks the namespace, and then leaves both alone', async () => {
    const world = await givenKeeper();
    expect(await keep(world)).toEqual({ is: 'locked' });
    expect(await budgets(world)).toEqual(both);
    expect(await mark(world)).toBe('true');
    const before = world.state.writes.length;
    await keep(world);
    expect(world.state.writes).toHaveLength(before);
  });

  test('does not mind that one is there of which the watch has not told yet', async () => {
    const world = await givenKeeper();
    await Promise.all([
      world.keeper.keep(orders, [storage], labels, alive),
      world.keeper.keep(orders, [storage], labels, alive),
    ]);
    expect(await budgets(world)).toEqual(['drover-cluster-orders.storage']);
  });

  test.each([
    ['the budget', { spec: { minAvailable: 1 } }],
    ['whom it selects', { spec: { selector: { matchLabels: { role: 'nobody' } } } }],
    ['what makes sick pods go', { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } }],
    ['whose it is', { metadata: { ownerReferences: null } }],
    ['that it is a lock', { metadata: { labels: null } }],
  ])('mends it when somebody changes %s, and hears of that', async (_, body) => {
    const world = await givenKeeper();
    await keep(world);
    const key = { namespace: 'db', name: 'drover-cluster-orders.log' };
    const before = await world.people.get(disruptionBudgets, key, call);
    world.heard.length = 0;
    await world.people.patch(disruptionBudgets, key, { type: 'merge', body }, call);
    await world.seen();
    expect(world.heard).toEqual(['db']);
    expect(await keep(world)).toEqual({ is: 'locked' });
    const after = await world.people.get(disruptionBudgets, key, call);
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata.ownerReferences).toEqual(before.metadata.ownerReferences);
    expect(after.metadata.labels).toEqual(before.metadata.labels);
  });

  test('takes it away with its role, and does not mind that somebody was faster', async () => {
    const world = await givenKeeper();
    await keep(world);
    await keep(world, [storage]);
    expect(await budgets(world)).toEqual(['drover-cluster-orders.storage']);
    await world.people.delete(disruptionBudgets, { namespace: 'db', name: 'drover-cluster-orders.storage' }, call);
    expect(await world.keeper.keep(orders, [], labels, alive)).toEqual({ is: 'locked' });
    expect(await budgets(world)).toEqual([]);
  });

  test.each([
    ['/poddisruptionbudgets', both, []],
    ['/api/v1/namespaces/db', [], both],
  ])('says so where it may not write %s, and which locks are not there for that', async (what, missing, made) => {
    const world = await givenKeeper();
    world.state.refuses = what;
    const state = await keep(world);
    expect(state).toMatchObject({ is: 'missing', why: expect.stringContaining('403') });
    const words = missing.map((budget) => ({ role: budget.replace(/^.*\./, ''), budget, message: 'no (403)' }));
    expect(state.is === 'missing' && new Set(state.budgets)).toEqual(new Set(words));
    expect(await budgets(world)).toEqual(made);
    world.state.refuses = '';
    expect(await keep(world)).toEqual({ is: 'locked' });
  });

  test('makes the locks that it may make where another is refused, and takes none away before all are there', async () => {
    const world = await givenKeeper();
    const { metadata, ...rest } = lockBudget(orders, log);
    const old = { ...rest, metadata: { ...metadata, name: 'drover-cluster-orders-log' } };
    await world.people.create(disruptionBudgets, old, call);
    await world.seen();
    world.state.refuses = 'drover-cluster-orders.log';
    expect(await keep(world)).toMatchObject({ is: 'missing', budgets: [{ role: 'log', budget: both[0] }] });
    expect(await budgets(world)).toEqual(['drover-cluster-orders-log', both[1]]);
  });

  test('does not call a lock missing that is there and may not be mended', async () => {
    const world = await givenKeeper();
    await keep(world);
    const body = { spec: { minAvailable: 1 } };
    await world.people.patch(
      disruptionBudgets,
      { namespace: 'db', name: both[0] ?? '' },
      { type: 'merge', body },
      call,
    );
    await world.seen();
    world.state.refuses = 'poddisruptionbudgets';
    expect(await keep(world)).toMatchObject({ is: 'missing', budgets: [] });
  });

  test('takes away those that have names as they were given before, once the new ones are there', async () => {
    const world = await givenKeeper();
    const { metadata, ...rest } = lockBudget(orders, log);
    const old = { ...rest, metadata: { ...metadata, name: 'drover-cluster-orders-log' } };
    await world.people.create(disruptionBudgets, old, call);
    await world.seen();
    expect(await keep(world)).toEqual({ is: 'locked' });
    expect(await budgets(world)).toEqual(both);
    expect(world.state.writes.slice(-3)).toEqual([
      'POST poddisruptionbudgets',
      'POST poddisruptionbudgets',
      'DELETE drover-cluster-orders-log',
    ]);
  });

  test('steps aside for the budget of somebody else with that role alone, and comes back', async () => {
    const world = await givenKeeper();
    await keep(world);
    await world.people.create(disruptionBudgets, foreign, call);
    await world.seen();
    expect(await keep(world)).toEqual({ is: 'foreign', budgets: ['db/chart'] });
    expect(await budgets(world)).toEqual(['chart', 'drover-cluster-orders.storage']);
    await world.people.delete(disruptionBudgets, foreign.metadata, call);
    await world.seen();
    expect(await keep(world)).toEqual({ is: 'locked' });
    expect(await budgets(world)).toEqual(both);
  });

  test('of two owners that want the same pods has the first one keep them', async () => {
    const world = await givenKeeper();
    await keep(world);
    expect(await keep(world, [storage], owner('late'))).toEqual({
      is: 'overlapping',
      owners: ['StatefulCluster orders'],
    });
    expect(await budgets(world)).toEqual(both);
    expect(await keep(world)).toEqual({ is: 'locked' });
  });
});

describe('a namespace', () => {
  test('is unmarked with the last of its guards, and not while another is there', async () => {
    const world = await givenKeeper();
    await keep(world, [storage]);
    await keep(world, [log], owner('late'));
    await world.keeper.leave('StatefulCluster', 'db/orders', alive);
    expect(await mark(world)).toBe('true');
    for (const name of await budgets(world))
      await world.people.delete(disruptionBudgets, { namespace: 'db', name }, call);
    await world.seen();
    await world.keeper.leave('StatefulCluster', 'db/late', alive);
    expect(await mark(world)).toBeUndefined();
    await world.seen();
    const before = world.state.writes.length;
    await world.keeper.leave('StatefulCluster', 'db/late', alive);
    expect(world.state.writes).toHaveLength(before);
  });

  test('that loses its mark is heard of and marked again', async () => {
    const world = await givenKeeper();
    await keep(world);
    world.heard.length = 0;
    const body = { metadata: { labels: { 'drover.dev/guarded': null } } };
    await world.people.patch(namespaces, { name: 'db' }, { type: 'merge', body }, call);
    await world.seen();
    expect(world.heard).toEqual(['db']);
    await keep(world);
    expect(await mark(world)).toBe('true');
  });
});
