import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../kube/object.ts';
import { objectAt } from '../../api-server/json.ts';
import { isReady } from '../pod-view.ts';
import { statefulSets, storedAs } from '../resources.ts';
import type { ClusterWorld } from '../testing/cluster-world.ts';
import { storyWorlds } from '../testing/story.ts';

const start = storyWorlds();
const names = (world: ClusterWorld) => world.pods().map(({ name }) => name);
const patchSet = (world: ClusterWorld, spec: object) =>
  world.client.patch<KubeObject>(
    statefulSets,
    { namespace: 'default', name: 'db' },
    { type: 'merge', body: { spec } },
    { signal: world.signal },
  );
const statusOf = (world: ClusterWorld) =>
  objectAt(world.cluster.world.store.collection(storedAs.statefulSets).get('default', 'db')?.object, 'status');

describe('a stateful set', () => {
  test('starts its pods one after the other, and stops at one that does not become ready', async () => {
    const world = await start();
    await world.createSet('db', 3, { annotations: { 'fake.drover.dev/ready': 'false' } });
    await world.pass(60);
    expect(names(world)).toEqual(['db-0']);
    await world.patchPod('db-0', { metadata: { annotations: { 'fake.drover.dev/ready': null } } });
    await world.pass(5);
    expect(names(world)).toEqual(['db-0', 'db-1']);
  });

  test('in parallel waits for nobody', async () => {
    const world = await start();
    const annotations = { 'fake.drover.dev/ready': 'false' };
    await world.createSet('db', 3, { annotations, set: { podManagementPolicy: 'Parallel' } });
    await world.pass(5);
    expect(names(world)).toEqual(['db-0', 'db-1', 'db-2']);
  });

  test('makes a pod that went missing again under the same name, with its claim', async () => {
    const world = await start();
    await world.createSet('db', 3, { disk: 'network' });
    await world.pass(30);
    const { uid } = world.pod('db-1');
    const volume = world.volumeOf('data-db-1');
    await world.deletePod('db-1');
    await world.pass(10);
    expect(world.pod('db-1').uid).not.toBe(uid);
    expect(isReady(world.pod('db-1'))).toBe(true);
    expect(world.volumeOf('data-db-1')).toBe(volume);
    expect(statusOf(world)).toMatchObject({ replicas: 3, readyReplicas: 3, updatedReplicas: 3, observedGeneration: 1 });
  });

  test('makes a pod that has failed anew', async () => {
    const world = await start();
    await world.createSet('db', 1);
    await world.pass(5);
    const { uid } = world.pod('db-0');
    await world.patchPod('db-0', { metadata: { annotations: { 'fake.drover.dev/fail': 'failed' } } });
    await world.pass(10);
    expect(world.pod('db-0').uid).not.toBe(uid);
    expect(isReady(world.pod('db-0'))).toBe(true);
  });

  test('grows at the top and shrinks from the top, and keeps the claims', async () => {
    const world = await start();
    await world.createSet('db', 2, { disk: 'network' });
    await world.pass(20);
    await patchSet(world, { replicas: 4 });
    await world.pass(20);
    expect(names(world)).toEqual(['db-0', 'db-1', 'db-2', 'db-3']);
    await patchSet(world, { replicas: 1 });
    await world.pass(20);
    expect(names(world)).toEqual(['db-0']);
    expect(world.volumeOf('data-db-3')).not.toBe('');
  });

  test('updates its pods from the highest ordinal down to the partition, one at a time', async () => {
    const world = await start();
    await world.createSet('db', 3);
    await world.pass(20);
    const before = new Set(world.pods().map(({ uid }) => uid));
    await patchSet(world, {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      template: { spec: { containers: [{ name: 'main', image: 'db:2' }] } },
    });
    await world.pass(1);
    expect(world.pods().filter(isReady).length).toBeGreaterThanOrEqual(2);
    await world.pass(30);
    expect(world.pods().map(({ uid }) => before.has(uid))).toEqual([true, false, false]);
    const stops = world.heard.filter((text) => text.includes('stopped')).map((text) => text.slice(0, 4));
    expect(stops).toEqual(['db-2', 'db-1']);
    await patchSet(world, { updateStrategy: { rollingUpdate: { partition: 0 } } });
    await world.pass(30);
    expect(statusOf(world)).toMatchObject({ updatedReplicas: 3, readyReplicas: 3 });
    expect(statusOf(world)['currentRevision']).toBe(statusOf(world)['updateRevision']);
  });

  test('takes its pods with it when it is deleted', async () => {
    const world = await start();
    await world.createSet('db', 3);
    await world.pass(20);
    await world.client.delete(statefulSets, { namespace: 'default', name: 'db' }, { signal: world.signal });
    await world.pass(10);
    expect(names(world)).toEqual([]);
  });
});

describe('a daemon set', () => {
  test('has one pod on every node, also on a cordoned and on a new one, and follows taints', async () => {
    const world = await start();
    await world.patchNode('n1', { spec: { unschedulable: true } });
    await world.createDaemonSet('agent');
    await world.pass(5);
    expect(
      world
        .pods()
        .map(({ nodeName }) => nodeName)
        .sort(),
    ).toEqual(['n1', 'n2', 'n3']);
    expect(world.pods().every(isReady)).toBe(true);
    await world.cluster.addNode({ name: 'n4', zone: 'z1' });
    await world.pass(10);
    expect(world.pods()).toHaveLength(4);
    await world.taint('n2', 'example.com/x', 'NoExecute');
    await world.pass(10);
    expect(
      world
        .pods()
        .map(({ nodeName }) => nodeName)
        .sort(),
    ).toEqual(['n1', 'n3', 'n4']);
  });
});
