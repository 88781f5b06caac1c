import { describe, expect, test } from 'vitest';
import { instant } from '../../model/time.ts';
import { now, outcome, ScriptedServer, soundTopology, untilAborted } from './testing/given-server.ts';

const observed = (document: object, headers: Record<string, string> = {}) => {
  const server = new ScriptedServer();
  server.topology = { body: JSON.stringify(document), headers };
  return server.engine().observe(untilAborted);
};
const said = (document: object, headers?: Record<string, string>) => outcome(observed(document, headers));

describe('what a server tells', () => {
  test('a whole answer becomes a topology and its jobs', async () => {
    const { topology, jobs } = await observed(soundTopology);
    expect(topology).toMatchObject({
      observedAt: now,
      kinds: { gate: 'stateless' },
      processes: [{ id: 'a', group: 'ledger-a', role: 'shard', zone: 'z-a', responds: true, drained: false }, {}, {}],
      units: [{ id: 's1', writeConcern: null, replicas: [{ process: 'a', leader: true, inSync: true }, {}] }],
      quorums: [{ name: 'quorum log', leader: 'a', needed: 2, membersMove: false }],
      health: { available: true, fullyReplicated: true, zonesThatMayFail: null, maintenance: null },
    });
    expect(jobs).toEqual([
      {
        verb: 'Evacuate',
        group: 'ledger-b',
        state: 'Running',
        since: now - 60_000,
        attempts: 1,
        retryAt: null,
        message: 'half way',
        percent: 50,
        secondsLeft: 60,
      },
    ]);
  });

  test('what it leaves out is unknown, and so is null', async () => {
    const { topology } = await observed({
      processes: [{ id: 'a', role: 'shard', drained: null, somethingNew: 1 }],
      units: [{ id: 's1', replicas: [{ process: 'a', leader: false }] }],
      quorums: [{ id: 'log', members: [{ process: 'a' }] }],
    });
    expect(topology.processes[0]).toMatchObject({
      group: null,
      responds: 'unknown',
      excluded: 'unknown',
      drained: 'unknown',
    });
    expect(topology.units[0]).toMatchObject({ name: 'unit s1', attached: 'unknown' });
    expect(topology.units[0]?.replicas[0]).toMatchObject({ state: 'unknown', inSync: 'unknown', running: 'unknown' });
    expect(topology.quorums[0]).toMatchObject({
      leader: 'unknown',
      members: [{ responds: 'unknown', inSync: 'unknown' }],
    });
    expect(topology.health).toMatchObject({ available: 'unknown', fullyReplicated: 'unknown' });
  });

  test.each([
    [['10.0.0.1:8080'], ['10.0.0.1:8080']],
    [[], ['a']],
    [undefined, ['a']],
  ])('a process that says %j is known by %j: it was there, whatever is listed later', async (addresses, known) => {
    const { topology } = await observed({ processes: [{ id: 'a', role: 'shard', addresses }], units: [], quorums: [] });
    expect(topology.processes[0]?.addresses).toEqual(known);
  });

  test('a quorum without a leader has none, which is something else than not to know', async () => {
    const [quorum] = soundTopology.quorums;
    const { topology } = await observed({ ...soundTopology, quorums: [{ ...quorum, leader: null }] });
    expect(topology.quorums[0]?.leader).toBeNull();
  });

  test('a job that failed is tried again after a minute, then twice as long each time', async () => {
    const failed = { verb: 'hand-off', group: 'g', state: 'failed', since: '2026-11-15T10:00:00Z', message: 'no' };
    const jobs = [1, 2, 9].map((attempts) => ({ ...failed, attempts }));
    const seen = (await observed({ ...soundTopology, jobs })).jobs;
    expect(seen.map(({ retryAt }) => (retryAt ?? 0) - now)).toEqual([60_000, 120_000, 900_000]);
  });

  test('a job of a server whose clock is ahead is not from the future', async () => {
    const jobs = [{ verb: 'forget', group: 'g', state: 'done', since: '2026-11-15T11:00:00+00:30' }];
    expect((await observed({ ...soundTopology, jobs })).jobs[0]?.since).toBe(now);
  });
});

