import { describe, expect, test } from 'vitest';
import { isReady } from './pod-view.ts';
import { storyWorlds } from './testing/story.ts';

const start = storyWorlds();

describe('a cluster', () => {
  test('has its nodes ready and untainted within seconds, and is then quiet for a week', async () => {
    const world = await start({ nodes: 9, zones: 3 });
    for (let number = 1; number <= 9; number++) expect(world.taints(`n${number}`)).toEqual([]);
    expect(world.node('n4').labels['topology.kubernetes.io/zone']).toBe('z1');

    const { version } = world.cluster.world.store;
    await world.pass(7 * 24 * 3600);
    expect(world.cluster.world.store.version).toBe(version);
    expect(world.clock.pending).toBe(0);
  });

  test('runs a stateful set with local disks in order, each pod on its own node', async () => {
    const world = await start();
    await world.createSet('db', 3, { disk: 'local' });
    await world.pass(20);
    expect(world.pods().every(isReady)).toBe(true);
    expect(world.heard.map((text) => text.split(' on ')[0])).toEqual(['db-0 started', 'db-1 started', 'db-2 started']);
    expect(new Set(world.pods().map((pod) => pod.nodeName)).size).toBe(3);
    const processes = world.cluster.processes();
    expect(processes.map(({ disks }) => disks)).toEqual(processes.map(({ name }) => [world.volumeOf(`data-${name}`)]));
  });

  test('takes a node that is created through the API, and lets its kubelet die and live by its label', async () => {
    const world = await start();
    await world.cluster.addNode({ name: 'n9', zone: 'z1' });
    await world.pass(5);
    expect(world.taints('n9')).toEqual([]);

    await world.patchNode('n9', { metadata: { labels: { 'fake.drover.dev/kubelet': 'dead' } } });
    await world.pass(60);
    expect(world.taints('n9')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);

    await world.patchNode('n9', { metadata: { labels: { 'fake.drover.dev/kubelet': 'alive' } } });
    await world.pass(10);
    expect(world.taints('n9')).toEqual([]);
  });

  test('is the same to the byte for the same seed', async () => {
    const run = async () => {
      const world = await start({ seed: 7 });
      await world.createSet('db', 3, { disk: 'network' });
      await world.pass(10);
      world.cluster.killNode('n2');
      await world.pass(900);
      const { store } = world.cluster.world;
      const objects = ['pods', 'nodes', 'persistentvolumes'].flatMap((name) => [...store.collection(name).entries()]);
      return JSON.stringify({ objects, heard: world.heard, version: store.version });
    };
    expect(await run()).toBe(await run());
  });
});
