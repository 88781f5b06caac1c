import { describe, expect, test } from 'vitest';
import { FdbWorld } from './testing/given-fdb.ts';

const nothingWrong = { lost: [], unavailable: [], brokenQuorums: [] };

describe('what is silent is noticed late', () => {
  test('a storage server that stops is missing at once, and counts as a replica for a minute', async () => {
    const world = await FdbWorld.up();
    world.stop('storage-5');
    await world.passSeconds(59);
    expect(await world.processStatus('storage-5')).toBeUndefined();
    expect((await world.status()).cluster.full_replication).toBe(true);
    await world.passSeconds(1);
    const { cluster } = await world.status();
    expect(cluster.full_replication).toBe(false);
    expect(cluster.data.team_trackers[0]).toMatchObject({ unhealthy_servers: 1, state: { min_replicas_remaining: 1 } });
  });

  test('its data is made anew elsewhere, and then it holds nothing that is needed', async () => {
    const world = await FdbWorld.up();
    world.stop('storage-5');
    await world.passMinutes(30);
    expect(world.topology().health).toMatchObject({ fullyReplicated: true, zonesThatMayFail: 1 });
    world.loseDisk('storage-5');
    expect(world.database.truth()).toEqual(nothingWrong);
  });

  test('back in time it keeps its data, and is behind for a while', async () => {
    const world = await FdbWorld.up();
    const before = await world.storedBytes('storage-5');
    world.stop('storage-5');
    await world.passSeconds(50);
    world.start('storage-5');
    expect((await world.status()).cluster.qos?.worst_data_lag_storage_server.seconds).toBe(50);
    await world.passSeconds(4);
    expect((await world.status()).cluster.qos?.worst_data_lag_storage_server.seconds).toBe(10);
    await world.passSeconds(1);
    expect(world.topology().health).toMatchObject({ caughtUp: true });
    expect(await world.storedBytes('storage-5')).toBe(before);
  });
});