describe('nothing of an answer is used that', () => {
  const [unit] = soundTopology.units;
  const [quorum] = soundTopology.quorums;
  const [one, two] = soundTopology.processes;
  const replica = { process: 'a', leader: true, state: 'healthy', inSync: true, running: true };
  test.each([
    ['lists a process twice', { processes: [one, one, two] }, 'a second process a'],
    ['lists a unit twice', { units: [unit, unit] }, 'a second unit s1'],
    ['lists a quorum twice', { quorums: [quorum, quorum] }, 'a second quorum log'],
    [
      'lists a role twice',
      {
        roles: [
          { name: 'r', kind: 'data' },
          { name: 'r', kind: 'member' },
        ],
      },
      'a second role r',
    ],
    [
      'has a copy on an unknown process',
      { units: [{ id: 'x', replicas: [{ ...replica, process: 'z' }] }] },
      'x has a copy on z, which is no process',
    ],
    [
      'has two copies on one process',
      { units: [{ id: 'x', replicas: [replica, { ...replica, leader: false }] }] },
      'a second replica of x on a',
    ],
    [
      'has two leaders of a unit',
      { units: [{ id: 'x', replicas: [replica, { ...replica, process: 'b' }] }] },
      'x is led by a and by b',
    ],
    [
      'has an unknown member',
      { quorums: [{ id: 'q', members: [{ process: 'z' }] }] },
      'q has the member z, which is no process',
    ],
    [
      'has a member twice',
      { quorums: [{ id: 'q', members: [{ process: 'a' }, { process: 'a' }] }] },
      'a second member of q on a',
    ],
    [
      'is led by no member',
      { quorums: [{ id: 'q', leader: 'c', members: [{ process: 'a' }] }] },
      'q is led by c, which is no member of it',
    ],
    [
      'needs more than there are',
      { quorums: [{ id: 'q', needed: 2, members: [{ process: 'a' }] }] },
      'q needs 2 members and has 1',
    ],
    [
      'is drained with a copy',
      { processes: [{ ...one, drained: true }, two, { id: 'c', role: 'shard' }], quorums: [] },
      'a is drained, and has a copy of s1',
    ],
    [
      'is drained with a seat',
      { processes: [{ ...one, drained: true }], units: [], quorums: [{ id: 'q', members: [{ process: 'a' }] }] },
      'a is drained, and a member of q',
    ],
  ])('%s', async (_, part, words) => {
    expect(await said({ ...soundTopology, ...part })).toBe(
      `EngineUnreachable: the topology contradicts itself (${words}): nothing of it is used, it is read again later`,
    );
  });

  test.each([
    ['has no list of units', { units: undefined }, 'units: '],
    ['has no list of quorums', { quorums: undefined }, 'quorums: '],
    ['does not say who leads', { units: [{ id: 'x', replicas: [{ process: 'a' }] }] }, 'units[0].replicas[0].leader: '],
    ['counts below zero', { units: [{ ...unit, writeConcern: -1 }] }, 'units[0].writeConcern: '],
    ['says more than all', { units: [{ ...unit, copying: { percent: 101 } }] }, 'units[0].copying.percent: '],
    ['has a fact that is none', { processes: [{ ...one, drained: 'yes' }] }, 'processes[0].drained: '],
    ['needs nobody', { quorums: [{ ...quorum, needed: 0 }] }, 'quorums[0].needed: '],
    ['has an unknown kind of role', { roles: [{ name: 'r', kind: 'free' }] }, 'roles[0].kind: '],
  ])('%s', async (_, part, words) => {
    expect(await said({ ...soundTopology, ...part })).toContain(
      `the topology is not of the contract's shape (${words}`,
    );
  });

  test('is not whole by its own words', async () => {
    expect(await said({ ...soundTopology, incomplete: 'node 4\ndid not answer' })).toBe(
      'EngineUnreachable: the topology is not whole (node 4 did not answer): it is read again later',
    );
  });
});

describe('how old an answer is', () => {
  const date = 'Sun, 15 Nov 2026 12:00:10 GMT';
  test.each`
    observedAt                | date         | expected
    ${undefined}              | ${date}      | ${0}
    ${'2026-11-15T12:00:10Z'} | ${date}      | ${-1000}
    ${'2026-11-15T12:00:00Z'} | ${date}      | ${-11_000}
    ${'2026-11-15T12:00:12Z'} | ${date}      | ${0}
    ${'2026-11-15T09:59:50Z'} | ${undefined} | ${-10_000}
    ${'2026-11-15T11:59:30Z'} | ${date}      | ${'gathered more than 30 s before it was sent'}
    ${'2026-11-15T11:54:00Z'} | ${date}      | ${'gathered more than 5 min before it was sent'}
    ${'2026-11-14T12:00:00Z'} | ${date}      | ${'gathered more than an hour before it was sent'}
    ${'2026-11-15T12:01:00Z'} | ${date}      | ${'gathered after it was sent'}
    ${'2026-11-15T09:59:00Z'} | ${undefined} | ${'gathered more than 30 s before it was sent'}
  `('observedAt $observedAt, sent at $date by its clock: $expected', async ({ observedAt, date, expected }) => {
    const document = { ...soundTopology, observedAt };
    const headers = date === undefined ? undefined : { date };
    if (typeof expected === 'string') expect(await said(document, headers)).toContain(expected);
    else expect((await observed(document, headers)).topology.observedAt).toBe(instant(now + expected));
  });
});
