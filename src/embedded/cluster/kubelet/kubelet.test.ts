import { describe, expect, test } from 'vitest';
import { at, listAt, numberAt, textAt } from '../../api-server/json.ts';
import { conditionOf } from '../condition-view.ts';
import { isDeleting, isReady, type PodView } from '../pod-view.ts';
import { storyWorlds } from '../testing/story.ts';

const start = storyWorlds();
const knobs = (annotations: Readonly<Record<string, string>>) => ({
  metadata: {
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [`fake.drover.dev/${name}`, value]),
    ),
  },
});
const container = (pod: PodView) => listAt(pod.object, 'status', 'containerStatuses')[0];
const waits = (pod: PodView) => textAt(container(pod), 'state', 'waiting', 'reason');
const restarts = (pod: PodView) => numberAt(container(pod), 'restartCount');

describe('a pod starts', () => {
  test('by itself after a moment, with an address of its own and that of its host', async () => {
    const world = await start();
    await world.createPod('p');
    await world.pass(5);
    const pod = world.pod('p');
    expect(pod.phase).toBe('Running');
    expect(isReady(pod)).toBe(true);
    expect(textAt(pod.object, 'status', 'podIP')).toBe('10.128.0.1');
    expect(textAt(pod.object, 'status', 'hostIP')).toBe(world.node(pod.nodeName).address);
    expect(at(container(pod), 'state', 'running')).toBeDefined();
  });

  test('after the seconds of its annotation, as ContainerCreating until then', async () => {
    const world = await start();
    await world.createPod('p', knobs({ 'start-after-seconds': '30', 'pod-ip': '127.0.0.7' }));
    await world.pass(25);
    expect(waits(world.pod('p'))).toBe('ContainerCreating');
    expect(world.pod('p').phase).toBe('Pending');
    await world.pass(10);
    expect(isReady(world.pod('p'))).toBe(true);
    expect(textAt(world.pod('p').object, 'status', 'podIP')).toBe('127.0.0.7');
  });

  test('never, where its annotation says so, until it is taken away', async () => {
    const world = await start();
    await world.createPod('p', knobs({ 'start-after-seconds': 'never' }));
    await world.pass(3600);
    expect(waits(world.pod('p'))).toBe('ContainerCreating');
    expect(world.heard).toEqual([]);
    await world.patchPod('p', { metadata: { annotations: { 'fake.drover.dev/start-after-seconds': null } } });
    await world.pass(5);
    expect(isReady(world.pod('p'))).toBe(true);
  });

  test('and becomes unready and ready again while its process goes on', async () => {
    const world = await start();
    await world.createPod('p');
    await world.pass(5);
    await world.patchPod('p', knobs({ ready: 'false' }));
    await world.pass(1);
    expect(conditionOf(world.pod('p'), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [main]',
    });
    await world.patchPod('p', knobs({ ready: 'true' }));
    await world.pass(1);
    expect(isReady(world.pod('p'))).toBe(true);
    expect(world.heard).toHaveLength(1);
  });
});

describe('a pod fails', () => {
  test('again and again by its annotation, and recovers when that goes', async () => {
    const world = await start();
    await world.createPod('p', { spec: { nodeSelector: { 'kubernetes.io/hostname': 'n1' } } });
    await world.pass(5);
    await world.patchPod('p', knobs({ fail: 'crash-loop' }));
    await world.pass(600);
    expect(waits(world.pod('p'))).toBe('CrashLoopBackOff');
    expect(restarts(world.pod('p'))).toBe(1);
    expect(world.pod('p').phase).toBe('Running');
    await world.patchPod('p', { metadata: { annotations: { 'fake.drover.dev/fail': null } } });
    await world.pass(5);
    expect(isReady(world.pod('p'))).toBe(true);
    expect(restarts(world.pod('p'))).toBe(1);
    expect(world.heard).toEqual(['p started on n1', 'p stopped on n1: crashed', 'p started on n1']);
  });

  test('for good by its annotation', async () => {
    const world = await start();
    await world.createPod('p', knobs({ fail: 'failed' }));
    await world.pass(5);
    expect(world.pod('p').phase).toBe('Failed');
    expect(textAt(container(world.pod('p')), 'state', 'terminated', 'reason')).toBe('Error');
  });

  test('by itself: at once back after the first crash, then after 10 s, then after 20 s', async () => {
    const world = await start();
    await world.createPod('p');
    await world.pass(5);
    world.cluster.crashPod('default', 'p');
    await world.pass(1);
    expect(isReady(world.pod('p'))).toBe(true);
    expect(restarts(world.pod('p'))).toBe(1);

    world.cluster.crashPod('default', 'p');
    await world.pass(9);
    expect(waits(world.pod('p'))).toBe('CrashLoopBackOff');
    expect(textAt(container(world.pod('p')), 'state', 'waiting', 'message')).toContain(
      'back-off 10s restarting failed',
    );
    await world.pass(2);
    expect(isReady(world.pod('p'))).toBe(true);

    world.cluster.crashPod('default', 'p');
    await world.pass(19);
    expect(isReady(world.pod('p'))).toBe(false);
    await world.pass(2);
    expect(restarts(world.pod('p'))).toBe(3);
  });
});

