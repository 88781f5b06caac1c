import { describe, expect, test } from 'vitest';
import { millis, seconds } from '../../kube/clock.ts';
import { type JsonObject, listAt, textAt } from './json.ts';
import { configMap, runningPod, SmallWorld } from './testing/small-world.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

const ownedBy = (owner: JsonObject, block = false): JsonObject => ({
  ownerReferences: [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: textAt(owner, 'metadata', 'name'),
      uid: textAt(owner, 'metadata', 'uid'),
      ...(block && { blockOwnerDeletion: true }),
    },
  ],
});

async function ownerAndDependent(world: SmallWorld, block = false): Promise<void> {
  const owner = await world.make(maps, configMap('owner'));
  await world.make(maps, configMap('dependent', ownedBy(owner, block)));
}

const statusOf = async (world: SmallWorld, path: string) => (await world.send('GET', path)).status;

describe('garbage collection', () => {
  test('in the background: the owner goes first, then what it owned', async () => {
    const world = new SmallWorld();
    await ownerAndDependent(world);
    await world.send('DELETE', `${maps}/owner`);
    expect(await statusOf(world, `${maps}/owner`)).toBe(404);
    expect(await statusOf(world, `${maps}/dependent`)).toBe(200);
    await world.clock.pass(millis(1));
    expect(await statusOf(world, `${maps}/dependent`)).toBe(404);
  });

  test('in the foreground: the owner waits for what blocks it', async () => {
    const world = new SmallWorld();
    const owner = await world.make(maps, configMap('owner'));
    await world.make(pods, runningPod('p', ownedBy(owner, true)));
    await world.send('DELETE', `${maps}/owner`, { propagationPolicy: 'Foreground' });
    await world.clock.pass(seconds(1));
    expect(await statusOf(world, `${maps}/owner`)).toBe(200);
    expect(textAt((await world.send('GET', `${pods}/p`)).body, 'metadata', 'deletionTimestamp')).not.toBe('');
    await world.send('DELETE', `${pods}/p`, { gracePeriodSeconds: 0 });
    await world.clock.pass(millis(1));
    expect(await statusOf(world, `${maps}/owner`)).toBe(404);
  });

  test('orphaning: what was owned stays, and forgets its owner', async () => {
    const world = new SmallWorld();
    await ownerAndDependent(world);
    await world.send('DELETE', `${maps}/owner`, { propagationPolicy: 'Orphan' });
    await world.clock.pass(millis(1));
    expect(await statusOf(world, `${maps}/owner`)).toBe(404);
    const left = await world.send('GET', `${maps}/dependent`);
    expect(listAt(left.body, 'metadata', 'ownerReferences')).toEqual([]);
  });

  test('something born to an owner that never was goes at once', async () => {
    const world = new SmallWorld();
    await world.make(maps, configMap('orphan', ownedBy({ metadata: { name: 'nobody', uid: 'gone' } })));
    await world.clock.pass(millis(1));
    expect(await statusOf(world, `${maps}/orphan`)).toBe(404);
  });

  test('of two owners, one is enough to live', async () => {
    const world = new SmallWorld();
    const [a, b] = [await world.make(maps, configMap('a')), await world.make(maps, configMap('b'))];
    const owners = [...listAt(ownedBy(a), 'ownerReferences'), ...listAt(ownedBy(b), 'ownerReferences')];
    await world.make(maps, configMap('child', { ownerReferences: owners }));
    await world.send('DELETE', `${maps}/a`);
    await world.clock.pass(millis(1));
    expect(await statusOf(world, `${maps}/child`)).toBe(200);
    await world.send('DELETE', `${maps}/b`);
    await world.clock.pass(millis(1));
    expect(await statusOf(world, `${maps}/child`)).toBe(404);
  });
});

describe('the end of a namespace', () => {
  test('comes when everything in it is gone', async () => {
    const world = new SmallWorld();
    await world.make('/api/v1/namespaces', { metadata: { name: 'x' } });
    await world.make('/api/v1/namespaces/x/configmaps', configMap('a'));
    await world.make('/api/v1/namespaces/x/pods', runningPod('p'));
    await world.send('DELETE', '/api/v1/namespaces/x');
    await world.clock.pass(seconds(1));
    expect(await statusOf(world, '/api/v1/namespaces/x/configmaps/a')).toBe(404);
    expect(await statusOf(world, '/api/v1/namespaces/x')).toBe(200);
    await world.send('DELETE', '/api/v1/namespaces/x/pods/p', { gracePeriodSeconds: 0 });
    await world.clock.pass(seconds(1));
    expect(await statusOf(world, '/api/v1/namespaces/x')).toBe(404);
  });
});

test('a server that has stopped leaves no timer, also not for what it was about to do', async () => {
  const world = new SmallWorld();
  await ownerAndDependent(world);
  await world.clock.pass(seconds(1));
  await world.send('DELETE', `${maps}/owner`);
  expect(world.clock.pending).toBe(1);
  world.server.stop();
  expect(world.clock.pending).toBe(0);
  await world.send('DELETE', `${maps}/dependent`);
  expect(world.clock.pending).toBe(0);
});

describe('a claim in use', () => {
  test('stays until the last pod that mounts it is gone', async () => {
    const world = new SmallWorld();
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    await world.make(claims, {
      metadata: { name: 'd' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    const spec = {
      nodeName: 'n1',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'd' } }],
    };
    await world.make(pods, { metadata: { name: 'p' }, spec });
    await world.send('DELETE', `${claims}/d`);
    await world.clock.pass(seconds(1));
    expect(await statusOf(world, `${claims}/d`)).toBe(200);
    await world.send('DELETE', `${pods}/p`, { gracePeriodSeconds: 0 });
    await world.clock.pass(millis(1));
    expect(await statusOf(world, `${claims}/d`)).toBe(404);
  });
});
