import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../kube/clock.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Uid } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { givenFound } from '../testing/found-pod.ts';
import { Desk, guardKey } from './desk.ts';

const orders = guardKey('StatefulCluster', 'db/orders');
const etcd = guardKey('EvictionGuard', 'db/orders');
const uid = (text: string): Uid => name(text);
const alive = new AbortController().signal;

/** A desk that one controller attends, and whom it was told of. */
function givenDesk() {
  const clock = new VirtualClock();
  const desk = new Desk(clock);
  const heard: string[] = [];
  const leave = desk.attend('StatefulCluster', (key) => heard.push(key));
  return { clock, desk, heard, leave };
}

describe('who asks', () => {
  test('is told to the one who decides, once for each pod and asker', () => {
    const { desk, heard } = givenDesk();
    desk.ask(orders, uid('u1'), 'jane');
    desk.ask(orders, uid('u1'), 'jane');
    expect(heard).toEqual(['db/orders']);
    desk.ask(orders, uid('u1'), 'joe');
    desk.ask(orders, uid('u2'), 'jane');
    expect(heard).toHaveLength(3);
  });

  test('is found with how often and since when, by its own guard alone', async () => {
    const { clock, desk } = givenDesk();
    const since = clock.now();
    desk.ask(orders, uid('u1'), 'jane');
    await clock.pass(seconds(5));
    desk.ask(orders, uid('u1'), 'jane');
    expect(desk.asksFor(orders)).toEqual([{ pod: 'u1', by: 'jane', since, lastSeen: clock.now(), times: 2 }]);
    expect(desk.asksFor(etcd)).toEqual([]);
  });

  test.each([
    ['just before', 599_999, 1],
    ['after', 600_000, 0],
  ])('has given up who does not ask again for 10 min: %s', async (_, later, left) => {
    const { clock, desk } = givenDesk();
    desk.ask(orders, uid('u1'), 'jane');
    await clock.pass(seconds(later / 1000));
    expect(desk.asksFor(orders)).toHaveLength(left);
  });

  test('is forgotten once on record, unless it was asked again in the meantime', () => {
    const { desk, heard } = givenDesk();
    desk.ask(orders, uid('u1'), 'jane');
    desk.ask(orders, uid('u2'), 'jane');
    const seen = desk.asksFor(orders);
    desk.ask(orders, uid('u2'), 'jane');
    desk.forget(orders, seen);
    expect(desk.asksFor(orders)).toMatchObject([{ pod: 'u2', times: 2 }]);
    desk.ask(orders, uid('u1'), 'jane');
    expect(heard).toHaveLength(3);
  });

  test('leaves nothing behind: 10,000 asks of pods that are gone', async () => {
    const { clock, desk } = givenDesk();
    for (let pod = 0; pod < 10_000; pod++) desk.ask(orders, uid(`u${pod}`), 'jane');
    desk.forget(orders, desk.asksFor(orders).slice(0, 5000));
    expect(desk.asksFor(orders)).toHaveLength(5000);
    await clock.pass(minutes(10));
    expect(desk.asksFor(orders)).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe('what was decided', () => {
  test('is found by the namespace and the name of a pod, with its age', async () => {
    const { clock, desk } = givenDesk();
    const { published } = givenFound();
    desk.publish(orders, published);
    await clock.pass(seconds(7));
    expect(desk.find('db', 'storage-1')).toMatchObject({ guard: orders, published, age: 7000 });
    expect(desk.find('db', 'storage-2')).toBeUndefined();
    expect(desk.find('d', 'storage-1')).toBeUndefined();
    expect(desk.find('other', 'storage-1')).toBeUndefined();
  });

  test('is gone with its owner, and so is who asked for it', () => {
    const { desk } = givenDesk();
    desk.publish(orders, givenFound().published);
    desk.ask(orders, uid('u1'), 'jane');
    desk.withdraw(orders);
    expect(desk.find('db', 'storage-1')).toBeUndefined();
    expect(desk.asksFor(orders)).toEqual([]);
  });

  test('is gone with the one who decided it, and nobody is told any more', () => {
    const { desk, heard, leave } = givenDesk();
    expect(desk.isAttended).toBe(true);
    desk.publish(orders, givenFound().published);
    desk.publish(etcd, givenFound().published);
    desk.ask(orders, uid('u1'), 'jane');
    leave();
    expect(desk.isAttended).toBe(false);
    expect(desk.find('db', 'storage-1')?.guard).toBe(etcd);
    expect(desk.asksFor(orders)).toEqual([]);
    desk.stir(orders);
    expect(heard).toEqual(['db/orders']);
  });
});

describe('who waits for a pod', () => {
  test('passes when the lock is opened, all of them, and they are counted on to evict it', async () => {
    const { desk } = givenDesk();
    const waiting = Promise.all([desk.passage(uid('u1'), alive), desk.passage(uid('u1'), alive)]);
    expect(desk.letPass(uid('u1'))).toBe(true);
    expect(await waiting).toEqual(['open', 'open']);
    expect(desk.letPass(uid('u1'))).toBe(false);
  });

  test('is told to wait when everything that was decided is done, and another pod does not matter', async () => {
    const { desk } = givenDesk();
    desk.ask(orders, uid('u1'), 'jane');
    const other = new AbortController();
    const waiting = desk.passage(uid('u1'), alive);
    const forAnother = desk.passage(uid('u2'), other.signal);
    desk.conclude(desk.asksFor(orders));
    expect(await waiting).toBe('held');
    other.abort(new Error('enough'));
    await expect(forAnother).rejects.toThrow('enough');
  });

  test('gives up, and is not counted on any more', async () => {
    const { desk } = givenDesk();
    const patience = new AbortController();
    const waiting = desk.passage(uid('u1'), patience.signal);
    const patient = desk.passage(uid('u1'), alive);
    patience.abort(new Error('no grant in time'));
    await expect(waiting).rejects.toThrow('no grant in time');
    expect(desk.letPass(uid('u1'))).toBe(true);
    expect(await patient).toBe('open');

    const late = desk.passage(uid('u2'), patience.signal);
    await expect(late).rejects.toThrow('no grant in time');
    expect(desk.letPass(uid('u2'))).toBe(false);
  });

  test('is not counted on where all have given up', async () => {
    const { desk } = givenDesk();
    const patience = new AbortController();
    const waiting = desk.passage(uid('u1'), patience.signal);
    patience.abort(new Error('no grant in time'));
    await expect(waiting).rejects.toThrow();
    expect(desk.letPass(uid('u1'))).toBe(false);
  });
});
