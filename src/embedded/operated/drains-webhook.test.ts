import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../kube/object.ts';
import { parseKey } from '../../kube/object.ts';
import type { Pod } from '../../kube/resources.ts';
import { pods } from '../../kube/resources.ts';
import { guardKey } from '../../operator/lock/desk.ts';
import type { DisruptionBudget } from '../../operator/lock/lock-budget.ts';
import { disruptionBudgets } from '../../operator/lock/lock-budget.ts';
import { statefulClusters } from '../../operator/stateful-cluster/view.ts';
import { key } from './testing/foundationdb-spec.ts';
import { guardedStore } from './testing/guarded-store.ts';
import { kubectlDrain } from './testing/kubectl-drain.ts';
import { onNetworkVolumes } from './testing/network-volumes.ts';
import { nothingLost, runningCluster } from './testing/running-cluster.ts';

const call = { signal: new AbortController().signal };
const guard = guardKey('StatefulCluster', key);

describe('the webhook cannot be reached', () => {
  test('and a drain that was heard before still ends, because Drover evicts by itself', async () => {
    const cluster = await runningCluster({ drainPolicy: 'block-for-eviction' });
    const { world } = cluster;
    const id = (await cluster.ids('storage'))[0] ?? '';
    const node = cluster.pod(id)?.nodeName ?? '';
    expect((await kubectlDrain(world, node, { timeout: 5 })).said.join()).toContain('drover: storage-');
    world.webhookIsReachable = false;
    const { said, exit } = await kubectlDrain(world, node);
    expect(exit).toBe(0);
    expect(said).toEqual([expect.stringContaining("would violate the pod's disruption budget")]);
    expect(world.asked).toHaveLength(1);
    expect(cluster.truth()).toMatchObject(nothingLost);
  });

  test('and a drain that nobody heard of waits at the lock, until it can be reached', async () => {
    const cluster = await runningCluster({ roles: onNetworkVolumes });
    const { world } = cluster;
    const id = (await cluster.ids('storage'))[0] ?? '';
    const node = cluster.pod(id)?.nodeName ?? '';
    world.webhookIsReachable = false;
    expect((await kubectlDrain(world, node, { timeout: 60 })).exit).toBeUndefined();
    world.webhookIsReachable = true;
    expect((await kubectlDrain(world, node)).exit).toBe(0);
  });
});

describe('an operator that has just started', () => {
  test('says so, instead of the words of the budget, until it knows what it guards', async () => {
    const cluster = await runningCluster({ drainPolicy: 'block-for-eviction' });
    const { world } = cluster;
    const id = (await cluster.ids('storage'))[0] ?? '';
    await world.killOperator();
    world.startOperator();
    const evict = () => world.people.evict({ namespace: 'db', name: `orders-${id}` }, call);
    await expect(evict()).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining(`drover: orders-${id} stays: Drover has just started and reads what it guards`),
    });
    await world.pass(5);
    await expect(evict()).rejects.toMatchObject({ message: expect.stringContaining(`drover: ${id} stays: `) });
  });
});

describe('the budget of somebody else', () => {
  test('holds a drain by its own words, and lets it pass when it allows that', async () => {
    const cluster = await runningCluster({ roles: onNetworkVolumes });
    const { world } = cluster;
    const id = (await cluster.ids('storage'))[0] ?? '';
    const { uid = '', nodeName: node = '' } = cluster.pod(id) ?? {};
    const chart: DisruptionBudget = {
      metadata: { namespace: 'db', name: 'chart' },
      spec: { minAvailable: '100%', selector: { matchLabels: { 'drover.dev/role': 'storage' } } },
    };
    await world.people.create(disruptionBudgets, chart, call);
    await world.pass(5);
    const { said, exit } = await kubectlDrain(world, node ?? '', { timeout: 30 });
    expect(exit).toBeUndefined();
    expect(said.join()).toContain("would violate the pod's disruption budget");
    expect(said.join()).not.toContain('500');
    expect(cluster.pod(id)?.uid).toBe(uid);
    const spec = { minAvailable: 1 };
    await world.people.patch(disruptionBudgets, chart.metadata, { type: 'merge', body: { spec } }, call);
    expect((await kubectlDrain(world, node ?? '')).exit).toBe(0);
    await world.pass(10);
    expect(cluster.truth()).toMatchObject(nothingLost);
  });

  test('on one role leaves the locks of the others where they are', async () => {
    const { world } = await runningCluster();
    const spec = { maxUnavailable: 1, selector: { matchLabels: { 'drover.dev/role': 'log' } } };
    const chart: DisruptionBudget = { metadata: { namespace: 'db', name: 'chart' }, spec };
    await world.people.create(disruptionBudgets, chart, call);
    await world.pass(5);
    const lockOf = (role: string) =>
      world.people.get(disruptionBudgets, { namespace: 'db', name: `drover-cluster-orders.${role}` }, call);
    await expect(lockOf('log')).rejects.toThrow('not found');
    expect((await lockOf('storage')).spec?.minAvailable).toBe(2_147_483_647);
  });
});

