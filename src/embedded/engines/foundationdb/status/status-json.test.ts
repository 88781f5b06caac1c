import { describe, expect, test } from 'vitest';
import { FdbWorld } from '../testing/given-fdb.ts';

/** The value at a path such as `cluster.logs[0].current`. */
function at(document: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter((key) => key !== '')
    .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), document);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

describe('status json has every path that is read of it (research 4.2)', () => {
  test.each`
    path                                                                       | value
    ${'client.database_status.available'}                                      | ${true}
    ${'client.database_status.healthy'}                                        | ${true}
    ${'client.coordinators.quorum_reachable'}                                  | ${true}
    ${'client.coordinators.coordinators[0].address'}                           | ${expect.stringMatching(/^10\.\d+\.0\.1:4501$/)}
    ${'client.coordinators.coordinators[0].reachable'}                         | ${true}
    ${'cluster.configuration.excluded_servers'}                                | ${[]}
    ${'cluster.configuration.redundancy_mode'}                                 | ${'double'}
    ${'cluster.configuration.usable_regions'}                                  | ${1}
    ${'cluster.data.team_trackers[0].primary'}                                 | ${true}
    ${'cluster.data.team_trackers[0].unhealthy_servers'}                       | ${0}
    ${'cluster.data.team_trackers[0].state.healthy'}                           | ${true}
    ${'cluster.data.team_trackers[0].state.name'}                              | ${'healthy'}
    ${'cluster.data.team_trackers[0].state.min_replicas_remaining'}            | ${2}
    ${'cluster.data.state.healthy'}                                            | ${true}
    ${'cluster.data.state.name'}                                               | ${'healthy'}
    ${'cluster.data.moving_data.highest_priority'}                             | ${0}
    ${'cluster.data.moving_data.in_flight_bytes'}                              | ${0}
    ${'cluster.data.moving_data.in_queue_bytes'}                               | ${0}
    ${'cluster.logs[0].current'}                                               | ${true}
    ${'cluster.logs[0].log_replication_factor'}                                | ${2}
    ${'cluster.logs[0].log_fault_tolerance'}                                   | ${1}
    ${'cluster.recovery_state.active_generations'}                             | ${1}
    ${'cluster.recovery_state.name'}                                           | ${'fully_recovered'}
    ${'cluster.recovery_state.seconds_since_last_recovered'}                   | ${expect.closeTo(597, -1)}
    ${'cluster.maintenance_zone'}                                              | ${undefined}
    ${'cluster.messages'}                                                      | ${[]}
    ${'cluster.qos.worst_data_lag_storage_server.seconds'}                     | ${0}
    ${'cluster.qos.worst_durability_lag_storage_server.seconds'}               | ${0}
    ${'cluster.qos.worst_queue_bytes_log_server'}                              | ${0}
    ${'cluster.qos.worst_queue_bytes_storage_server'}                          | ${0}
    ${'cluster.full_replication'}                                              | ${true}
    ${'cluster.connection_string'}                                             | ${expect.stringMatching(/^orders:start@/)}
    ${'cluster.incompatible_connections'}                                      | ${[]}
    ${'cluster.bounce_impact.can_clean_bounce'}                                | ${true}
    ${'cluster.clients.supported_versions'}                                    | ${[]}
    ${'cluster.fault_tolerance.max_zone_failures_without_losing_data'}         | ${1}
    ${'cluster.fault_tolerance.max_zone_failures_without_losing_availability'} | ${1}
  `('$path', async ({ path, value }) => {
    const world = await FdbWorld.up();
    expect(at(await world.status(), String(path))).toEqual(value);
  });

  test('and every field of a process', async () => {
    const world = await FdbWorld.up();
    await world.cli('exclude no_wait locality_instance_id:storage-5');
    expect(await world.processStatus('storage-5')).toEqual({
      address: world.process('storage-5').address,
      class_source: 'command_line',
      class_type: 'storage',
      command_line: expect.stringContaining(`--public_address=${world.process('storage-5').address}`),
      excluded: true,
      fault_domain: 'zone-5',
      locality: { instance_id: 'storage-5', machineid: 'zone-5', processid: expect.any(String), zoneid: 'zone-5' },
      machine_id: 'zone-5',
      messages: [],
      roles: [
        {
          data_lag: { seconds: 0 },
          durability_lag: { seconds: 0 },
          id: expect.stringMatching(/^[0-9a-f]{16}$/),
          role: 'storage',
          stored_bytes: expect.any(Number),
        },
      ],
      run_loop_busy: 0.02,
      under_maintenance: false,
      uptime_seconds: 600,
      version: '7.3.63',
    });
  });
});

describe('status json through what happens', () => {
  test('while data moves it is healing, with all replicas there', async () => {
    const world = await FdbWorld.up();
    await world.cli('exclude no_wait locality_instance_id:storage-5');
    const { cluster, client } = await world.status();
    expect(client.database_status).toEqual({ available: true, healthy: false });
    expect(cluster.data.team_trackers).toMatchObject([
      { unhealthy_servers: 0, state: { healthy: false, name: 'healing', min_replicas_remaining: 2 } },
    ]);
    expect(cluster.data.moving_data).toMatchObject({ highest_priority: 700 });
    expect(cluster.full_replication).toBe(true);
  });

  test.each`
    lost | minReplicas | name         | priority
    ${1} | ${2}        | ${'healing'} | ${709}
    ${2} | ${1}        | ${'healing'} | ${800}
  `(
    'triple with $lost storage servers gone: $minReplicas left, $name',
    async ({ lost, minReplicas, name, priority }) => {
      const world = await FdbWorld.up({ mode: 'triple', storage: 3, coordinators: 1, logs: 5 });
      world.stop(...['storage-3', 'storage-2'].slice(0, Number(lost)));
      await world.passMinutes(2);
      const { cluster } = await world.status();
      expect(cluster.data).toMatchObject({
        state: { healthy: false, min_replicas_remaining: minReplicas, name },
        moving_data: { highest_priority: priority },
      });
    },
  );

  test('during a recovery it tells what can be told without a database', async () => {
    const world = await FdbWorld.up();
    world.stop('log-1');
    const { client, cluster } = await world.status();
    expect(client.database_status).toEqual({ available: false, healthy: false });
    expect(client.coordinators.quorum_reachable).toBe(true);
    expect(cluster.recovery_state).toEqual({
      active_generations: 1,
      name: 'recruiting_transaction_servers',
      seconds_since_last_recovered: -1,
    });
    expect(cluster.data).toBeUndefined();
    expect(Object.keys(cluster.processes)).toHaveLength(11);
  });

  test('two processes of one pod are told apart by process_id', async () => {
    const world = await FdbWorld.up();
    world.database.start({
      ...world.process('storage-6'),
      id: world.id('storage-6-2'),
      address: world.process('storage-6').address.replace('4501', '4503'),
    });
    const { cluster } = await world.status();
    const twin = Object.values(cluster.processes).find(({ address }) => address.endsWith(':4503'));
    expect(twin?.locality).toMatchObject({ instance_id: 'storage-6', process_id: 'storage-6-2' });
  });
});
