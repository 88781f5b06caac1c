import { describe, expect, test } from 'vitest';
import type { Zone } from '../../../model/ids.ts';
import { name } from '../../../model/ids.ts';
import { isUnreachable } from '../../../model/topology.ts';
import { FdbWorld, gibibyte } from './testing/given-fdb.ts';

const nothingWrong = { lost: [], unavailable: [], brokenQuorums: [] };

describe('a database comes to be by `configure new`', () => {
  test('before that there is none, and its recovery state says so', async () => {
    const world = new FdbWorld();
    expect(isUnreachable(world.database.topology())).toBe(true);
    const { client, cluster } = await world.status();
    expect(client.database_status.available).toBe(false);
    expect(cluster.recovery_state.name).toBe('configuration_never_created');
  });

  test('after that it is up within seconds, healthy and whole', async () => {
    const world = new FdbWorld();
    expect(await world.cli('configure new double ssd')).toEqual({ stdout: 'Database created\n', stderr: '', code: 0 });
    await world.passSeconds(6);
    expect((await world.status()).client.database_status).toEqual({ available: true, healthy: true });
    expect(world.topology().health).toMatchObject({ available: true, fullyReplicated: true, zonesThatMayFail: 1 });
    expect(world.database.storedBytes()).toBe(2 * 24 * gibibyte);
  });

  test('without enough zones for its copies it waits for another process', async () => {
    const world = new FdbWorld({ storage: 1, logs: 2, coordinators: 1 });
    await world.cli('configure new double ssd');
    await world.passMinutes(10);
    expect((await world.status()).client.database_status.available).toBe(false);
    world.start('storage-2');
    await world.passSeconds(6);
    expect(world.database.truth()).toEqual(nothingWrong);
  });

  test('at rest it has no timer', async () => {
    const world = await FdbWorld.up();
    expect(world.clock.pending).toBe(0);
  });
});

describe('ailments and bad lines', () => {
  test('a disk with errors is told of', async () => {
    const world = await FdbWorld.up();
    world.database.ail(world.id('storage-5'), { ioError: true });
    expect((await world.processStatus('storage-5'))?.messages.map(({ name }) => name)).toEqual(['io_error']);
  });

  test('a process of another version is not heard, but connects', async () => {
    const world = await FdbWorld.up();
    world.database.ail(world.id('storage-5'), { incompatible: true });
    expect(await world.processStatus('storage-5')).toBeUndefined();
    expect((await world.status()).cluster.incompatible_connections).toEqual([world.process('storage-5').address]);
  });

  test('a partial answer says that it is one, and changes no fact', async () => {
    const world = await FdbWorld.up();
    world.database.answer('partial');
    const { cluster } = await world.status();
    expect(cluster.messages.map(({ name }) => name)).toContain('status_incomplete_timeout');
    expect(Object.keys(cluster.processes).length).toBeLessThan(12);
    expect(JSON.stringify(world.topology())).toContain('"unknown"');
  });

  test('with the line cut nothing is heard', async () => {
    const world = await FdbWorld.up();
    world.database.answer('none');
    const since = world.clock.now();
    expect(world.database.topology()).toEqual({ unreachable: 'fdbcli timed out', since });
    expect((await world.status()).client.database_status).toEqual({ available: false, healthy: false });
  });

  test('a process in another zone than before is seen there', async () => {
    const world = await FdbWorld.up();
    world.stop('storage-5');
    world.start('storage-5', { zone: name<Zone>('zone-9') });
    expect(world.seen('storage-5')?.zone).toBe('zone-9');
  });
});
