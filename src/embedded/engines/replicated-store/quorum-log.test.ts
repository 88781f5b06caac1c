import { describe, expect, test } from 'vitest';
import type { ProcessId } from '../../../model/ids.ts';
import { first, StoreWorld } from './testing/given-store.ts';

describe('the quorum log needs a majority', () => {
  const leaderOf = (world: StoreWorld): ProcessId | null => {
    const { leader } = first(world.topology().quorums);
    return leader === 'unknown' ? null : leader;
  };

  test('one of three may go: another one leads within seconds', async () => {
    const world = new StoreWorld();
    await world.passSeconds(8);
    const leader = String(leaderOf(world));
    world.stop(leader);
    expect(world.truth().brokenQuorums).toEqual([]);
    await world.passSeconds(8);
    expect(leaderOf(world)).not.toBeNull();
    expect(leaderOf(world)).not.toBe(leader);
  });

  test('two of three gone: broken, since that moment, until one is back', async () => {
    const world = new StoreWorld();
    await world.passSeconds(8);
    world.stop('agent-1', 'agent-2');
    const since = world.clock.now();
    await world.passMinutes(3);
    expect(world.truth().brokenQuorums).toEqual([{ quorum: 'log', needed: 2, answering: 1, since }]);
    expect(leaderOf(world)).toBeNull();
    world.start('agent-2');
    expect(world.truth().brokenQuorums).toEqual([]);
    await world.passSeconds(8);
    expect(leaderOf(world)).not.toBeNull();
  });

  test('a member with a new disk has a seat, and is level only after it has caught up', async () => {
    const world = new StoreWorld();
    await world.passSeconds(8);
    world.loseDisk('agent-3');
    world.start('agent-3');
    const memberOf = () => first(world.topology().quorums).members.find(({ process }) => process === 'agent-3');
    expect(memberOf()).toMatchObject({ responds: true, inSync: false });
    await world.passSeconds(12);
    expect(memberOf()).toMatchObject({ responds: true, inSync: true });
  });

  test('without any level disk the log is lost', async () => {
    const world = new StoreWorld();
    await world.passSeconds(8);
    world.stop('agent-3');
    world.loseDisk('agent-1');
    world.loseDisk('agent-2');
    expect(world.truth().lost.map(({ unit }) => unit)).toEqual(['log']);
  });

  test.each([
    ['comes afterwards', ['stop', 'forget', 'start']],
    ['is there already', ['start', 'stop', 'forget']],
  ])('the seat of one that was forgotten is taken by one that %s', async (_when, steps) => {
    const world = new StoreWorld();
    await world.passSeconds(8);
    for (const step of steps) {
      if (step === 'stop') world.stop('agent-1');
      if (step === 'forget') world.store.forget(world.id('agent-1'));
      if (step === 'start') world.start('agent-4');
    }
    await world.passSeconds(12);
    expect(
      first(world.topology().quorums).members.map(({ process, inSync }) => `${process} ${String(inSync)}`),
    ).toEqual(['agent-2 true', 'agent-3 true', 'agent-4 true']);
  });
});
