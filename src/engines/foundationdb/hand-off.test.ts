import { describe, expect, test } from 'vitest';
import { changed, fixture, pathOf } from './testing/fixture.ts';
import { givenEngine, givenTarget, now, outcome, untilAborted } from './testing/given-engine.ts';
import { ScriptedFdbcli } from './testing/scripted-fdbcli.ts';

const healthy = fixture('healthy-7.3');
const of = (group: string) => pathOf(healthy, group);

/** What a hand-off sends, the database doing as it is told. */
async function handOff(status: string, group: string, ...addresses: readonly string[]): Promise<string> {
  return handOffBy(new ScriptedFdbcli(status), status, group, addresses);
}

async function handOffBy(
  fdbcli: ScriptedFdbcli,
  status: string,
  group: string,
  addresses: readonly string[] = [],
): Promise<string> {
  const run: typeof fdbcli.run = async (argv, call) => {
    const [verb, ...words] = (argv[1] ?? '').split(' ');
    if (verb === 'coordinators')
      fdbcli.statuses = [changed(status, { 'cluster/connection_string': `orders:new@${words.join(',')}` })];
    return fdbcli.run(argv, call);
  };
  const result = await outcome(givenEngine(run).handOff(givenTarget(group, { addresses }), untilAborted));
  return result === 'done' ? (fdbcli.commands[0] ?? 'nothing') : result;
}

describe('coordinators move off a process group', () => {
  test('the others stay, and a log of another zone takes the seat', async () => {
    expect(await handOff(healthy, 'log-7')).toBe('coordinators 10.0.1.8:4501 10.0.1.9:4501 10.0.1.10:4501');
  });

  test('both the status and the change may take 40 s: they ask every process, and wait for a recovery', async () => {
    const fdbcli = new ScriptedFdbcli(healthy);
    await handOffBy(fdbcli, healthy, 'log-7');
    expect(new Set(fdbcli.statusLimits)).toEqual(new Set([40]));
    expect(fdbcli.limits).toEqual([40]);
  });

  test('one that is no coordinator needs no command', async () => {
    expect(await handOff(healthy, 'storage-41')).toBe('nothing');
    expect(await handOff(healthy, 'storage-99', '10.0.9.9:4501')).toBe('nothing');
  });

  test('one that is gone is meant by its address', async () => {
    expect(await handOff(fixture('degraded-7.1'), 'log-9', '10.0.1.9:4501')).toBe(
      'coordinators 10.0.1.7:4501 10.0.1.8:4501 10.0.1.10:4501',
    );
  });

  test.each([
    ['excluded ones get no seat', { [`${of('log-10')}/excluded`]: true }, '10.0.0.9:4501'],
    ['nor those of which it is not known', { [`${of('log-10')}/excluded`]: undefined }, '10.0.0.9:4501'],
    ['nor those under maintenance', { [`${of('log-10')}/under_maintenance`]: true }, '10.0.0.9:4501'],
    ['nor those without a zone', { [`${of('log-10')}/locality/zoneid`]: undefined }, '10.0.0.9:4501'],
    ['nor those without a disk', { [`${of('log-10')}/class_type`]: 'stateless' }, '10.0.0.9:4501'],
    [
      'a class that is for it comes first',
      { [`${of('storage-41')}/locality/zoneid`]: 'node-e', [`${of('storage-41')}/class_type`]: 'coordinator' },
      '10.0.0.9:4501',
    ],
    ['storage comes after logs', { [`${of('storage-41')}/locality/zoneid`]: 'node-e' }, '10.0.1.10:4501'],
  ])('%s', async (_, changes, successor) => {
    expect(await handOff(changed(healthy, changes), 'log-7')).toBe(
      `coordinators 10.0.1.8:4501 10.0.1.9:4501 ${successor}`,
    );
  });

  test('those that are to leave as well get no seat', async () => {
    const fdbcli = new ScriptedFdbcli(healthy);
    await givenEngine(fdbcli.run, { avoid: (group) => group === 'log-10' })
      .handOff(givenTarget('log-7'), untilAborted)
      .catch(() => undefined);
    expect(fdbcli.commands).toEqual(['coordinators 10.0.1.8:4501 10.0.1.9:4501 10.0.0.9:4501']);
  });

  test('a silent and an excluded one are replaced on the way', async () => {
    const worse = changed(fixture('degraded-7.1'), { [`${of('log-8')}/excluded`]: true });
    expect(await handOff(worse, 'log-8')).toBe('coordinators 10.0.1.7:4501 10.0.1.10:4501 10.0.0.11:4501');
  });

  test('coordinators by name are followed by coordinators by name, with their flags', async () => {
    const named = changed(healthy, {
      'cluster/connection_string': 'orders:x@log-7.svc:4501:tls,log-8.svc:4501:tls,log-9.svc:4501:tls',
      'client/coordinators/coordinators': ['log-7', 'log-8', 'log-9'].map((log) => ({
        address: `${log}.svc:4501:tls`,
        reachable: true,
      })),
      ...Object.fromEntries(
        ['log-7', 'log-8', 'log-9', 'log-10'].map((log) => [`${of(log)}/locality/dns_name`, `${log}.svc`]),
      ),
      [`${of('log-10')}/address`]: '10.0.1.10:4501:tls',
    });
    expect(await handOff(named, 'log-7')).toBe(
      'coordinators log-8.svc:4501:tls log-9.svc:4501:tls log-10.svc:4501:tls',
    );
  });

  describe('where there are fewer zones than seats', () => {
    const seats = ['10.0.1.7', '10.0.1.8', '10.0.1.9', '10.0.1.10', '10.0.0.9'].map((ip) => `${ip}:4501`);
    const fiveSeats = {
      'cluster/connection_string': `orders:x@${seats.join(',')}`,
      'client/coordinators/coordinators': seats.map((address) => ({ address, reachable: true })),
    };
    const zones = (places: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(places).map(([group, zone]) => [`${of(group)}/locality/zoneid`, zone]));
    const refused = 'EngineRefused: the coordinators stay on';
    const because = 'because too many of them in one zone would fail together';

    test.each<[string, Record<string, unknown>, string, string]>([
      [
        'of five two may share a zone, because three are left when it fails',
        { ...fiveSeats, ...zones({ 'storage-41': 'node-e' }) },
        'log-10',
        'coordinators 10.0.1.7:4501 10.0.1.8:4501 10.0.1.9:4501 10.0.0.9:4501 10.0.0.10:4501',
      ],
      [
        'two that share one stay where they are, rather than that another zone is crowded',
        { ...fiveSeats, ...zones({ 'storage-41': 'node-a' }) },
        'log-10',
        'coordinators 10.0.1.7:4501 10.0.1.8:4501 10.0.1.9:4501 10.0.0.9:4501 10.0.0.10:4501',
      ],
      [
        'three never do',
        { ...fiveSeats, ...zones({ 'log-7': 'node-b', 'storage-41': 'node-c' }) },
        'log-10',
        `${refused} log-10: 5 are needed, and there are only places for 4, ${because}`,
      ],
      [
        'of three no two do',
        zones({ 'log-10': 'node-b', 'storage-41': 'node-c' }),
        'log-7',
        `${refused} log-7: 3 are needed, and there are only places for 2, ${because}`,
      ],
    ])('%s', async (_, changes, group, outcome) => {
      expect(await handOff(changed(healthy, changes), group)).toBe(outcome);
    });
  });
});

