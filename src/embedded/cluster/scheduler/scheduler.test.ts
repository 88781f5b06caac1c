import { describe, expect, test } from 'vitest';
import { conditionOf } from '../condition-view.ts';
import { storyWorlds } from '../testing/story.ts';

const start = storyWorlds();
const zoneKey = 'topology.kubernetes.io/zone';
const hostKey = 'kubernetes.io/hostname';
const inSet = { labelSelector: { matchLabels: { app: 'db' } } };
const apartBy = (topologyKey: string) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...inSet, topologyKey }] } },
});
const noVictims = 'No preemption victims found for incoming pod';
const noHelp = 'Preemption is not helpful for scheduling';

describe('a pod that fits nowhere says why in the words of the real scheduler', () => {
  test('cordoned, tainted, not selected and too small nodes are counted apart', async () => {
    const world = await start({
      nodes: [
        { name: 'n1', zone: 'z1' },
        { name: 'n2', zone: 'z1' },
        { name: 'n3', zone: 'z2' },
        { name: 'n4', zone: 'z1', capacity: { cpu: '1' } },
      ],
    });
    await world.patchNode('n1', { spec: { unschedulable: true } });
    await world.taint('n2', 'example.com/maintenance', 'NoSchedule');
    const container = { name: 'main', image: 'db:1', resources: { requests: { cpu: '2' } } };
    await world.createPod('p', { spec: { nodeSelector: { [zoneKey]: 'z1' }, containers: [container] } });
    await world.pass(1);
    expect(conditionOf(world.pod('p'), 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message:
        "0/4 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), " +
        `1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/4 nodes are available: 4 ${noHelp}.`,
    });

    await world.patchNode('n1', { spec: { unschedulable: false } });
    await world.pass(5);
    expect(world.placement()).toEqual(['p@n1']);
    expect(conditionOf(world.pod('p'), 'PodScheduled')?.status).toBe('True');
  });

  test('anti-affinity by node leaves the fourth of three nodes waiting, until one of the pods goes', async () => {
    const world = await start();
    for (const name of ['a', 'b', 'c', 'd']) {
      await world.createPod(name, { metadata: { labels: { app: 'db' } }, spec: apartBy(hostKey) });
    }
    await world.pass(5);
    expect(new Set(world.pods().map((pod) => pod.nodeName))).toEqual(new Set(['n1', 'n2', 'n3', '']));
    const late = world.pods().find((pod) => pod.nodeName === '');
    expect(late === undefined ? '' : conditionOf(late, 'PodScheduled')?.message).toBe(
      "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules. " +
        `no new claims to deallocate, preemption: 0/3 nodes are available: 3 ${noVictims}.`,
    );

    const home = world.pod('b').nodeName;
    await world.deletePod('b');
    await world.pass(5);
    expect(world.pod('d').nodeName).toBe(home);
  });

  test('a pod that keeps others away does so although they do not mind', async () => {
    const world = await start({ nodes: 1, zones: 1 });
    await world.createPod('a', { metadata: { labels: { app: 'db' } }, spec: apartBy(zoneKey) });
    await world.pass(2);
    await world.createPod('b', { metadata: { labels: { app: 'db' } } });
    await world.pass(2);
    expect(conditionOf(world.pod('b'), 'PodScheduled')?.message).toContain(
      "1 node(s) didn't satisfy existing pods anti-affinity rules",
    );
  });

  test('a claim that is not there, and a cluster without nodes', async () => {
    const world = await start({ nodes: [] });
    await world.createPod('p');
    await world.pass(1);
    expect(conditionOf(world.pod('p'), 'PodScheduled')?.message).toBe('no nodes available to schedule pods');
    await world.cluster.addNode({ name: 'n1', zone: 'z1' });
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'gone' } }];
    await world.createPod('q', { spec: { volumes } });
    await world.pass(5);
    expect(world.pod('p').nodeName).toBe('n1');
    expect(conditionOf(world.pod('q'), 'PodScheduled')?.message).toBe(
      '0/1 nodes are available: persistentvolumeclaim "gone" not found. not found',
    );
  });
});

