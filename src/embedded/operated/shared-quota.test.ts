import { describe, expect, test } from 'vitest';
import { pods } from '../../kube/resources.ts';
import { clustersUp } from './testing/shared-quota.ts';

/**
 * The first gets the claim of its successor at once and makes the pod when its service has an address; the second makes its pod at once. On a
 * quota with one place for each, the first has the last claim and the second the last pod.
 */
const crossed = { 'db/a': { publicIPSource: 'Service' }, 'db/b': {} } as const;
const call = { signal: new AbortController().signal };
const five = { 'db/a': {}, 'db/b': {}, 'db/c': {}, 'db/d': {}, 'db/e': {} };

describe('two clusters on a quota with room for one successor', () => {
  test('take turns: one after the other is replaced', async () => {
    const shared = await clustersUp(crossed);
    await shared.roomFor(1);
    const asked = await shared.replaceFirstOfEach();
    await shared.world.pass(2);
    expect(await shared.replacing()).toEqual(['db/a']);
    expect(await shared.world.until(async () => (await shared.done(asked)).length === 2, 600)).toBe(true);
    expect(shared.world.errors).toEqual([]);
  });

  test('deadlock where they may not read the quota: each has half of what it needs, for ever; and they say so', async () => {
    const shared = await clustersUp(crossed, { unreadable: ['resourcequotas'] });
    await shared.roomFor(1);
    const asked = await shared.replaceFirstOfEach();
    // After five minutes a missing successor is given up, where another zone may fail. None may here, and time changes nothing any more.
    await shared.world.pass(900);
    expect(await shared.done(asked)).toEqual([]);
    const lacks = async (key: string) => (await shared.storage(key)).at(-1)?.conditions.map(({ type }) => type);
    expect(await lacks('db/a')).toEqual(['MissingProcesses', 'MissingPod']);
    expect(await lacks('db/b')).toEqual(['MissingProcesses', 'MissingPVC', 'PodPending']);
    const [first] = await shared.notes('QuotasUnreadable');
    expect(first).toMatch(/does not take turns with clusters that share its quotas: not allowed to read/);
  });
});

describe('five clusters on a quota with room for one successor', () => {
  test('go one after another, and all end; who waits says who is ahead and is not marked', async () => {
    const shared = await clustersUp(five, { nodes: 30 });
    await shared.roomFor(1);
    const before = { pods: shared.made('pods'), claims: shared.made('persistentvolumeclaims') };
    const asked = await shared.replaceFirstOfEach();
    await shared.world.pass(2);
    expect(await shared.replacing()).toEqual(['db/a']);
    const waiting = await shared.row('db/e', asked.get('db/e') ?? '');
    expect(waiting).toMatchObject({ removalTimestamp: null, waitingFor: [{ code: 'NoRoom' }] });
    expect(waiting?.waitingFor[0]?.message).toMatch(
      /exceeded quota: shared, limited: persistentvolumeclaims=26,pods=31; storage-\d+ of db\/a is ahead, since 2/,
    );
    const order: string[] = [];
    const isThrough = async () => {
      for (const key of await shared.done(asked)) if (!order.includes(key)) order.push(key);
      return order.length === 5;
    };
    expect(await shared.world.until(isThrough, 1200)).toBe(true);
    expect(order).toEqual(['db/a', 'db/b', 'db/c', 'db/d', 'db/e']);
    // The API server never had to refuse anything.
    expect(shared.made('pods') - before.pods).toBe(5);
    expect(shared.made('persistentvolumeclaims') - before.claims).toBe(5);
    expect(await Promise.all(shared.keys.map(async (key) => (await shared.world.status(key)).reservations))).toEqual(
      shared.keys.map(() => []),
    );
    expect(shared.world.errors).toEqual([]);
  });
});

describe('a quota that changes', () => {
  test('smaller than one successor: it says so for as long as it lasts, marks and makes nothing; raised, it goes on at once', async () => {
    const shared = await clustersUp({ 'db/a': {}, 'db/b': {} });
    await shared.roomFor(1, { 'requests.storage': '9Gi' });
    const [pods, claims] = [shared.made('pods'), shared.made('persistentvolumeclaims')];
    const asked = await shared.replaceFirstOfEach();
    await shared.world.pass(600);
    expect(await shared.replacing()).toEqual([]);
    expect([shared.made('pods'), shared.made('persistentvolumeclaims')]).toEqual([pods, claims]);
    for (const key of shared.keys) {
      const [wait] = (await shared.row(key, asked.get(key) ?? ''))?.waitingFor ?? [];
      expect(wait).toMatchObject({ code: 'NoRoom' });
      expect(wait?.message).toMatch(/requests.storage=9Gi; one alone needs more requests.storage than that$/);
    }
    expect(await shared.notes('NoRoom')).toHaveLength(2);
    await shared.roomFor(2, { 'requests.storage': '200Gi' });
    await shared.world.pass(1);
    expect(await shared.replacing()).toEqual(['db/a', 'db/b']);
  });

  test('lowered under way: the one that has its successor ends, the other waits; taken away, it goes on at once', async () => {
    const shared = await clustersUp({ 'db/a': {}, 'db/b': {} });
    await shared.roomFor(1);
    const asked = await shared.replaceFirstOfEach();
    await shared.world.pass(2);
    await shared.roomFor(0);
    expect(await shared.world.until(async () => (await shared.done(asked)).includes('db/a'), 300)).toBe(true);
    await shared.world.pass(120);
    expect(await shared.replacing()).toEqual([]);
    await shared.lift();
    await shared.world.pass(1);
    expect(await shared.replacing()).toEqual(['db/b']);
    expect(await shared.world.until(async () => (await shared.done(asked)).length === 2, 300)).toBe(true);
  });

  test('what is full for a process group that is there already is told of it', async () => {
    const shared = await clustersUp({ 'db/a': {} });
    await shared.limit({ pods: '5' });
    const id = await shared.first('db/a');
    await shared.world.people.delete(pods, { namespace: 'db', name: `a-${id}` }, call);
    await shared.world.pass(60);
    const [wait] = (await shared.row('db/a', id))?.waitingFor ?? [];
    expect(wait).toMatchObject({ code: 'QuotaFull', message: expect.stringContaining('limited: pods=5') });
    expect((await shared.world.status('db/a')).reservations).toMatchObject([
      { processGroupID: id, requests: { pods: '1' } },
    ]);
    await shared.limit({ pods: '6' });
    expect(await shared.world.until(() => shared.world.isAtRest('db/a'), 120)).toBe(true);
  });
});

describe('the operator dies in the middle', () => {
  test.each([2, 3, 4, 5])('at write %i after people asked: they take turns all the same, and end', async (write) => {
    const shared = await clustersUp(crossed);
    await shared.roomFor(1);
    const before = shared.world.writes.length;
    shared.world.killAtWrite(before + write, write % 2 === 0);
    const asked = await shared.replaceFirstOfEach();
    expect(await shared.world.until(() => shared.world.isDead, 60)).toBe(true);
    await shared.world.killOperator();
    await shared.world.pass(10);
    shared.world.startOperator();
    expect(await shared.world.until(async () => (await shared.done(asked)).length === 2, 600)).toBe(true);
    expect(shared.world.pods('db')).toHaveLength(12);
  });
});
