import { describe, expect, test } from 'vitest';
import { first, StoreWorld, second } from './testing/given-store.ts';

describe('a replicated store keeps every shard in three copies', () => {
  test('a new shard has its copies in three zones, one of them leading', () => {
    const world = new StoreWorld();
    const zoneOf = new Map(world.topology().processes.map(({ id, zone }) => [String(id), zone]));
    for (const shard of ['s1', 's2', 's3']) {
      expect(new Set(world.inSync(shard).map((process) => zoneOf.get(process))).size).toBe(3);
      expect(world.copies(shard).filter((copy) => copy.endsWith(' leads'))).toHaveLength(1);
    }
    expect(world.topology().health).toMatchObject({ available: true, fullyReplicated: true });
  });

  test('at rest it has no timer', async () => {
    const world = new StoreWorld();
    await world.passMinutes(60);
    expect(world.clock.pending).toBe(0);
  });

  test('a follower that stops falls behind at once, and catches up when it is back', async () => {
    const world = new StoreWorld();
    const follower = second(world.inSync('s1'));
    world.stop(follower);
    expect(world.inSync('s1')).not.toContain(follower);
    await world.passMinutes(5);
    world.start(follower);
    expect(world.copies('s1')).toContain(`${follower} behind`);
    // 300 s of writes at 1 MiB/s, at a tenth of a second for each MiB, shared with its other shards.
    await world.passMinutes(3);
    expect(world.inSync('s1')).toContain(follower);
    expect(world.truth()).toEqual({ lost: [], unavailable: [], brokenQuorums: [] });
  });

  test('a copy that is gone for ten minutes is made anew elsewhere, at the stated speed', async () => {
    const world = new StoreWorld({ shards: 1 });
    const follower = second(world.inSync('s1'));
    world.stop(follower);
    await world.passMinutes(10);
    expect(world.copies('s1').some((copy) => copy.endsWith('rebuilding'))).toBe(true);
    await world.passSeconds(59);
    expect(world.inSync('s1')).toHaveLength(2);
    expect(first(world.topology().units).copying).toMatchObject({ percent: 98, secondsLeft: 1 });
    await world.passSeconds(1);
    expect(world.inSync('s1')).toHaveLength(3);
    expect(world.copies('s1').join()).not.toContain(follower);
  });

  test('a leader that stops is followed by another copy within seconds, and comes back as one that is behind', async () => {
    const world = new StoreWorld({ shards: 1 });
    const leader = first(world.inSync('s1'));
    world.stop(leader);
    expect(world.truth().unavailable).toEqual(['s1']);
    await world.passSeconds(8);
    expect(world.truth().unavailable).toEqual([]);
    expect(first(world.inSync('s1'))).not.toBe(leader);
    world.start(leader);
    expect(world.copies('s1')).toContain(`${leader} behind`);
  });

  test('a leader that is back before the election is over still leads', async () => {
    const world = new StoreWorld({ shards: 1 });
    const leader = first(world.inSync('s1'));
    world.stop(leader);
    await world.passMillis(500);
    world.start(leader);
    await world.passMinutes(1);
    expect(first(world.inSync('s1'))).toBe(leader);
    expect(world.inSync('s1')).toHaveLength(3);
  });

  test('without enough copies for the write concern nothing is written, so nobody falls behind', async () => {
    const world = new StoreWorld({ shards: 1, processes: 3, writeConcern: 3 });
    const follower = second(world.inSync('s1'));
    world.stop(follower);
    await world.passMinutes(5);
    world.start(follower);
    expect(world.inSync('s1')).toContain(follower);
  });

  test('with nowhere to go the missing copy is explained', async () => {
    const world = new StoreWorld({ shards: 1, processes: 3 });
    world.stop(second(world.inSync('s1')));
    await world.passMinutes(11);
    expect(first(world.topology().units).unplaceable).toBe('no process that has no copy of s1 yet and is to stay');
  });

  test('a process that is cut off is silent like a stopped one, and rejoins with its data', async () => {
    const world = new StoreWorld({ shards: 1 });
    const follower = second(world.inSync('s1'));
    world.store.isolate(world.id(follower));
    expect(world.inSync('s1')).not.toContain(follower);
    await world.passMinutes(1);
    world.store.rejoin(world.id(follower));
    await world.passMinutes(1);
    expect(world.inSync('s1')).toContain(follower);
  });
});
