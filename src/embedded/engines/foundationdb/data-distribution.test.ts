import { describe, expect, test } from 'vitest';
import { FdbWorld, gibibyte } from './testing/given-fdb.ts';

describe('exclusion moves data away at the stated speed, and roles after it', () => {
  test('bytes go down evenly, the process is drained only when excluded and without roles', async () => {
    const world = await FdbWorld.up();
    const before = await world.storedBytes('storage-5');
    await world.cli('exclude no_wait locality_instance_id:storage-5');
    expect(world.seen('storage-5')).toMatchObject({ excluded: true, drained: false });
    // All transfers end at storage-5 or begin at its partners; its own share of 100 MiB/s bounds the whole.
    const atLeast = before / (100 * 1024 * 1024);
    await world.passSeconds(atLeast / 4);
    expect(await world.storedBytes('storage-5')).toBeGreaterThan(0);
    expect(world.seen('storage-5')).toMatchObject({ drained: false });
    await world.passSeconds(atLeast * 3);
    expect(await world.storedBytes('storage-5')).toBe(0);
    await world.passSeconds(5);
    expect(await world.roles('storage-5')).toEqual([]);
    expect(world.seen('storage-5')).toMatchObject({ excluded: true, drained: true });
    expect(world.database.storedBytes()).toBe(2 * 24 * gibibyte);
  });

  test('the replicas never become fewer on the way', async () => {
    const world = await FdbWorld.up();
    await world.cli('exclude no_wait locality_instance_id:storage-5');
    for (let step = 0; step < 100; step++) {
      await world.passSeconds(5);
      const { cluster } = await world.status();
      expect(cluster.data.team_trackers.map(({ state }) => state.min_replicas_remaining)).toEqual([2]);
    }
    world.loseDisk('storage-5');
    expect(world.database.truth().lost).toEqual([]);
  });

  test('what was excluded and went away comes back excluded', async () => {
    const world = await FdbWorld.up();
    await world.cli('exclude no_wait locality_instance_id:storage-5');
    world.stop('storage-5');
    await world.passMinutes(1);
    world.start('storage-5', { address: '10.9.9.9:4501' });
    expect(world.seen('storage-5')).toMatchObject({ excluded: true });
  });

  test('by address it follows the address, not the process', async () => {
    const world = await FdbWorld.up();
    await world.cli(`exclude no_wait ${world.process('storage-5').address.split(':')[0]}`);
    expect(world.seen('storage-5')).toMatchObject({ excluded: true });
    world.stop('storage-5');
    world.start('storage-5', { address: '10.9.9.9:4501' });
    expect(world.seen('storage-5')).toMatchObject({ excluded: false });
  });

  test('an include on the way stops the movement, and the rest stays', async () => {
    const world = await FdbWorld.up();
    const before = await world.storedBytes('storage-5');
    await world.cli('exclude no_wait locality_instance_id:storage-5');
    await world.passSeconds(1);
    await world.cli('include locality_instance_id:storage-5');
    await world.passMinutes(30);
    expect(await world.storedBytes('storage-5')).toBe(before);
    expect(world.topology().health).toMatchObject({ fullyReplicated: true });
  });

  test('without a zone to go to, the data stays and the exclusion has no end', async () => {
    const world = await FdbWorld.up({ storage: 2, coordinators: 1 });
    await world.cli('exclude no_wait locality_instance_id:storage-2');
    await world.passMinutes(600);
    expect(world.seen('storage-2')).toMatchObject({ drained: false });
    expect((await world.status()).cluster.data.moving_data.in_queue_bytes).toBe(24 * gibibyte);
  });

  test('a log leaves by a recovery, and is without a role when its generation is empty', async () => {
    const world = await FdbWorld.up();
    await world.cli('exclude no_wait locality_instance_id:log-1');
    expect((await world.status()).client.database_status.available).toBe(false);
    await world.passSeconds(6);
    expect((await world.status()).cluster.recovery_state.active_generations).toBe(2);
    expect(await world.roles('log-1')).toEqual(['log']);
    await world.passSeconds(40);
    expect((await world.status()).cluster.recovery_state).toMatchObject({
      active_generations: 1,
      name: 'fully_recovered',
    });
    expect(await world.roles('log-1')).toEqual([]);
    expect(world.seen('log-1')).toMatchObject({ drained: true });
  });

  test('a coordinator is not drained until the coordinators are changed', async () => {
    const world = await FdbWorld.up();
    await world.cli('exclude no_wait locality_instance_id:storage-1');
    await world.passMinutes(30);
    expect(await world.roles('storage-1')).toEqual(['coordinator']);
    expect(world.seen('storage-1')).toMatchObject({ drained: false });
    world.begin('coordinators auto');
    await world.passMinutes(2);
    expect(await world.roles('storage-1')).toEqual([]);
  });
});
