import { describe, expect, test } from 'vitest';
import { jsonCodec } from '../../kube/codec.ts';
import type { DisruptionBudget } from '../../operator/lock/lock-budget.ts';
import { disruptionBudgets } from '../../operator/lock/lock-budget.ts';
import { kubectlDrain, kubectlEvict, uncordon } from './testing/kubectl-drain.ts';
import { onNetworkVolumes } from './testing/network-volumes.ts';
import type { RunningCluster } from './testing/running-cluster.ts';
import { runningCluster } from './testing/running-cluster.ts';

const call = { signal: new AbortController().signal };
const nothingLost = { lost: [], unavailable: [], brokenQuorums: [] };

const storageOf = async (cluster: RunningCluster, index = 0): Promise<{ id: string; node: string; uid: string }> => {
  const id = (await cluster.ids('storage'))[index] ?? '';
  const pod = cluster.pod(id);
  return { id, node: pod?.nodeName ?? '', uid: pod?.uid ?? '' };
};

describe('the lock', () => {
  test('is there for every role that may not always go', async () => {
    const { world } = await runningCluster();
    const { items } = await world.people.list(
      disruptionBudgets,
      jsonCodec<DisruptionBudget, DisruptionBudget>((budget) => budget),
      { ...call, namespace: 'db' },
    );
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual([
      'drover-cluster-orders.log',
      'drover-cluster-orders.stateless',
      'drover-cluster-orders.storage',
    ]);
  });

  test('holds with the operator dead, whoever asks, and the drain ends once it is back', async () => {
    const cluster = await runningCluster();
    const { world } = cluster;
    const { node, id, uid } = await storageOf(cluster);
    await world.killOperator();
    const first = await kubectlDrain(world, node, { timeout: 60 });
    expect(first.exit).toBeUndefined();
    expect(first.said).toEqual([expect.stringContaining("would violate the pod's disruption budget. (429)")]);
    expect(cluster.pod(id)?.uid).toBe(uid);
    world.startOperator();
    expect((await kubectlDrain(world, node)).exit).toBe(0);
    expect(cluster.pod(id)?.uid).not.toBe(uid);
    expect(world.database('db/orders').truth()).toMatchObject(nothingLost);
  });

  test('is mended when somebody changes it, and made again when somebody deletes it', async () => {
    const { world } = await runningCluster();
    const key = { namespace: 'db', name: 'drover-cluster-orders.log' };
    await world.people.patch(disruptionBudgets, key, { type: 'merge', body: { spec: { minAvailable: 1 } } }, call);
    await world.pass(2);
    expect((await world.people.get(disruptionBudgets, key, call)).spec?.minAvailable).toBe(2_147_483_647);
    await world.people.delete(disruptionBudgets, key, call);
    await world.pass(2);
    expect((await world.people.get(disruptionBudgets, key, call)).spec?.minAvailable).toBe(2_147_483_647);
  });

  test('steps aside for the budget of somebody else, says so, and comes back when that is gone', async () => {
    const { world } = await runningCluster();
    const foreign: DisruptionBudget = {
      metadata: { namespace: 'db', name: 'chart' },
      spec: { maxUnavailable: 1, selector: { matchLabels: { 'drover.dev/role': 'log' } } },
    };
    const lockedIs = async () =>
      (await world.status('db/orders')).conditions.flatMap(({ type, status, reason, message }) =>
        type === 'Locked' ? [`${status} ${reason}: ${message}`] : [],
      );
    await world.people.create(disruptionBudgets, foreign, call);
    await world.pass(5);
    expect(await lockedIs()).toEqual([expect.stringMatching(/^False ForeignBudget: db\/chart selects some/)]);
    await world.people.delete(disruptionBudgets, foreign.metadata, call);
    await world.pass(5);
    expect(await lockedIs()).toEqual([expect.stringMatching(/^True BudgetsInPlace/)]);
  });
});

describe('a drain', () => {
  test('passes inside the one call where every rule agrees, and does not chase the pod that comes after', async () => {
    const cluster = await runningCluster({ roles: onNetworkVolumes });
    const { world } = cluster;
    const { node, id, uid } = await storageOf(cluster);
    const { said, exit } = await kubectlDrain(world, node);
    expect(exit).toBe(0);
    expect(said).toEqual([]);
    await world.pass(20);
    const again = cluster.pod(id);
    expect(again?.uid).not.toBe(uid);
    expect(again?.nodeName).not.toBe(node);
    // Somebody whose kubectl still goes by the name.
    const late = await kubectlEvict(world, `orders-${id}`);
    expect(late).toEqual({ status: 404, warnings: [expect.stringContaining('is its successor and stays')] });
    expect(cluster.pod(id)?.uid).toBe(again?.uid);
  });

  test('waits for the data to be moved where the policy asks for that, says how far it is, and then passes', async () => {
    const cluster = await runningCluster({ drainPolicy: 'block-for-eviction' });
    const { world } = cluster;
    const { node, id } = await storageOf(cluster);
    const { said, exit } = await kubectlDrain(world, node);
    expect(exit).toBe(0);
    expect(said.join('\n')).toMatch(/storage-\d+ stays: it is not drained yet/);
    expect(said.join('\n')).toMatch(/Warning: drover: orders-storage-\d+ \d+ %/);
    expect(await cluster.settles(600)).toBe(true);
    expect(await cluster.ids('storage')).not.toContain(id);
    expect(world.database('db/orders').truth()).toMatchObject(nothingLost);
  });

  test('that is given up and uncordoned is undone', async () => {
    const cluster = await runningCluster({ drainPolicy: 'block-for-eviction' });
    const { world } = cluster;
    const { node, id, uid } = await storageOf(cluster);
    await kubectlDrain(world, node, { timeout: 10 });
    expect((await world.status('db/orders')).asks).toMatchObject([{ by: 'jane', nodeCordoned: true }]);
    await uncordon(world, node);
    expect(await cluster.settles(300)).toBe(true);
    expect((await world.status('db/orders')).asks).toEqual([]);
    expect(cluster.pod(id)?.uid).toBe(uid);
  });

  test('of two nodes at the same moment by two people never takes both', async () => {
    const cluster = await runningCluster();
    const { world } = cluster;
    const [a, b] = [await storageOf(cluster, 0), await storageOf(cluster, 1)];
    const ended = Promise.all([
      kubectlDrain(world, a.node, { by: 'jane', timeout: 30 }),
      kubectlDrain(world, b.node, { by: 'joe', timeout: 30 }),
    ]);
    const [one, other] = await ended;
    expect([one.exit, other.exit].filter((exit) => exit === 0)).toHaveLength(1);
    expect(other.said.join()).toContain('just let go');
    expect([cluster.pod(a.id)?.uid === a.uid, cluster.pod(b.id)?.uid === b.uid].filter(Boolean)).toHaveLength(1);
  });

  test('tried out with a dry run changes nothing and says what would happen', async () => {
    const cluster = await runningCluster({ drainPolicy: 'block-for-eviction' });
    const { world } = cluster;
    const { node } = await storageOf(cluster);
    const before = world.writes.length;
    const { said, exit } = await kubectlDrain(world, node, { dryRun: true });
    expect(exit).toBe(0);
    expect(said[0]).toContain('would be asked to leave, and would wait first');
    await world.pass(60);
    expect(world.writes.length).toBe(before);
    expect((await world.status('db/orders')).asks).toEqual([]);
  });
});
