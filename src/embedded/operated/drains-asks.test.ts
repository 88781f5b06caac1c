import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../kube/object.ts';
import { nodes } from '../../kube/resources.ts';
import { nodeDrains } from '../../operator/lock/begun-drains.ts';
import type { OperatedWorldOptions } from './operated-world.ts';
import { key } from './testing/foundationdb-spec.ts';
import { kubectlDrain, kubectlEvict, uncordon } from './testing/kubectl-drain.ts';
import type { RunningCluster } from './testing/running-cluster.ts';
import { nothingLost, runningCluster } from './testing/running-cluster.ts';

const call = { signal: new AbortController().signal };
const karpenter = 'karpenter.sh/disrupted';

/** So much data that a server is not emptied within a test. */
const slowly = { database: { bytes: 2 ** 40, recoveryAgesBy: 10 } };

/** A cluster whose storage servers are emptied before they go, and the first of them. */
async function given(spec: object = {}, options: OperatedWorldOptions = {}) {
  const cluster = await runningCluster({ drainPolicy: 'block-for-eviction', trigger: 'Eviction', ...spec }, 1, options);
  const id = (await cluster.ids('storage'))[0] ?? '';
  const pod = cluster.pod(id);
  return { cluster, world: cluster.world, id, node: pod?.nodeName ?? '', uid: pod?.uid ?? '' };
}

const asks = async ({ world }: RunningCluster) => (await world.status(key)).asks;

const patchNode = ({ world }: RunningCluster, name: string, spec: object) =>
  world.people.patch(nodes, { name }, { type: 'merge', body: { spec } }, call);

/** A NodeDrain that has come to this node and cordoned it, written by hand. */
async function drainBegins(cluster: RunningCluster, node: string): Promise<void> {
  const { world } = cluster;
  await patchNode(cluster, node, { unschedulable: true });
  const drain: KubeObject & { readonly spec: object } = { metadata: { name: 'racks' }, spec: { nodes: [node] } };
  await world.people.create(nodeDrains, drain, call);
  const status = { phase: 'Draining', nodes: [{ name: node, phase: 'Draining' }] };
  await world.people.patch(
    nodeDrains,
    drain.metadata,
    { type: 'merge', body: { status } },
    { ...call, subresource: 'status' },
  );
}

/** Everything is as it was before anybody asked. */
async function isUndone(cluster: RunningCluster, id: string, uid: string): Promise<void> {
  expect(await cluster.settles(300)).toBe(true);
  // An ask that lapsed is remembered for another minute.
  expect(await cluster.world.until(async () => (await asks(cluster)).length === 0, 70)).toBe(true);
  expect(cluster.pod(id)?.uid).toBe(uid);
  expect(await cluster.ids('storage')).toContain(id);
}

describe('a caller who gives up', () => {
  test('after two minutes and comes back finds that the work went on', async () => {
    const { cluster, world, id, node } = await given({}, { database: { bytes: 2 ** 36, recoveryAgesBy: 10 } });
    expect((await kubectlDrain(world, node, { timeout: 120 })).exit).toBeUndefined();
    expect(await cluster.marked()).toContain(id);
    await world.pass(300);
    const back = await kubectlDrain(world, node, { timeout: 300 });
    expect(back.exit).toBe(0);
    expect(cluster.truth()).toMatchObject(nothingLost);
  });

  test('and does not come back within ten minutes has the work undone', async () => {
    const { cluster, world, id, node, uid } = await given({}, slowly);
    await kubectlDrain(world, node, { timeout: 10 });
    expect(await cluster.marked()).toEqual([id]);
    await world.pass(560);
    expect(await cluster.marked()).toEqual([id]);
    await world.pass(60);
    expect(await cluster.marked()).toEqual([]);
    await isUndone(cluster, id, uid);
  });
});

