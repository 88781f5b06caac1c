import { describe, expect, test } from 'vitest';
import type { RoleName } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import { first, StoreWorld, second } from './testing/given-store.ts';

describe('an evacuation empties a process and never lowers redundancy', () => {
  test('each old copy goes only when the new one is in sync, and the leader hands off first', async () => {
    const world = new StoreWorld({ shards: 6 });
    world.store.evacuate(world.id('db-1'));
    for (let second = 0; second < 600; second++) {
      await world.passSeconds(1);
      for (const { id } of world.topology().units) expect(world.inSync(id).length).toBeGreaterThanOrEqual(3);
      expect(world.truth().unavailable).toEqual([]);
    }
    expect(world.topology().processes.find(({ id }) => id === 'db-1')).toMatchObject({ excluded: true, drained: true });
    expect(world.jobs()).toEqual([{ verb: 'Evacuate', process: 'db-1', state: 'Done' }]);
    world.stop('db-1');
    world.loseDisk('db-1');
    expect(world.truth().lost).toEqual([]);
  });

  test('without another process the copies stay', async () => {
    const world = new StoreWorld({ processes: 3 });
    world.store.evacuate(world.id('db-1'));
    await world.passMinutes(60);
    expect(world.topology().processes.find(({ id }) => id === 'db-1')).toMatchObject({ drained: false });
    expect(world.inSync('s1')).toHaveLength(3);
  });

  test('a cancel leaves the unfinished copy lying about, doomed, until it is swept up', async () => {
    const world = new StoreWorld({ shards: 1 });
    const leaver = second(world.inSync('s1'));
    world.store.evacuate(world.id(leaver));
    await world.passSeconds(30);
    world.store.cancelEvacuation(world.id(leaver));
    expect(world.copies('s1').filter((copy) => copy.endsWith('doomed rebuilding'))).toHaveLength(1);
    expect(world.inSync('s1')).toContain(leaver);
    await world.passMinutes(5);
    expect(world.copies('s1')).toHaveLength(3);
    expect(world.jobs()).toEqual([{ verb: 'Evacuate', process: leaver, state: 'Cancelled' }]);
  });

  test('a seat in the quorum goes last, to a process without one', async () => {
    const member = name<RoleName>('dbserver');
    const world = new StoreWorld({ shards: 1, processes: 5, quorumRole: member });
    await world.passSeconds(8);
    world.store.evacuate(world.id('db-1'));
    expect(world.topology().processes.find(({ id }) => id === 'db-1')).toMatchObject({ drained: false });
    await world.passMinutes(5);
    expect(first(world.topology().quorums).members.map(({ process }) => process)).toEqual(['db-2', 'db-3', 'db-4']);
    expect(world.topology().processes.find(({ id }) => id === 'db-1')).toMatchObject({ drained: true });
    expect(world.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
  });

  test('a job that fails is reported, and the process is as before', async () => {
    const world = new StoreWorld({ shards: 1, jobFailures: 1 });
    const leaver = second(world.inSync('s1'));
    world.store.evacuate(world.id(leaver));
    await world.passMinutes(1);
    expect(world.store.jobs()).toMatchObject([{ state: 'Failed', message: expect.stringContaining('aborted') }]);
    expect(world.topology().processes.find(({ id }) => id === leaver)).toMatchObject({ excluded: false });
  });
});

describe('a hand-off moves leadership and nothing else', () => {
  test('all that the process led is led by another one', async () => {
    const world = new StoreWorld({ shards: 6 });
    const leader = first(world.inSync('s1'));
    world.store.handOff(world.id(leader));
    await world.passSeconds(8);
    for (const { id } of world.topology().units) expect(first(world.inSync(id))).not.toBe(leader);
    expect(world.inSync('s1')).toContain(leader);
    expect(world.jobs()).toEqual([{ verb: 'HandOff', process: leader, state: 'Done' }]);
  });

  test('what has no other copy in sync keeps its leader, and the job says so', async () => {
    const world = new StoreWorld({ shards: 1, processes: 1 });
    world.store.handOff(world.id('db-1'));
    await world.passSeconds(8);
    expect(world.store.jobs()).toMatchObject([{ state: 'Failed', message: 'nobody else is in sync for s1' }]);
  });
});