test('what was refused is known as a job that failed, until it is done', async () => {
  const tight = changed(healthy, {
    [`${of('log-10')}/locality/zoneid`]: 'node-b',
    [`${of('storage-41')}/locality/zoneid`]: 'node-c',
  });
  const fdbcli = new ScriptedFdbcli(tight);
  const engine = givenEngine(fdbcli.run);
  const refused = async () => (await engine.observe(untilAborted)).jobs.filter(({ verb }) => verb === 'HandOff');
  expect(await outcome(engine.handOff(givenTarget('log-7'), untilAborted))).toContain('EngineRefused');
  expect(await refused()).toMatchObject([
    {
      group: 'log-7',
      state: 'Failed',
      attempts: 1,
      retryAt: now + 60_000,
      message: expect.stringContaining('3 are needed'),
    },
  ]);
  fdbcli.statuses = [changed(tight, { 'cluster/connection_string': 'orders:new@10.0.1.8:4501' })];
  expect(await outcome(engine.handOff(givenTarget('log-7'), untilAborted))).toBe('done');
  expect(await refused()).toEqual([]);
});

describe('a change that did not come about', () => {
  test.each`
    answer                                                                                                       | words
    ${{}}                                                                                                        | ${'EngineUnreachable: fdbcli took the new coordinators 10.0.1.8:4501, 10.0.1.9:4501, 10.0.1.10:4501, and the database has'}
    ${{ stderr: "ERROR: 'x' is not a valid network endpoint address\n" }}                                        | ${'EngineRefused: '}
    ${{ exitCode: 1, stderr: 'ERROR: Coordination servers are not running on the specified network addresses' }} | ${'EngineRefused: '}
    ${{ exitCode: 1, stderr: 'Specified timeout reached -- exiting...\n' }}                                      | ${'EngineUnreachable: '}
  `('$answer: $words', async ({ answer, words }) => {
    const fdbcli = new ScriptedFdbcli(healthy);
    fdbcli.answer = answer;
    expect(await outcome(givenEngine(fdbcli.run).handOff(givenTarget('log-7'), untilAborted))).toContain(words);
  });
});