describe('a pod ends', () => {
  test('by itself a second after it is ready, where it is not to be restarted or belongs to a Job', async () => {
    const world = await start();
    await world.createPod('p', { spec: { restartPolicy: 'Never' } });
    await world.pass(5);
    expect(world.pod('p').phase).toBe('Succeeded');
    expect(world.heard[1]).toContain('ended');
  });

  test('when it is deleted: at once, or as long as its annotation says, but never after its grace', async () => {
    const world = await start();
    await world.createPod('quick');
    await world.createPod('slow', knobs({ 'stop-after-seconds': '20' }));
    await world.createPod('slower', knobs({ 'stop-after-seconds': '90' }));
    await world.pass(5);
    for (const name of ['quick', 'slow', 'slower']) await world.deletePod(name);
    await world.pass(1);
    expect(world.pods().map(({ name }) => name)).toEqual(['slow', 'slower']);
    await world.pass(20);
    expect(world.pods().map(({ name }) => name)).toEqual(['slower']);
    await world.pass(10);
    expect(world.pods()).toEqual([]);
  });

  test('never, where its annotation says so: it hangs, and runs, until it is forced', async () => {
    const world = await start();
    await world.createPod('p', knobs({ 'stop-after-seconds': 'never' }));
    await world.pass(5);
    await world.deletePod('p');
    await world.pass(3600);
    expect(isDeleting(world.pod('p'))).toBe(true);
    expect(world.cluster.processes()).toHaveLength(1);
    await world.deletePod('p', 0);
    await world.pass(1);
    expect(world.hasPod('p')).toBe(false);
    expect(world.cluster.processes()).toEqual([]);
  });

  test('with a finalizer it stays as an object that shows that nothing runs', async () => {
    const world = await start();
    await world.createPod('p', { metadata: { finalizers: ['example.com/hold'] } });
    await world.pass(5);
    await world.deletePod('p');
    await world.pass(5);
    expect(world.pod('p').phase).toBe('Succeeded');
    expect(world.cluster.processes()).toEqual([]);
    await world.patchPod('p', { metadata: { finalizers: null } });
    await world.pass(1);
    expect(world.hasPod('p')).toBe(false);
  });
});

describe('a disk', () => {
  test('that fails crashes its process, which starts again on the empty disk', async () => {
    const world = await start();
    await world.createSet('db', 1, { disk: 'local' });
    await world.pass(10);
    const home = world.pod('db-0').nodeName;
    expect(world.cluster.localDisks(home)).toEqual([world.volumeOf('data-db-0')]);
    for (const disk of world.cluster.localDisks(home)) world.cluster.loseDisk(disk);
    await world.pass(5);
    expect(world.heard).toEqual([
      `db-0 started on ${home}`,
      'disk lost: failed',
      `db-0 stopped on ${home}: crashed`,
      `db-0 started on ${home}`,
    ]);
  });

  test('that a silent node still has is taken from it six minutes after its pod was deleted by force', async () => {
    const world = await start();
    await world.createSet('db', 1, { disk: 'network' });
    await world.pass(10);
    const home = world.pod('db-0').nodeName;
    world.cluster.isolateNode(home);
    await world.pass(60);
    await world.deletePod('db-0', 0);
    await world.pass(300);
    expect(world.pod('db-0').nodeName).not.toBe(home);
    expect(isReady(world.pod('db-0'))).toBe(false);
    expect(world.heard).toHaveLength(1);
    await world.pass(70);
    expect(isReady(world.pod('db-0'))).toBe(true);
    expect(world.heard.slice(1)).toEqual([
      `db-0 stopped on ${home}: disk-taken`,
      `db-0 started on ${world.pod('db-0').nodeName}`,
    ]);
  });

  test('goes with its claim', async () => {
    const world = await start();
    await world.createSet('db', 1, { disk: 'network' });
    await world.pass(10);
    const claims = {
      group: '',
      version: 'v1',
      kind: 'PersistentVolumeClaim',
      plural: 'persistentvolumeclaims',
      namespaced: true,
    };
    await world.client.delete(claims, { namespace: 'default', name: 'data-db-0' }, { signal: world.signal });
    await world.pass(10);
    expect(world.volumeOf('data-db-0')).not.toBe('');
    await world.deletePod('db-0');
    await world.pass(20);
    expect(world.heard).toContain('disk lost: deleted');
    expect(isReady(world.pod('db-0'))).toBe(true);
  });
});
