import { describe, expect, test } from 'vitest';
import { FdbWorld } from './testing/given-fdb.ts';

describe('coordinators', () => {
  test('one of three gone: up, and the status names it', async () => {
    const world = await FdbWorld.up();
    world.stop('storage-3');
    const { client } = await world.status();
    expect(client.coordinators.quorum_reachable).toBe(true);
    expect(client.coordinators.coordinators.map(({ reachable }) => reachable)).toEqual([true, true, false]);
    expect(world.database.truth().brokenQuorums).toEqual([]);
  });

  test('two of three gone: broken, nothing can be read, until one is back', async () => {
    const world = await FdbWorld.up();
    world.stop('storage-2', 'storage-3');
    const since = world.clock.now();
    await world.passMinutes(5);
    expect(world.database.truth().brokenQuorums).toEqual([{ quorum: 'coordinators', needed: 2, answering: 1, since }]);
    expect(world.database.topology()).toEqual({ unreachable: 'too few coordinators can be reached', since });
    expect((await world.status()).client.coordinators.quorum_reachable).toBe(false);
    world.start('storage-3');
    await world.passSeconds(6);
    expect(world.database.truth().brokenQuorums).toEqual([]);
    expect(world.topology().health.available).toBe(true);
  });

  test('one that comes back with another address is none any more', async () => {
    const world = await FdbWorld.up();
    world.stop('storage-3');
    world.start('storage-3', { address: '10.9.9.9:4501' });
    expect((await world.status()).client.coordinators.coordinators.filter(({ reachable }) => reachable)).toHaveLength(
      2,
    );
    expect(await world.roles('storage-3')).not.toContain('coordinator');
  });

  test('a change is a recovery, and gives a new connection string', async () => {
    const world = await FdbWorld.up();
    const before = (await world.status()).cluster.connection_string;
    const addresses = ['log-1', 'log-2', 'log-3'].map((id) => world.process(id).address);
    const running = world.begin(`coordinators ${addresses.join(' ')}`);
    await world.passSeconds(6);
    expect(running.result).toMatchObject({ stdout: expect.stringMatching(/Coordination state changed\n$/), code: 0 });
    const after = (await world.status()).cluster.connection_string;
    expect(after).not.toBe(before);
    expect(after).toMatch(new RegExp(`^orders:[0-9a-f]{32}@${addresses.join(',')}$`));
  });

  test('by itself it takes nobody that is to leave, and one a zone', async () => {
    const world = await FdbWorld.up();
    expect((await world.cli('coordinators auto')).stdout).toBe(
      'No change (existing configuration satisfies request)\n',
    );
    await world.cli('exclude no_wait locality_instance_id:storage-1');
    world.begin('coordinators auto');
    await world.passSeconds(30);
    const { processes, quorums } = world.topology();
    const members = quorums[0]?.members.map(({ process }) => process) ?? [];
    expect(members).toHaveLength(3);
    expect(members).not.toContain('storage-1');
    expect(new Set(processes.filter(({ id }) => members.includes(id)).map(({ zone }) => zone)).size).toBe(3);
  });
});
