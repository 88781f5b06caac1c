import { describe, expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import { changed, fixture, pathOf } from './testing/fixture.ts';
import { givenEngine, givenTarget, outcome, untilAborted } from './testing/given-engine.ts';
import { ScriptedFdbcli } from './testing/scripted-fdbcli.ts';

const healthy = fixture('healthy-7.3');
const excluding = (...words: readonly object[]) =>
  changed(healthy, { 'cluster/configuration/excluded_servers': words });
const ofVersion = (version: string): string =>
  healthy.replaceAll('"version": "7.3.63"', JSON.stringify({ version }).slice(1, -1));

interface Given {
  readonly status?: string;
  readonly group?: string;
  readonly processes?: readonly string[];
  readonly addresses?: readonly string[];
}

/** The command that an evacuation sends, the database taking whatever it is told. */
async function commandFor({ status = healthy, group = 'storage-41', ...target }: Given): Promise<string | undefined> {
  const fdbcli = new ScriptedFdbcli(status, fixture('recovering-7.1'));
  expect(await outcome(givenEngine(fdbcli.run).evacuate(givenTarget(group, target), untilAborted))).toBe('done');
  return fdbcli.commands[0];
}

describe('a process group is excluded without waiting', () => {
  test.each`
    version      | command
    ${'7.3.63'}  | ${'exclude no_wait locality_instance_id:storage-41'}
    ${'7.3.26'}  | ${'exclude no_wait locality_instance_id:storage-41'}
    ${'7.3.25'}  | ${'exclude no_wait 10.0.0.9'}
    ${'7.2.9'}   | ${'exclude no_wait 10.0.0.9'}
    ${'7.1.42'}  | ${'exclude no_wait locality_instance_id:storage-41'}
    ${'7.1.41'}  | ${'exclude no_wait 10.0.0.9'}
    ${'6.2.30'}  | ${'exclude no_wait 10.0.0.9'}
    ${'nightly'} | ${'exclude no_wait 10.0.0.9'}
    ${'8.0.1'}   | ${'exclude no_wait locality_instance_id:storage-41'}
  `('$version: $command', async ({ version, command }) => {
    expect(await commandFor({ status: ofVersion(String(version)) })).toBe(command);
  });

  test('one process of an older release is enough to use addresses', async () => {
    const mixed = changed(healthy, { [`${pathOf(healthy, 'log-7')}/version`]: '7.1.27' });
    expect(await commandFor({ status: mixed })).toBe('exclude no_wait 10.0.0.9');
  });

  test('one that is not listed goes by its locality and by every address that it was known by', async () => {
    expect(await commandFor({ group: 'storage-40', addresses: ['10.0.0.8:4501', '10.0.0.7', '10.0.0.7:4503'] })).toBe(
      'exclude no_wait locality_instance_id:storage-40 10.0.0.8 10.0.0.7',
    );
  });

  test('in an old release: by all addresses, those of now and those of before', async () => {
    expect(await commandFor({ status: ofVersion('6.2.30'), addresses: ['10.0.0.8:4501'] })).toBe(
      'exclude no_wait 10.0.0.9 10.0.0.8',
    );
  });

  test('an address that was given to another pod is left alone', async () => {
    expect(await commandFor({ group: 'storage-40', addresses: ['10.0.0.9:4501', '10.0.0.8:4501'] })).toBe(
      'exclude no_wait locality_instance_id:storage-40 10.0.0.8',
    );
  });

  test('where several pods share a host, only its own port is meant', async () => {
    const shared = changed(ofVersion('6.2.30'), { [`${pathOf(healthy, 'log-10')}/address`]: '10.0.0.9:4600' });
    expect(await commandFor({ status: shared })).toBe('exclude no_wait 10.0.0.9:4501');
  });

  test('IPv6: without brackets for the host, with brackets for a port', async () => {
    const six = changed(ofVersion('6.2.30'), { [`${pathOf(healthy, 'storage-41')}/address`]: '[fd00::9]:4501:tls' });
    expect(await commandFor({ status: six })).toBe('exclude no_wait fd00::9');
    const shared = changed(six, { [`${pathOf(healthy, 'log-10')}/address`]: '[fd00::9]:4600' });
    expect(await commandFor({ status: shared })).toBe('exclude no_wait [fd00::9]:4501');
  });

  test('a process without instance_id goes by its address in every release', async () => {
    const path = pathOf(healthy, 'storage-41');
    const nameless = changed(healthy, { [`${path}/locality/instance_id`]: undefined });
    const key = path.split('/').at(-1) ?? '';
    expect(await commandFor({ status: nameless, group: 'pod-1', processes: [key] })).toBe('exclude no_wait 10.0.0.9');
  });

  test('a pod that goes by another name than its process goes by the name of the process', async () => {
    expect(await commandFor({ group: 'orders-storage-0', processes: ['storage-41'] })).toBe(
      'exclude no_wait locality_instance_id:storage-41',
    );
  });

  test('what is on the list already is not sent again', async () => {
    const fdbcli = new ScriptedFdbcli(excluding({ locality: 'locality_instance_id:storage-41' }));
    await givenEngine(fdbcli.run).evacuate(givenTarget('storage-41'), untilAborted);
    expect(fdbcli.commands).toEqual([]);
    fdbcli.statuses = [excluding({ locality: 'locality_instance_id:storage-40' }, { address: '10.0.0.8' })];
    await givenEngine(fdbcli.run)
      .evacuate(givenTarget('storage-40', { addresses: ['10.0.0.8:4501', '10.0.0.7:4501'] }), untilAborted)
      .catch(() => undefined);
    expect(fdbcli.commands).toEqual(['exclude no_wait 10.0.0.7']);
    expect(fdbcli.limits).toEqual([40]);
  });
});

describe('an exclusion that did not come about', () => {
  const evacuate = (fdbcli: ScriptedFdbcli, target = givenTarget('storage-41')) =>
    outcome(givenEngine(fdbcli.run).evacuate(target, untilAborted));

  test.each`
    answer                                                                                                               | words
    ${{ exitCode: 1, stderr: 'ERROR: This exclude may cause the total free space in the cluster to drop below 10%.\n' }} | ${'EngineRefused: `exclude no_wait locality_instance_id:storage-41` was refused: ERROR: This exclude may'}
    ${{ exitCode: 1, stderr: 'ERROR: It is unsafe to exclude the specified servers at this time.\n' }}                   | ${'EngineRefused: '}
    ${{ exitCode: 0, stderr: "ERROR: 'nonsense' is neither a valid network endpoint address nor a locality\n" }}         | ${'EngineRefused: '}
    ${{ exitCode: 1, stderr: 'Specified timeout reached -- exiting...\n' }}                                              | ${'EngineUnreachable: `exclude no_wait locality_instance_id:storage-41` was not answered in time'}
    ${{ exitCode: 1, stderr: 'ERROR: Transaction may or may not have committed (1021)\n' }}                              | ${'EngineUnreachable: '}
    ${{ exitCode: 1, stderr: 'ERROR: The database is unavailable\n' }}                                                   | ${'EngineUnreachable: '}
    ${{ exitCode: 1 }}                                                                                                   | ${'EngineUnreachable: `exclude no_wait locality_instance_id:storage-41` ended with exit code 1 without a word'}
    ${{ exitCode: 134, stderr: 'terminate called\n' }}                                                                   | ${'with terminate called'}
    ${{ exitCode: 1, stdout: 'Usage: exclude [FORCE]\n' }}                                                               | ${'EngineRefused: `exclude no_wait locality_instance_id:storage-41` is not understood by this fdbcli'}
    ${new Error('no such pod')}                                                                                          | ${'EngineUnreachable: fdbcli did not run `exclude no_wait locality_instance_id:storage-41` to its end: no such pod'}
  `('$words', async ({ answer, words }) => {
    const fdbcli = new ScriptedFdbcli(healthy);
    fdbcli.answer = answer;
    expect(await evacuate(fdbcli)).toContain(words);
  });

  test('fdbcli ends well and the list does not have it', async () => {
    expect(await evacuate(new ScriptedFdbcli(healthy))).toBe(
      'EngineUnreachable: fdbcli took the exclusion of storage-41, and locality_instance_id:storage-41 is not on the list',
    );
  });

  test('while the database is down nothing is sent', async () => {
    const fdbcli = new ScriptedFdbcli(fixture('recovering-7.1'));
    expect(await evacuate(fdbcli)).toContain('the database is not available (recovery state: recruiting_transaction');
    expect(fdbcli.commands).toEqual([]);
  });

  test('after an abort nothing is asked', async () => {
    const fdbcli = new ScriptedFdbcli(healthy);
    const aborted = AbortSignal.abort(new Error('shutting down'));
    expect(await outcome(givenEngine(fdbcli.run).evacuate(givenTarget('storage-41'), aborted))).toBe(
      'EngineUnreachable: `status json` was not begun',
    );
  });

  test.each`
    target                                                          | words
    ${givenTarget('storage-40', { addresses: ['kill; kill all'] })} | ${'EngineRefused: storage-40 cannot be excluded by "kill; kill all": that is no IP address'}
    ${givenTarget('storage-40', { addresses: ['failed'] })}         | ${'that is no IP address'}
    ${givenTarget('x; include all')}                                | ${'cannot be told to fdbcli'}
    ${givenTarget('x"')}                                            | ${'cannot be told to fdbcli'}
    ${givenTarget('x\\')}                                           | ${'cannot be told to fdbcli'}
    ${givenTarget('x\ny')}                                          | ${'cannot be told to fdbcli'}
    ${{ ...givenTarget('storage-41'), units: [name('shard-1')] }}   | ${'FoundationDB cannot empty storage-41 of some units'}
  `('nothing is sent: $words', async ({ target, words }) => {
    const fdbcli = new ScriptedFdbcli(healthy);
    expect(await evacuate(fdbcli, target)).toContain(words);
    expect(fdbcli.commands).toEqual([]);
  });

  test('nothing is known by which it could be meant', async () => {
    const old = new ScriptedFdbcli(ofVersion('6.2.30'));
    expect(await evacuate(old, givenTarget('storage-40'))).toBe(
      'EngineRefused: storage-40 is not excluded: it is not listed and no address of it is known',
    );
    expect(await evacuate(old, givenTarget('storage-40', { addresses: ['10.0.0.9:4501'] }))).toBe(
      'EngineRefused: storage-40 is not excluded: others have its addresses now (10.0.0.9:4501)',
    );
  });
});
