import { describe, expect, test } from 'vitest';
import { FdbWorld } from './testing/given-fdb.ts';

describe('a recovery is short, and needs what it needs', () => {
  test('a process of the transaction system stops: down for seconds, then up with an old generation', async () => {
    const world = await FdbWorld.up();
    world.stop('log-1');
    expect(world.database.truth().unavailable).toEqual(['database']);
    expect(world.topology().health).toMatchObject({ available: false, fullyReplicated: 'unknown' });
    await world.passSeconds(6);
    const { cluster } = await world.status();
    expect(cluster.recovery_state.active_generations).toBe(2);
    expect(cluster.recovery_state.seconds_since_last_recovered).toBeLessThanOrEqual(4);
    await world.passSeconds(40);
    expect((await world.status()).cluster.recovery_state.active_generations).toBe(1);
  });

  test('too few logs for all copies: a storage process is one meanwhile, and no longer than needed', async () => {
    const world = await FdbWorld.up({ logs: 2 });
    world.stop('log-1');
    await world.passMinutes(2);
    const helpers = world.topology().processes.filter(({ role }) => role === 'storage');
    const roles = await Promise.all(helpers.map(({ id }) => world.roles(id)));
    expect(roles.filter((some) => some?.includes('log'))).toHaveLength(1);
    world.start('log-1');
    await world.passMinutes(2);
    expect(await world.roles('log-1')).toEqual(['log']);
    for (const { id } of helpers) expect(await world.roles(id)).not.toContain('log');
  });

  test('too few processes for all copies of the log: down until one is back', async () => {
    const world = await FdbWorld.up({ logs: 2, storage: 3 });
    world.stop('log-1', 'storage-1', 'storage-2', 'storage-3');
    world.start('storage-2');
    world.start('storage-3');
    await world.passMinutes(60);
    expect(world.database.truth()).toMatchObject({ lost: [], unavailable: [] });
    world.stop('log-2', 'stateless-1', 'stateless-2', 'stateless-3', 'storage-3');
    await world.passMinutes(60);
    expect(world.database.truth().lost).toEqual([]);
    expect(world.database.truth().unavailable).toContain('database');
    world.start('log-2');
    world.start('storage-3');
    await world.passMinutes(1);
    expect(world.database.truth().unavailable).toEqual([]);
  });

  test('a log that joins is taken in after a while', async () => {
    const world = await FdbWorld.up({ logs: 2 });
    world.start('log-3');
    await world.passMinutes(3);
    expect(await world.roles('log-3')).toEqual(['log']);
    expect(world.topology().health.zonesThatMayFail).toBe(1);
  });

  test('storage servers and idle processes come and go without one', async () => {
    const world = await FdbWorld.up();
    world.stop('storage-5', 'log-4');
    expect((await world.status()).client.database_status.available).toBe(true);
  });
});
