import { describe, expect, test } from 'vitest';
import { conditionOf } from '../condition-view.ts';
import { readiness } from '../node-view.ts';
import { isDeleting, isReady } from '../pod-view.ts';
import { storyWorlds } from '../testing/story.ts';

const start = storyWorlds();

describe('a node that falls silent', () => {
  test('is noticed 40 to 55 s later, tainted twice with the time, and its pods become unready', async () => {
    const world = await start();
    await world.createPod('p', { spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } });
    await world.pass(5);
    world.cluster.killNode('n1');
    const died = world.clock.now();
    expect(world.heard).toEqual(['p started on n1', 'p stopped on n1: node-lost']);
    await world.pass(39);
    expect(readiness(world.node('n1'))).toBe('True');
    await world.pass(17);
    expect(conditionOf(world.node('n1'), 'Ready')).toMatchObject({
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    });
    expect(world.taints('n1')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
    for (const { timeAdded } of world.node('n1').taints) {
      expect(Date.parse(timeAdded ?? '') - died).toBeGreaterThanOrEqual(39_000);
    }
    expect(isReady(world.pod('p'))).toBe(false);
    expect(world.pod('p').phase).toBe('Running');
  });

  test('loses its pods after 300 s more, which then hang until it is back', async () => {
    const world = await start();
    await world.createPod('p', { spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } });
    await world.pass(5);
    world.cluster.killNode('n1');
    await world.pass(330);
    expect(isDeleting(world.pod('p'))).toBe(false);
    await world.pass(40);
    expect(isDeleting(world.pod('p'))).toBe(true);
    expect(conditionOf(world.pod('p'), 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    });
    await world.pass(3600);
    expect(world.hasPod('p')).toBe(true);

    world.cluster.reviveNode('n1');
    await world.pass(10);
    expect(world.hasPod('p')).toBe(false);
    expect(world.taints('n1')).toEqual([]);
  });

  test('keeps a pod that it comes back to in time, whose process starts again with one more restart', async () => {
    const world = await start();
    await world.createPod('p', { spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } });
    await world.pass(5);
    world.cluster.killNode('n1');
    await world.pass(120);
    world.cluster.reviveNode('n1');
    await world.pass(10);
    expect(world.heard).toEqual(['p started on n1', 'p stopped on n1: node-lost', 'p started on n1']);
    expect(isReady(world.pod('p'))).toBe(true);
    expect(JSON.stringify(world.pod('p').object)).toContain('"restartCount":1');
  });

  test('goes on running its processes where it is only cut off, and stops what was deleted meanwhile when it is back', async () => {
    const world = await start();
    await world.createPod('p', { spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } });
    await world.pass(5);
    world.cluster.isolateNode('n1');
    await world.pass(60);
    await world.deletePod('p', 0);
    await world.pass(600);
    expect(world.hasPod('p')).toBe(false);
    expect(world.cluster.processes().map(({ name }) => name)).toEqual(['p']);
    world.cluster.reviveNode('n1');
    await world.pass(5);
    expect(world.heard).toEqual(['p started on n1', 'p stopped on n1: deleted']);
  });
});

describe('taints follow what is said of a node', () => {
  test('cordon and uncordon within milliseconds, with the time', async () => {
    const world = await start();
    await world.patchNode('n1', { spec: { unschedulable: true } });
    await world.pass(0.1);
    expect(world.taints('n1')).toEqual(['unschedulable:NoSchedule']);
    expect(world.node('n1').taints[0]?.timeAdded).toBeDefined();
    await world.patchNode('n1', { spec: { unschedulable: false } });
    await world.pass(0.1);
    expect(world.taints('n1')).toEqual([]);
  });

  test('not ready: NoSchedule at once, NoExecute at the next look within 5 s; a taint of somebody else stays', async () => {
    const world = await start();
    await world.taint('n1', 'example.com/x', 'PreferNoSchedule');
    await world.pass(1);
    await world.patchNode('n1', { metadata: { annotations: { 'fake.drover.dev/ready': 'false' } } });
    await world.pass(0.1);
    expect(world.taints('n1')).toEqual(['example.com/x:PreferNoSchedule', 'not-ready:NoSchedule']);
    await world.pass(5);
    expect(world.taints('n1')).toEqual([
      'example.com/x:PreferNoSchedule',
      'not-ready:NoSchedule',
      'not-ready:NoExecute',
    ]);
    const since = world.node('n1').taints.find(({ effect }) => effect === 'NoExecute')?.timeAdded;

    world.cluster.killNode('n1');
    await world.pass(60);
    expect(world.taints('n1')).toContain('unreachable:NoExecute');
    expect(world.taints('n1')).not.toContain('not-ready:NoExecute');
    expect(world.node('n1').taints.find(({ effect }) => effect === 'NoExecute')?.timeAdded).not.toBe(since);
  });

  test('the second node of a zone to fall silent is tainted NoExecute ten seconds after the first', async () => {
    const world = await start({ nodes: 6, zones: 2 });
    world.cluster.killNode('n1');
    world.cluster.killNode('n3');
    await world.pass(75);
    const added = ['n1', 'n3'].map((name) =>
      Date.parse(world.node(name).taints.find(({ effect }) => effect === 'NoExecute')?.timeAdded ?? ''),
    );
    expect(Math.abs((added[0] ?? 0) - (added[1] ?? 0))).toBeGreaterThanOrEqual(9000);
  });

  test('when every node is silent nobody is tainted NoExecute, and nobody is evicted', async () => {
    const world = await start();
    await world.createPod('p');
    await world.pass(5);
    for (const node of ['n1', 'n2', 'n3']) world.cluster.isolateNode(node);
    await world.pass(3600);
    for (const node of ['n1', 'n2', 'n3']) expect(world.taints(node)).toEqual(['unreachable:NoSchedule']);
    expect(isDeleting(world.pod('p'))).toBe(false);
  });
});

describe('a node that nobody has brought up', () => {
  test('keeps the taint that it was born with, and becomes Unknown after a minute', async () => {
    const world = await start();
    const nodes = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
    await world.client.create(nodes, { metadata: { name: 'n9' } }, { signal: world.signal });
    await world.pass(55);
    expect(world.taints('n9')).toEqual(['not-ready:NoSchedule']);
    await world.pass(15);
    expect(conditionOf(world.node('n9'), 'Ready')).toMatchObject({
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
    });
    expect(world.taints('n9')).toContain('unreachable:NoExecute');
    expect(() => world.cluster.killNode('n9')).toThrow('no machine of this cluster is called n9');
  });
});

describe('a node object that is deleted', () => {
  test('takes its pods with it after about a minute, without grace', async () => {
    const world = await start();
    await world.createPod('p', { spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } });
    await world.pass(5);
    world.cluster.killNode('n1');
    const nodes = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
    await world.client.delete(nodes, { name: 'n1' }, { signal: world.signal });
    await world.pass(38);
    expect(world.hasPod('p')).toBe(true);
    await world.pass(30);
    expect(world.hasPod('p')).toBe(false);
  });
});
