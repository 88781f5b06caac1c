import { describe, expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import type { Observation } from '../engine.ts';
import type { FixtureName } from './testing/fixture.ts';
import { changed, fixture, pathOf } from './testing/fixture.ts';
import { givenEngine, now, outcome, untilAborted } from './testing/given-engine.ts';
import { ScriptedFdbcli } from './testing/scripted-fdbcli.ts';

const observe = (status: string, groups: Readonly<Record<string, string>> = {}): Promise<Observation> =>
  givenEngine(new ScriptedFdbcli(status).run, {
    groupAt: (host) => (groups[host] === undefined ? undefined : name(groups[host])),
  }).observe(untilAborted);

const processIn = ({ topology }: Observation, id: string) => topology.processes.find((process) => process.id === id);

describe('a healthy database', () => {
  test('its processes, as their localities name them', async () => {
    const observation = await observe(fixture('healthy-7.3'));
    expect(observation.topology.processes.map(({ id }) => id)).toEqual([
      'log-10',
      'log-7',
      'log-8',
      'log-9',
      'stateless-3',
      'stateless-4',
      'storage-41',
      'storage-42',
      'storage-43',
    ]);
    expect(processIn(observation, 'storage-41')).toEqual({
      id: 'storage-41',
      group: 'storage-41',
      role: 'storage',
      zone: 'node-a',
      addresses: ['10.0.0.9:4501'],
      responds: true,
      excluded: false,
      drained: false,
      startedAt: now - 5_200_100,
    });
  });

  test('its coordinators, its health, and nothing else', async () => {
    const { topology, jobs } = await observe(fixture('healthy-7.3'));
    expect(topology).toMatchObject({
      observedAt: now,
      units: [],
      quorums: [
        {
          id: 'coordinators',
          members: ['log-7', 'log-8', 'log-9'].map((process) => ({ process, responds: true, inSync: true })),
          leader: 'unknown',
          needed: 2,
          membersMove: true,
        },
      ],
      health: {
        available: true,
        fullyReplicated: true,
        zonesThatMayFail: 1,
        zonesForCopies: 2,
        secondsSinceRecovery: 914,
        activeGenerations: 1,
        maintenance: 'off',
        caughtUp: true,
      },
    });
    expect(jobs).toEqual([]);
  });

  test('warnings before the document do no harm', async () => {
    const warned = `WARNING: cluster file is not writable {yet}\n\n${fixture('healthy-7.3')}`;
    expect((await observe(warned)).topology.processes).toHaveLength(9);
  });
});

describe('process groups that leave', () => {
  test.each`
    process           | excluded | drained
    ${'storage-41'}   | ${true}  | ${false}
    ${'storage-42'}   | ${false} | ${false}
    ${'storage-44-1'} | ${true}  | ${true}
    ${'storage-44-2'} | ${true}  | ${true}
    ${'storage-45-1'} | ${true}  | ${true}
    ${'storage-45-2'} | ${true}  | ${false}
  `('$process: excluded $excluded, drained $drained', async ({ process, excluded, drained }) => {
    expect(processIn(await observe(fixture('leaving-7.3')), process)).toMatchObject({ excluded, drained });
  });

  test('a job for each, done only when all of the group is drained, and never for one that is not listed', async () => {
    const { jobs } = await observe(fixture('leaving-7.3'), { '10.0.1.6': 'log-6', '10.0.9.9': 'log-5' });
    expect(jobs.map(({ group, state, message }) => `${group} ${state}: ${message}`)).toEqual([
      'log-6 Running: log-6 is excluded and not listed: what it holds is not known',
      'storage-41 Running: 0.7 GiB are left on storage-41',
      'storage-44 Done: storage-44 holds nothing any more',
      'storage-45 Running: 0.1 GiB are left on storage-45',
      'storage-46 Running: storage-46 is excluded and not listed: what it holds is not known',
    ]);
    expect(jobs.every(({ verb, since }) => verb === 'Evacuate' && since === now)).toBe(true);
  });

  test('a former address of a process that stays makes no job', async () => {
    const { jobs } = await observe(fixture('leaving-7.3'), { '10.0.1.6': 'log-7' });
    expect(jobs.map(({ group }) => group)).not.toContain('log-7');
  });

  test('an excluded address that nobody is known by makes no job', async () => {
    const { jobs } = await observe(fixture('leaving-7.3'));
    expect(jobs.map(({ group }) => group)).not.toContain('log-6');
  });
});

describe('bad days', () => {
  test('during a recovery nothing is drained, and only what is certain is told', async () => {
    const observation = await observe(fixture('recovering-7.1'));
    expect(processIn(observation, 'storage-41')).toMatchObject({ excluded: true, drained: 'unknown' });
    expect(observation.topology.health).toEqual({
      available: false,
      fullyReplicated: 'unknown',
      toleranceLacks: 'unknown',
      zonesThatMayFail: 'unknown',
      zonesForCopies: 'unknown',
      secondsSinceRecovery: 'unknown',
      activeGenerations: 'unknown',
      maintenance: 'unknown',
      caughtUp: 'unknown',
    });
  });

  test('roles that a recovery shows are no proof either: they may be about to end', async () => {
    const recovering = fixture('recovering-7.1');
    const shown = changed(recovering, { [`${pathOf(recovering, 'storage-41')}/roles`]: [{ role: 'storage' }] });
    expect(processIn(await observe(shown), 'storage-41')).toMatchObject({ drained: 'unknown' });
  });

  test('a coordinator that is gone is a member by its address, and no process', async () => {
    const observation = await observe(fixture('degraded-7.1'));
    expect(observation.topology.quorums[0]?.members).toEqual([
      { process: 'log-7', responds: true, inSync: true },
      { process: 'log-8', responds: true, inSync: true },
      { process: '10.0.1.9:4501', responds: false, inSync: false },
    ]);
    expect(processIn(observation, '10.0.1.9:4501')).toBeUndefined();
  });

  test('the end of a maintenance is a whole number of milliseconds', async () => {
    const finer = changed(fixture('degraded-7.1'), { 'cluster/maintenance_seconds_remaining': 412.5004 });
    const { topology } = await observe(finer);
    expect(topology.health.maintenance).toMatchObject({ until: now + 412_500 });
  });

  test('storage servers that could not be asked are not taken for empty', async () => {
    const observation = await observe(fixture('degraded-7.1'));
    expect(processIn(observation, 'storage-41')).toMatchObject({ excluded: true, drained: 'unknown' });
    expect(observation.topology.health).toEqual({
      available: true,
      fullyReplicated: 'unknown',
      toleranceLacks: ['its logs bear the loss of 0 zones, not of 1', 'coordinator 10.0.1.9:4501 does not answer'],
      zonesThatMayFail: 0,
      zonesForCopies: 2,
      secondsSinceRecovery: 38,
      activeGenerations: 2,
      maintenance: { zone: 'node-b', until: now + 412_500 },
      caughtUp: false,
    });
  });

  test('6.2: addresses with flags, generations counted in the logs, no word of the last recovery', async () => {
    const observation = await observe(fixture('drained-6.2'));
    expect(processIn(observation, 'storage-41')).toMatchObject({
      addresses: ['10.0.0.9:4501:tls'],
      excluded: true,
      drained: true,
    });
    expect(observation.topology.processes.filter(({ group }) => group === null)).toMatchObject([{ role: 'stateless' }]);
    expect(observation.topology.health).toMatchObject({
      zonesThatMayFail: 1,
      secondsSinceRecovery: null,
      activeGenerations: 1,
    });
    expect(observation.jobs).toMatchObject([{ group: 'storage-41', state: 'Done' }]);
  });

  test('6.2 in the middle of a recovery: that is waited for, although such a release never tells its age', async () => {
    const { topology } = await observe(
      changed(fixture('drained-6.2'), { 'cluster/recovery_state/name': 'accepting_commits' }),
    );
    expect(topology.health.secondsSinceRecovery).toBe('unknown');
  });

  // As 7.1.7 was recorded with: the field is there, and never has anything to say.
  test.each([
    ['7.1.21', -1, null],
    ['7.1.21', 914.2, 914],
    ['7.1.22', -1, 'unknown'],
  ])('%s counts %s s since the last recovery: %s', async (version, counted, expected) => {
    const healthy = fixture('healthy-7.3').replaceAll(/"version": ?"7\.3\.[0-9]+"/g, `"version":"${version}"`);
    const path = 'cluster/recovery_state/seconds_since_last_recovered';
    const { topology } = await observe(changed(healthy, { [path]: counted }));
    expect(topology.health.secondsSinceRecovery).toBe(expected);
  });

  test.each<{ status: FixtureName; words: string }>([
    { status: 'unreachable-7.1', words: 'too few coordinators can be reached: 2 of 3 do not answer' },
    { status: 'client-only-7.1', words: 'no cluster controller answered' },
    { status: 'never-created-7.3', words: 'no database was created yet' },
    { status: 'incomplete-7.3', words: 'the status is not whole (status_incomplete_timeout)' },
  ])('$status: $words', async ({ status, words }) => {
    expect(await outcome(observe(fixture(status)))).toMatch(/^EngineUnreachable: /);
    expect(await outcome(observe(fixture(status)))).toContain(words);
  });
});

describe('facts that are missing are unknown, and so is what follows from them', () => {
  const leaving = fixture('leaving-7.3');
  const drainedOne = pathOf(leaving, 'storage-44');
  test.each([
    [`${drainedOne}/roles`, undefined, { drained: 'unknown' }],
    [`${drainedOne}/excluded`, undefined, { excluded: 'unknown', drained: 'unknown' }],
    [`${drainedOne}/excluded`, false, { excluded: 'unknown', drained: 'unknown' }],
    [`${drainedOne}/address`, undefined, { drained: 'unknown' }],
    ['cluster/recovery_state/active_generations', 2, { drained: 'unknown' }],
    ['cluster/recovery_state/active_generations', undefined, { drained: true }],
    ['cluster/recovery_state', undefined, { drained: true }],
    ['cluster/logs', [{ current: true }, { current: false }], { drained: 'unknown' }],
    ['cluster/logs', undefined, { drained: true }],
    ['cluster/messages', undefined, { drained: 'unknown' }],
    ['cluster/messages', [{ name: 'log_servers_error' }], { drained: 'unknown' }],
    ['cluster/messages', [{ name: 'unreadable_configuration' }], { drained: 'unknown' }],
    ['cluster/messages', [{ name: 'full_replication_timeout' }], { drained: 'unknown' }],
    ['cluster/messages', [{ name: 'client_issues' }], { drained: true }],
    [
      'cluster/messages',
      [{ name: 'unreachable_processes', unreachable_processes: [{ address: '10.0.0.12:4501' }] }],
      { drained: 'unknown', responds: false },
    ],
    ['client/database_status/available', undefined, { drained: 'unknown' }],
    ['cluster/connection_string', 'orders:x@10.0.0.12:4501', { drained: false }],
  ])('%s = %j: %j', async (path, value, expected) => {
    const observation = await observe(changed(leaving, { [path]: value }));
    expect(processIn(observation, 'storage-44-1')).toMatchObject(expected);
  });

  test.each([
    ['cluster/full_replication', undefined, { fullyReplicated: 'unknown' }],
    ['cluster/full_replication', false, { fullyReplicated: false }],
    ['cluster/data/team_trackers', [], { fullyReplicated: 'unknown' }],
    ['cluster/data', undefined, { fullyReplicated: 'unknown' }],
    ['cluster/data/team_trackers', [{ state: { min_replicas_remaining: 1 } }], { fullyReplicated: false }],
    ['cluster/data/team_trackers', [{ state: {} }], { fullyReplicated: 'unknown' }],
    [
      'cluster/configuration/redundancy_mode',
      'three_datacenter',
      { fullyReplicated: 'unknown', zonesForCopies: 'unknown' },
    ],
    ['cluster/configuration/redundancy_mode', 'triple', { zonesForCopies: 3 }],
    ['cluster/configuration', undefined, { fullyReplicated: 'unknown', maintenance: 'unknown' }],
    ['cluster/fault_tolerance', undefined, { zonesThatMayFail: 'unknown' }],
    ['cluster/fault_tolerance/max_zone_failures_without_losing_data', undefined, { zonesThatMayFail: 'unknown' }],
    ['cluster/fault_tolerance/max_zone_failures_without_losing_availability', -1, { zonesThatMayFail: 0 }],
    ['cluster/recovery_state/seconds_since_last_recovered', undefined, { secondsSinceRecovery: 'unknown' }],
    ['cluster/recovery_state/seconds_since_last_recovered', -1, { secondsSinceRecovery: 'unknown' }],
    ['cluster/recovery_state/name', 'all_logs_recruited', { secondsSinceRecovery: 914 }],
    ['cluster/recovery_state/name', 'accepting_commits', { activeGenerations: 1, secondsSinceRecovery: 'unknown' }],
    ['cluster/recovery_state/name', 'storage_recovered', { secondsSinceRecovery: 'unknown' }],
    ['cluster/recovery_state/name', undefined, { secondsSinceRecovery: 'unknown' }],
    ['cluster/recovery_state', undefined, { activeGenerations: 1, secondsSinceRecovery: 'unknown' }],
    ['cluster/logs', [{ current: true }, { current: false }], { activeGenerations: 2 }],
    // Research 9: the logs, and the coordinators, whatever the class of what is to be removed.
    ['cluster/logs', [{ log_replication_factor: 2, log_fault_tolerance: 1 }], { toleranceLacks: [] }],
    [
      'cluster/logs',
      [{ log_replication_factor: 2, log_fault_tolerance: 0 }],
      { toleranceLacks: ['its logs bear the loss of 0 zones, not of 1'] },
    ],
    [
      'cluster/logs',
      [
        { log_replication_factor: 3, log_fault_tolerance: 2 },
        { log_replication_factor: 3, log_fault_tolerance: -1 },
      ],
      { toleranceLacks: ['its logs bear the loss of 0 zones, not of 2'] },
    ],
    [
      'cluster/logs',
      [
        {
          log_replication_factor: 2,
          log_fault_tolerance: 1,
          satellite_log_replication_factor: 2,
          satellite_log_fault_tolerance: 0,
        },
      ],
      { toleranceLacks: ['its satellite logs bear the loss of 0 zones, not of 1'] },
    ],
    [
      'cluster/logs',
      [{ log_replication_factor: 2, log_fault_tolerance: 1, remote_log_replication_factor: 2 }],
      { toleranceLacks: 'unknown' },
    ],
    ['cluster/logs', [{ log_replication_factor: 1, log_fault_tolerance: 0 }], { toleranceLacks: [] }],
    ['cluster/logs', [{ log_fault_tolerance: 1 }], { toleranceLacks: 'unknown' }],
    ['cluster/logs', [{ log_replication_factor: 2 }], { toleranceLacks: 'unknown' }],
    ['cluster/logs', [], { toleranceLacks: 'unknown' }],
    ['cluster/logs', undefined, { toleranceLacks: 'unknown' }],
    ['client/coordinators/coordinators/0/reachable', undefined, { toleranceLacks: 'unknown' }],
    [
      'client/coordinators/coordinators/0/reachable',
      false,
      { toleranceLacks: ['coordinator 10.0.1.7:4501 does not answer'] },
    ],
    ['client/coordinators/coordinators', [], { toleranceLacks: 'unknown' }],
    ['cluster/maintenance_zone', 'node-a', { maintenance: 'unknown' }],
    ['cluster/maintenance_seconds_remaining', 3, { maintenance: 'unknown' }],
    ['cluster/qos', undefined, { caughtUp: 'unknown' }],
    ['cluster/qos/worst_queue_bytes_log_server', 300 * 1024 * 1024, { caughtUp: false }],
    ['cluster/qos/worst_durability_lag_storage_server', { seconds: 60 }, { caughtUp: true }],
    ['cluster/qos/worst_durability_lag_storage_server', { seconds: 60.1 }, { caughtUp: false }],
    ['client', undefined, { available: 'unknown', fullyReplicated: true }],
  ])('%s = %j: %j', async (path, value, expected) => {
    const { topology } = await observe(changed(fixture('healthy-7.3'), { [path]: value }));
    expect(topology.health).toMatchObject(expected);
  });
});

describe('names', () => {
  const healthy = fixture('healthy-7.3');
  test('two processes with the same name have the opaque id added', async () => {
    const { topology } = await observe(
      changed(healthy, { [`${pathOf(healthy, 'storage-42')}/locality/instance_id`]: 'storage-41' }),
    );
    const twins = topology.processes.filter(({ group }) => group === 'storage-41').map(({ id }) => id);
    expect(twins).toEqual([
      expect.stringMatching(/^storage-41\/[0-9a-f]{32}$/),
      expect.stringMatching(/^storage-41\/[0-9a-f]{32}$/),
    ]);
    expect(new Set(twins).size).toBe(2);
  });

  test('coordinators that are known by DNS are found', async () => {
    const path = pathOf(healthy, 'log-7');
    const { topology } = await observe(
      changed(healthy, {
        [`${path}/locality/dns_name`]: 'log-7.orders.db.svc',
        [`${path}/address`]: '10.0.1.7:4501(fromHostname)',
        'cluster/connection_string': 'orders:x@log-7.orders.db.svc:4501,10.0.1.8:4501,10.0.1.9:4501',
      }),
    );
    expect(topology.quorums[0]?.members[0]).toEqual({ process: 'log-7', responds: 'unknown', inSync: 'unknown' });
    expect(topology.processes.find(({ id }) => id === 'log-7')?.addresses).toEqual(['10.0.1.7:4501']);
  });

  test('of two processes on one host the port tells which is the coordinator', async () => {
    const seated = changed(fixture('leaving-7.3'), { 'cluster/connection_string': 'orders:x@10.0.0.12:4503' });
    const observation = await observe(seated);
    expect(observation.topology.quorums[0]?.members).toMatchObject([{ process: 'storage-44-2' }]);
    expect(processIn(observation, 'storage-44-1')).toMatchObject({ drained: true });
    expect(processIn(observation, 'storage-44-2')).toMatchObject({ drained: false });
    expect(observation.jobs).toContainEqual(expect.objectContaining({ group: 'storage-44', state: 'Running' }));
  });

  test('without any process there is no topology', async () => {
    expect(await outcome(observe(changed(healthy, { 'cluster/processes': {} })))).toContain(
      'EngineUnreachable: the status lists no process',
    );
  });

  test('without a word on the coordinators there is no topology', async () => {
    const silent = changed(healthy, { 'client/coordinators': undefined, 'cluster/connection_string': undefined });
    expect(await outcome(observe(silent))).toBe('EngineUnreachable: the status does not tell who the coordinators are');
  });
});
