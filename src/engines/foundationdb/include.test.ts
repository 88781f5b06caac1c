import { describe, expect, test } from 'vitest';
import { changed, fixture, pathOf } from './testing/fixture.ts';
import { givenEngine, givenTarget, outcome, untilAborted } from './testing/given-engine.ts';
import { ScriptedFdbcli } from './testing/scripted-fdbcli.ts';

const leaving = fixture('leaving-7.3');
const healthy = fixture('healthy-7.3');

describe('a process group is included again by whatever name it is on the list', () => {
  test.each`
    group           | addresses                           | command
    ${'storage-41'} | ${[]}                               | ${'include locality_instance_id:storage-41'}
    ${'storage-45'} | ${[]}                               | ${'include 10.0.0.13'}
    ${'storage-46'} | ${['10.0.0.14:4501']}               | ${'include locality_instance_id:storage-46'}
    ${'log-6'}      | ${['10.0.1.6:4501', '10.0.1.5']}    | ${'include 10.0.1.6'}
    ${'storage-46'} | ${['10.0.1.6:4501', 'not; a; one']} | ${'include 10.0.1.6 locality_instance_id:storage-46'}
    ${'storage-42'} | ${[]}                               | ${undefined}
    ${'log-5'}      | ${['10.0.1.5:4501']}                | ${undefined}
  `('$group, $addresses: $command', async ({ group, addresses, command }) => {
    const fdbcli = new ScriptedFdbcli(leaving, healthy);
    await givenEngine(fdbcli.run).forget(givenTarget(group, { addresses }), untilAborted);
    expect(fdbcli.commands).toEqual(command === undefined ? [] : [command]);
  });

  test('a cancel ends well when its processes are not excluded any more', async () => {
    const fdbcli = new ScriptedFdbcli(leaving, healthy);
    expect(await outcome(givenEngine(fdbcli.run).cancelEvacuation(givenTarget('storage-41'), untilAborted))).toBe(
      'done',
    );
    expect(fdbcli.limits).toEqual([10]);
  });
});

describe('an inclusion that did not come about', () => {
  test('it is still on the list', async () => {
    expect(
      await outcome(givenEngine(new ScriptedFdbcli(leaving).run).forget(givenTarget('storage-41'), untilAborted)),
    ).toContain('EngineRefused: locality_instance_id:storage-41 of storage-41 is still excluded after `include`');
  });

  test('someone excluded the whole zone: that is not taken back', async () => {
    const zone = changed(healthy, {
      'cluster/configuration/excluded_servers': [{ locality: 'locality_zoneid:node-a' }],
      [`${pathOf(healthy, 'storage-41')}/excluded`]: true,
    });
    const fdbcli = new ScriptedFdbcli(zone);
    expect(await outcome(givenEngine(fdbcli.run).cancelEvacuation(givenTarget('storage-41'), untilAborted))).toBe(
      'EngineRefused: storage-41 is still excluded by locality_zoneid:node-a, which means others too: include it by hand if it is to stay',
    );
    expect(fdbcli.commands).toEqual([]);
  });

  test('a database that does not tell whom it excludes is not taken for one that excludes nobody', async () => {
    const fdbcli = new ScriptedFdbcli(changed(leaving, { 'cluster/configuration/excluded_servers': undefined }));
    expect(await outcome(givenEngine(fdbcli.run).forget(givenTarget('storage-41'), untilAborted))).toMatch(
      /^EngineUnreachable: the database does not tell whom it excludes, so storage-41 is not included again yet/,
    );
    expect(fdbcli.commands).toEqual([]);
  });

  test('a refusal is known as a job that failed, with the next try', async () => {
    const engine = givenEngine(new ScriptedFdbcli(leaving).run);
    await outcome(engine.cancelEvacuation(givenTarget('storage-41'), untilAborted));
    const { jobs } = await engine.observe(untilAborted);
    expect(jobs.filter(({ verb }) => verb === 'CancelEvacuation')).toMatchObject([
      { group: 'storage-41', state: 'Failed', message: expect.stringContaining('still excluded') },
    ]);
  });

  test('while the database is down nothing is sent', async () => {
    const fdbcli = new ScriptedFdbcli(fixture('recovering-7.1'));
    expect(await outcome(givenEngine(fdbcli.run).forget(givenTarget('storage-41'), untilAborted))).toMatch(
      /^EngineUnreachable: the database is not available/,
    );
    expect(fdbcli.commands).toEqual([]);
  });
});
