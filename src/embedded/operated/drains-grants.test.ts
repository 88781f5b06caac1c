import { describe, expect, test } from 'vitest';
import { pods } from '../../kube/resources.ts';
import { guardLabel } from '../../operator/lock/guard-label.ts';
import type { DisruptionBudget } from '../../operator/lock/lock-budget.ts';
import { disruptionBudgets } from '../../operator/lock/lock-budget.ts';
import { key } from './testing/foundationdb-spec.ts';
import { kubectlDrain, kubectlEvict } from './testing/kubectl-drain.ts';
import { onNetworkVolumes } from './testing/network-volumes.ts';
import type { RunningCluster } from './testing/running-cluster.ts';
import { nothingLost, runningCluster } from './testing/running-cluster.ts';

const call = { signal: new AbortController().signal };

/** A cluster that lets storage servers go, and one of these. */
async function given() {
  const cluster = await runningCluster({ roles: onNetworkVolumes });
  const id = (await cluster.ids('storage'))[0] ?? '';
  const pod = cluster.pod(id);
  return { cluster, world: cluster.world, id, node: pod?.nodeName ?? '', uid: pod?.uid ?? '' };
}

const where = (id: string) => ({ namespace: 'db', name: `orders-${id}` });

const guardOf = async ({ world }: RunningCluster, id: string): Promise<string | undefined> =>
  (await world.people.get(pods, where(id), call)).metadata.labels?.[guardLabel];

const grants = async ({ world }: RunningCluster) => (await world.status(key)).grants;

/** A budget of somebody else, because of which no storage server can be evicted, whoever opens a lock. */
const holdsStorage: DisruptionBudget = {
  metadata: { namespace: 'db', name: 'chart' },
  spec: { minAvailable: '100%', selector: { matchLabels: { 'drover.dev/role': 'storage' } } },
};

test('a pod that stands open without a grant is closed, whoever opened it', async () => {
  const { cluster, world, id, uid } = await given();
  const body = { metadata: { labels: { [guardLabel]: 'open' } } };
  await world.people.patch(pods, where(id), { type: 'merge', body }, call);
  expect(await guardOf(cluster, id)).toBe('open');
  await world.pass(5);
  expect(await guardOf(cluster, id)).toBe('closed');
  expect(cluster.pod(id)?.uid).toBe(uid);
});

describe('the operator is killed in the middle of a grant', () => {
  // The first write records the ask and the grant, the second opens the pod.
  test.each([
    ['before it is recorded', 1, false],
    ['when it is recorded, before the pod is opened', 1, true],
    ['at the opening', 2, false],
    ['when the pod is open, before anybody evicts it', 2, true],
  ])('%s: the drain ends as if nothing had happened', async (_, write, landed) => {
    const { cluster, world, id, node, uid } = await given();
    world.killAtWrite(world.writes.length + write, landed);
    const drained = kubectlDrain(world, node);
    await world.until(() => world.isDead, 10);
    await world.killOperator();
    await world.pass(12);
    world.startOperator();
    expect((await drained).exit).toBe(0);
    expect(await cluster.settles(200)).toBe(true);
    expect(cluster.pod(id)?.uid).not.toBe(uid);
    expect(cluster.pod(id)?.nodeName).not.toBe(node);
    expect(await guardOf(cluster, id)).toBeUndefined();
    expect(await grants(cluster)).toEqual([]);
    expect(cluster.truth()).toMatchObject(nothingLost);
  });

  test('and nobody asks any more: what stands open is closed', async () => {
    const { cluster, world, id, uid } = await given();
    // Somebody else's budget holds the eviction up, so that the open pod stays.
    await world.people.create(disruptionBudgets, holdsStorage, call);
    await world.pass(2);
    world.killAtWrite(world.writes.length + 2, true);
    await kubectlEvict(world, `orders-${id}`);
    expect(world.isDead).toBe(true);
    expect(await guardOf(cluster, id)).toBe('open');
    await world.killOperator();
    await world.pass(60);
    expect(await guardOf(cluster, id)).toBe('open');
    world.startOperator();
    await world.pass(2);
    expect(await guardOf(cluster, id)).toBe('closed');
    expect(cluster.pod(id)?.uid).toBe(uid);
  });
});

