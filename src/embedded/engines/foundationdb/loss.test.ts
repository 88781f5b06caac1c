import { describe, expect, test } from 'vitest';
import { FdbWorld } from './testing/given-fdb.ts';

const nothingWrong = { lost: [], unavailable: [], brokenQuorums: [] };

describe('data can be lost, and then it is for good', () => {
  test('all storage servers of a team stopped: unavailable, back with one of them', async () => {
    const world = await FdbWorld.up({ storage: 3 });
    world.stop('storage-2', 'storage-3');
    await world.passMinutes(1);
    expect(world.database.truth().lost).toEqual([]);
    expect(world.database.truth().unavailable.filter((unit) => unit.startsWith('range'))).not.toEqual([]);
    world.start('storage-2');
    await world.passMinutes(30);
    expect(world.database.truth()).toEqual(nothingWrong);
  });

  test('both disks of a team gone: lost, with what happened to each copy', async () => {
    const world = await FdbWorld.up({ storage: 3 });
    world.stop('storage-2');
    await world.passSeconds(30);
    world.loseDisk('storage-2', 'storage-3');
    const { lost } = world.database.truth();
    expect(lost.length).toBeGreaterThan(0);
    expect(lost[0]?.copies.map(({ process, what }) => `${process}: ${what}`)).toEqual([
      'storage-2: its disk was lost',
      'storage-3: its disk was lost',
    ]);
    world.start('storage-2');
    world.start('storage-3');
    await world.passMinutes(60);
    expect(world.database.truth().lost).toEqual(lost);
  });

  test('too many disks of the logs gone: what was committed last is lost', async () => {
    const world = await FdbWorld.up();
    world.loseDisk('log-1');
    expect(world.database.truth().lost).toEqual([]);
    world.loseDisk('log-2');
    const [loss] = world.database.truth().lost;
    expect(loss?.unit).toBe('transaction log');
    expect(loss?.copies.map(({ process, what }) => `${process}: ${what}`)).toEqual([
      'log-3: got a log of generation 1',
      'log-1: its disk was lost, with the log of generation 1',
      'log-2: its disk was lost, with the log of generation 1',
    ]);
  });

  test.each`
    after | zonesThatMayFail | lost
    ${10} | ${0}             | ${['transaction log']}
    ${50} | ${1}             | ${[]}
  `(
    '$after s after a recovery: an old generation is needed until it is empty',
    async ({ after, zonesThatMayFail, lost }) => {
      const world = await FdbWorld.up({ logs: 5 });
      world.stop('log-1');
      await world.passSeconds(Number(after));
      expect(world.topology().health).toMatchObject({
        zonesThatMayFail,
        activeGenerations: zonesThatMayFail === 0 ? 2 : 1,
      });
      world.loseDisk('log-1', 'log-2');
      expect(world.database.truth().lost.map(({ unit }) => unit)).toEqual(lost);
    },
  );

  test('most of the disks of the coordinators gone: nobody knows the database any more', async () => {
    const world = await FdbWorld.up();
    const addresses = ['log-1', 'log-2', 'log-3'].map((id) => world.process(id).address);
    world.begin(`coordinators ${addresses.join(' ')}`);
    await world.passMinutes(5);
    world.loseDisk('log-1');
    await world.passMinutes(5);
    world.loseDisk('log-2');
    expect(world.database.truth().lost.map(({ unit }) => unit)).toEqual(['coordination state']);
  });
});
