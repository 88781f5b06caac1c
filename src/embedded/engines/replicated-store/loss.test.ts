import { describe, expect, test } from 'vitest';
import { first, StoreWorld } from './testing/given-store.ts';

describe('data can be lost, and then it is for good', () => {
  test('all copies stopped: unavailable, not lost, and back with the process that was the last to serve', async () => {
    const world = new StoreWorld({ shards: 1, processes: 3 });
    const copies = world.inSync('s1');
    for (const process of copies.toReversed()) world.stop(process);
    await world.passMinutes(60);
    expect(world.truth()).toMatchObject({ lost: [], unavailable: ['s1'] });
    world.start(first(copies));
    await world.passSeconds(8);
    expect(world.truth().unavailable).toEqual([]);
  });

  test('the disk of the last up-to-date copy is lost: the older copies do not help', async () => {
    const world = new StoreWorld({ shards: 1, processes: 3 });
    const [leader, ...followers] = world.inSync('s1');
    for (const process of followers) world.stop(process);
    await world.passMinutes(1);
    world.loseDisk(leader ?? '');
    for (const process of followers) world.start(process);
    await world.passMinutes(60);
    const [loss] = world.truth().lost;
    expect(loss).toMatchObject({
      unit: 's1',
      because: `s1 had its last up-to-date copy on ${leader}: its disk was lost`,
    });
    expect(loss?.copies.map(({ process, what }) => `${process}: ${what}`)).toEqual([
      ...followers.map((process) => `${process}: fell behind: writes went on without it`),
      `${leader}: its disk was lost`,
    ]);
    expect(world.truth().unavailable).toEqual([]);
  });

  test('an up-to-date disk that comes back saves the shard, a new one does not', async () => {
    const world = new StoreWorld({ shards: 1, processes: 1 });
    world.stop('db-1');
    world.start('db-1', 'a-new-disk');
    expect(world.truth()).toMatchObject({ lost: [], unavailable: ['s1'] });
    world.stop('db-1');
    world.start('db-1');
    await world.passSeconds(8);
    expect(world.truth()).toMatchObject({ lost: [], unavailable: [] });
  });

  test('a copy in the making protects nothing', async () => {
    const world = new StoreWorld({ shards: 1, processes: 2, replicationFactor: 2 });
    world.loseDisk('db-1');
    world.start('db-1');
    await world.passSeconds(30);
    expect(world.copies('s1').some((copy) => copy.includes('rebuilding'))).toBe(true);
    world.loseDisk('db-2');
    expect(world.truth().lost.map(({ unit }) => unit)).toEqual(['s1']);
  });
});