describe('pods are placed', () => {
  test('evenly over zones where the spread must hold', async () => {
    const world = await start({ nodes: 6, zones: 3 });
    await world.patchNode('n3', { spec: { unschedulable: true } });
    await world.patchNode('n6', { spec: { unschedulable: true } });
    const spread = { maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule', ...inSet };
    for (const name of ['a', 'b', 'c']) {
      await world.createPod(name, {
        metadata: { labels: { app: 'db' } },
        spec: { topologySpreadConstraints: [spread] },
      });
    }
    await world.pass(5);
    expect(
      world
        .pods()
        .map((pod) => (pod.nodeName === '' ? '' : String(world.node(pod.nodeName).labels[zoneKey])))
        .sort(),
    ).toEqual(['', 'z1', 'z2']);
    await world.patchNode('n6', { spec: { unschedulable: false } });
    await world.pass(5);
    expect(world.pods().every((pod) => pod.nodeName !== '')).toBe(true);
  });

  test('in the order in which they came, also within a second', async () => {
    const world = await start({ nodes: 1, zones: 1 });
    const alone = { labelSelector: inSet.labelSelector, topologyKey: 'kubernetes.io/hostname' };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [alone] } };
    const metadata = { labels: { app: 'db' } };
    for (const name of ['b', 'a']) await world.createPod(name, { metadata, spec: { affinity } });
    await world.pass(5);
    const [a, b] = ['a', 'b'].map((name) => world.pods().find((pod) => pod.name === name));
    expect(a?.created).toBe(b?.created);
    expect([a?.nodeName, b?.nodeName]).toEqual(['', 'n1']);
  });

  test('evenly over zones where that is only wished, and all of them', async () => {
    const world = await start({ nodes: 3, zones: 3 });
    await world.patchNode('n3', { spec: { unschedulable: true } });
    // The emptiest node is not the one that is wished for.
    for (const name of ['x', 'y']) await world.createPod(name, { spec: { nodeName: 'n2' } });
    const spread = { maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'ScheduleAnyway', ...inSet };
    for (const name of ['a', 'b', 'c', 'd']) {
      await world.createPod(name, {
        metadata: { labels: { app: 'db' } },
        spec: { topologySpreadConstraints: [spread] },
      });
      await world.pass(1);
    }
    const placed = ['a', 'b', 'c', 'd'].map((name) => world.pod(name).nodeName);
    expect(placed.toSorted()).toEqual(['n1', 'n1', 'n2', 'n2']);
  });

  test('beside the pods that they ask for', async () => {
    const world = await start();
    await world.createPod('a', { metadata: { labels: { app: 'db' } } });
    await world.pass(1);
    const near = {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...inSet, topologyKey: zoneKey }] },
    };
    await world.createPod('b', { spec: { affinity: near } });
    await world.pass(1);
    expect(world.pod('b').nodeName).toBe(world.pod('a').nodeName);
  });

  test('by priority first, then by age', async () => {
    const capacity = { cpu: '1' };
    const world = await start({ nodes: [] });
    const spec = (priority: number) => ({
      priority,
      containers: [{ name: 'main', image: 'db:1', resources: { requests: { cpu: '1' } } }],
    });
    await world.createPod('old', { spec: spec(0) });
    await world.pass(2);
    await world.createPod('young', { spec: spec(0) });
    await world.createPod('important', { spec: spec(100) });
    await world.cluster.addNode({ name: 'n1', zone: 'z1', capacity });
    await world.pass(3);
    expect(world.placement()).toEqual(['important@n1', 'old@', 'young@']);
    await world.cluster.addNode({ name: 'n2', zone: 'z1', capacity });
    await world.pass(3);
    expect(world.placement()).toEqual(['important@n1', 'old@n2', 'young@']);
  });

  test('where their local disk is, and nowhere else', async () => {
    const world = await start();
    await world.createSet('db', 1, { disk: 'local' });
    await world.pass(10);
    const home = world.pod('db-0').nodeName;
    await world.patchNode(home, { spec: { unschedulable: true } });
    await world.deletePod('db-0');
    await world.pass(10);
    expect(world.pod('db-0').nodeName).toBe('');
    expect(conditionOf(world.pod('db-0'), 'PodScheduled')?.message).toBe(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match PersistentVolume's node affinity. " +
        `no new claims to deallocate, preemption: 0/3 nodes are available: 3 ${noHelp}.`,
    );
    await world.patchNode(home, { spec: { unschedulable: false } });
    await world.pass(10);
    expect(world.pod('db-0').nodeName).toBe(home);
  });
});