describe('a node that is uncordoned right after the eviction', () => {
  test.each([
    ['nobody had looked at nodes before', 'Eviction', 70],
    ['nodes are watched, and none was looked at in between', 'Cordon', 1],
  ])('takes it back: %s', async (_, trigger, within) => {
    const { cluster, world, id, node, uid } = await given({ trigger }, slowly);
    await patchNode(cluster, node, { unschedulable: true });
    const evicted = kubectlEvict(world, `orders-${id}`);
    await uncordon(world, node);
    expect((await evicted).status).toBe(429);
    expect(await world.until(async () => (await asks(cluster)).length === 0, within)).toBe(true);
    await isUndone(cluster, id, uid);
  });

  test('does not where it was not cordoned for that: who evicts a single pod need not ask again', async () => {
    const { cluster, world, id } = await given({ trigger: 'Cordon' }, slowly);
    await kubectlEvict(world, `orders-${id}`);
    await world.pass(500);
    expect(await asks(cluster)).toMatchObject([{ by: 'jane', nodeCordoned: false }]);
    expect(await cluster.marked()).toEqual([id]);
  });
});

describe('who asks for everything on a node', () => {
  test('a NodeDrain does, once its turn has come to that node, and takes it back when it is deleted', async () => {
    const { cluster, world, id, node, uid } = await given();
    await drainBegins(cluster, node);
    await world.pass(2);
    expect(await asks(cluster)).toMatchObject([{ source: 'NodeDrain', by: 'racks', process: id }]);
    expect(await cluster.marked()).toEqual([id]);
    await world.people.delete(nodeDrains, { name: 'racks' }, call);
    await isUndone(cluster, id, uid);
  });

  test('a leaving taint does, and takes it back with its removal', async () => {
    const { cluster, world, id, node, uid } = await given({}, { leavingTaints: [karpenter] });
    await patchNode(cluster, node, { taints: [{ key: karpenter, effect: 'NoSchedule' }] });
    await world.pass(2);
    expect(await asks(cluster)).toMatchObject([{ source: 'Taint', by: karpenter, process: id }]);
    await world.pass(5);
    expect(await cluster.marked()).toEqual([id]);
    await patchNode(cluster, node, { taints: null });
    await isUndone(cluster, id, uid);
  });

  test('another taint does not, nor the same where it was not named', async () => {
    const { cluster, world, node } = await given();
    await patchNode(cluster, node, { taints: [{ key: karpenter, effect: 'NoSchedule' }] });
    await world.pass(60);
    expect(await asks(cluster)).toEqual([]);
    expect(await cluster.marked()).toEqual([]);
  });

  test('a cordon does where it is the trigger, and an uncordon undoes it', async () => {
    const { cluster, world, id, node, uid } = await given({ trigger: 'Cordon' });
    await patchNode(cluster, node, { unschedulable: true });
    await world.pass(5);
    expect(await cluster.marked()).toEqual([id]);
    await uncordon(world, node);
    await isUndone(cluster, id, uid);
  });

  test('a cordon does not where it is not', async () => {
    const { cluster, world, node } = await given();
    await patchNode(cluster, node, { unschedulable: true });
    await world.pass(60);
    expect(await cluster.marked()).toEqual([]);
  });

  test('an eviction does where the node is cordoned: the data of the others moves, and they are not let go before they are asked for', async () => {
    const { cluster, world } = await given({}, { ...slowly, nodes: 3 });
    const storage = await cluster.ids('storage');
    const nodeOf = (one: string) => cluster.pod(one)?.nodeName;
    const isBeside = (one: string) => storage.some((two) => two !== one && nodeOf(two) === nodeOf(one));
    const id = storage.find(isBeside) ?? '';
    const other = storage.find((one) => one !== id && nodeOf(one) === nodeOf(id)) ?? '';
    const { nodeName: node = '', uid = '' } = cluster.pod(other) ?? {};
    await patchNode(cluster, node, { unschedulable: true });
    expect((await kubectlEvict(world, `orders-${id}`)).status).toBe(429);
    await world.pass(10);
    expect((await asks(cluster)).filter(({ process }) => process === id || process === other)).toMatchObject([
      { process: id, source: 'Eviction', by: 'jane', times: 1 },
      { process: other, source: 'Eviction', by: 'jane', times: 0 },
    ]);
    expect(await cluster.marked('storage')).toEqual([id, other]);
    await uncordon(world, node);
    await isUndone(cluster, other, uid);
    expect(await cluster.ids('storage')).toContain(id);
  });

  test('and the pods go by themselves once they may: nobody has to evict them', async () => {
    const { cluster, world, id, node } = await given();
    await drainBegins(cluster, node);
    expect(await world.until(() => cluster.pod(id) === undefined, 600)).toBe(true);
    expect(cluster.truth()).toMatchObject(nothingLost);
  });
});