describe('a drain that waits', () => {
  // Half an hour each with DROVER_WAITING_SECONDS=1800.
  const half = Number(process.env['DROVER_WAITING_SECONDS'] ?? 180);

  test('asks for no more in the second half of its time than in the first, and nothing piles up', async () => {
    const cluster = await runningCluster({ drainPolicy: 'block-for-eviction' }, 1, {
      database: { bytes: 2 ** 46, recoveryAgesBy: 10 },
    });
    const { world } = cluster;
    const id = (await cluster.ids('storage'))[0] ?? '';
    const node = cluster.pod(id)?.nodeName ?? '';
    await kubectlDrain(world, node, { timeout: 60 });
    const halfOfIt = async () => {
      const before = { requests: world.requests, writes: world.writes.length };
      expect((await kubectlDrain(world, node, { timeout: half })).exit).toBeUndefined();
      return { requests: world.requests - before.requests, writes: world.writes.length - before.writes };
    };
    const [first, second] = [await halfOfIt(), await halfOfIt()];
    expect(Math.abs(second.requests - first.requests)).toBeLessThanOrEqual(Math.max(4, first.requests * 0.05));
    // Once a minute who asks, and what else is news.
    expect(second.writes).toBeLessThanOrEqual(first.writes + 2);
    expect(world.desk?.asksFor(guard).length).toBeLessThanOrEqual(1);
    expect((await world.status(key)).asks).toMatchObject([{ process: id, by: 'jane' }]);
    expect(world.errors).toEqual([]);
  });
});

describe('a namespace without guards', () => {
  test('is never asked about', async () => {
    const { world } = await runningCluster();
    const pod: Pod = {
      metadata: { namespace: 'default', name: 'web' },
      spec: { containers: [{ name: 'web', image: 'web' }] },
    };
    await world.people.create(pods, pod, call);
    await world.pass(10);
    await world.people.evict({ namespace: 'default', name: 'web' }, call);
    expect(world.asked).toEqual([]);
  });

  test('is marked with its first guard and unmarked with its last', async () => {
    const { world } = await runningCluster();
    const isMarked = async () => {
      const object: KubeObject = await world.people.get(
        { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false },
        { name: 'db' },
        call,
      );
      return object.metadata.labels?.['drover.dev/guarded'];
    };
    expect(await isMarked()).toBe('true');
    await world.people.delete(statefulClusters, parseKey(key), call);
    await world.pass(30);
    expect(await isMarked()).toBeUndefined();
  });
});

describe('a pod that is evicted without a drain, as the descheduler does', () => {
  const inBackground = 'Eviction triggered evacuation';

  test('of a guard is told to be on its way once its data moves, with the causes', async () => {
    const spec = { drainPolicy: 'block-for-eviction' } as const;
    const guarded = await guardedStore({ spec, storageClass: 'local' });
    const { pod } = guarded.holder();
    const evict = () => guarded.world.people.evict({ namespace: 'db', name: pod }, call);
    await expect(evict()).rejects.toMatchObject({
      status: 429,
      message: expect.not.stringContaining(inBackground),
      details: { causes: [{ reason: 'HoldsReplicas', message: expect.stringContaining('must move away first') }] },
    });
    await guarded.world.pass(5);
    await expect(evict()).rejects.toMatchObject({ status: 429, message: expect.stringContaining(inBackground) });
  });

  test('of a cluster is, too; a drain prints what it always did', async () => {
    const cluster = await runningCluster({ drainPolicy: 'block-for-eviction' });
    const [evicted = '', drained = ''] = await cluster.ids('storage');
    const evict = () => cluster.world.people.evict({ namespace: 'db', name: `orders-${evicted}` }, call);
    await expect(evict()).rejects.toMatchObject({ message: expect.not.stringContaining(inBackground) });
    await cluster.world.pass(5);
    await expect(evict()).rejects.toMatchObject({ status: 429, message: expect.stringContaining(inBackground) });
    const node = cluster.pod(drained)?.nodeName ?? '';
    const { said } = await kubectlDrain(cluster.world, node);
    expect(said.join('\n')).toContain(`${drained} stays: `);
    expect(said.join('\n')).not.toContain(inBackground);
  });
});