describe('an open lock', () => {
  test('that nobody uses closes after 10 s by a real write, and counts for another minute', async () => {
    const { cluster, world, id, uid } = await given();
    await world.people.create(disruptionBudgets, holdsStorage, call);
    await world.pass(2);
    expect((await kubectlEvict(world, `orders-${id}`)).status).toBe(429);
    expect(await guardOf(cluster, id)).toBe('open');
    const opened = (await world.people.get(pods, where(id), call)).metadata.resourceVersion;
    await world.pass(9);
    expect(await guardOf(cluster, id)).toBe('open');
    await world.pass(2);
    expect(await guardOf(cluster, id)).toBe('closed');
    expect((await world.people.get(pods, where(id), call)).metadata.resourceVersion).not.toBe(opened);
    await world.pass(6);
    expect(await grants(cluster)).toMatchObject([{ process: id, closedAt: expect.any(String), goneAt: null }]);
    // It was not let go after all.
    expect((await world.status(key)).asks).toMatchObject([{ letGoAt: null }]);
    await world.pass(40);
    expect(await grants(cluster)).toHaveLength(1);
    expect(cluster.pod(id)?.uid).toBe(uid);
  });

  test('closes when another node dies before the pod is gone', async () => {
    const { cluster, world, id, uid } = await given();
    await world.people.create(disruptionBudgets, holdsStorage, call);
    await world.pass(2);
    await kubectlEvict(world, `orders-${id}`);
    expect(await guardOf(cluster, id)).toBe('open');
    const [, other = ''] = await cluster.ids('storage');
    world.cluster.killNode(cluster.pod(other)?.nodeName ?? '');
    await world.pass(6);
    expect(await guardOf(cluster, id)).toBe('closed');
    expect(cluster.pod(id)?.uid).toBe(uid);
  });
});

describe('a person who forces a pod', () => {
  test('has it go though a rule holds it, and that is on record with why and who evicted it', async () => {
    const cluster = await runningCluster({ drainPolicy: 'block-for-eviction' });
    const { world } = cluster;
    const id = (await cluster.ids('storage'))[0] ?? '';
    const uid = cluster.pod(id)?.uid ?? '';
    const annotate = (why: string) =>
      world.people.patch(
        pods,
        where(id),
        { type: 'merge', body: { metadata: { annotations: { 'drover.dev/force': why } } } },
        call,
      );
    await annotate('some-other-uid the disk burns');
    expect((await kubectlEvict(world, `orders-${id}`)).status).toBe(429);
    await world.pass(2);
    expect(await grants(cluster)).toEqual([]);
    await annotate(`${uid} the disk burns`);
    // The engine is asked once more before that; the grant is gone with the pod a moment later.
    for (let looks = 0; looks < 30 && (await grants(cluster)).length === 0; looks++) await world.pass(0.1);
    expect(await grants(cluster)).toMatchObject([
      {
        process: id,
        uid,
        askedBy: 'jane',
        exemption: {
          by: 'drover.dev/force',
          reason: 'forced by the annotation drover.dev/force ("the disk burns"), evicted by jane',
        },
      },
    ]);
    await world.pass(10);
    expect(cluster.pod(id)?.uid).not.toBe(uid);
    expect(cluster.truth()).toMatchObject(nothingLost);
  });
});

test('a pod stays while another one has just begun anew, on a disk that may be empty, and goes when the engine has noticed', async () => {
  const { cluster, world, id, node, uid } = await given();
  const [, other = ''] = await cluster.ids('storage');
  const disks = world.cluster.processes().find(({ name }) => name === `orders-${other}`)?.disks ?? [];
  expect(disks).not.toEqual([]);
  for (const disk of disks) world.cluster.loseDisk(disk);
  await world.pass(2);
  const first = await kubectlDrain(world, node, { timeout: 20 });
  expect(first.exit).toBeUndefined();
  expect(first.said).toContainEqual(expect.stringContaining(`${other} began anew a moment ago, and by `));
  expect(cluster.pod(id)?.uid).toBe(uid);
  expect((await kubectlDrain(world, node)).exit).toBe(0);
  expect(cluster.truth().lost).toEqual([]);
});
