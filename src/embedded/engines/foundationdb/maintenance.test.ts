import { describe, expect, test } from 'vitest';
import { FdbWorld } from './testing/given-fdb.ts';

describe('maintenance keeps the data of a zone where it is', () => {
  test('storage of the zone may be away without being replaced, until the time is over', async () => {
    const world = await FdbWorld.up();
    await world.cli('maintenance on zone-5 600');
    world.stop('storage-5');
    await world.passSeconds(599);
    expect(world.topology().health).toMatchObject({ fullyReplicated: true, maintenance: { zone: 'zone-5' } });
    expect((await world.cli('maintenance')).stdout).toBe('Maintenance for zone zone-5 will continue for 1 seconds.\n');
    await world.passSeconds(1);
    expect(world.topology().health).toMatchObject({ fullyReplicated: false, maintenance: 'off' });
    expect((await world.cli('maintenance')).stdout).toBe('No ongoing maintenance.\n');
  });

  test('it ends when storage of another zone fails', async () => {
    const world = await FdbWorld.up();
    await world.cli('maintenance on zone-5 6000');
    world.stop('storage-4');
    await world.passSeconds(59);
    expect((await world.status()).cluster.maintenance_zone).toBe('zone-5');
    await world.passSeconds(1);
    expect((await world.status()).cluster.maintenance_zone).toBeUndefined();
  });

  test('`off` ends it', async () => {
    const world = await FdbWorld.up();
    await world.cli('maintenance on zone-5 6000');
    expect((await world.processStatus('storage-5'))?.under_maintenance).toBe(true);
    await world.cli('maintenance off');
    expect(world.topology().health.maintenance).toBe('off');
    expect(world.clock.pending).toBe(0);
  });
});
