import { describe, expect, test } from 'vitest';
import { FdbWorld } from '../testing/given-fdb.ts';

const address = (id: string): string => new FdbWorld({ storage: 0, logs: 0, stateless: 0 }).process(id).address;
const host = (id: string): string => address(id).replace(/:.*/, '');

describe('exclude waits until nothing is left, or until its time is up', () => {
  test('blocking: ends when the data is away', async () => {
    const world = await FdbWorld.up();
    const running = world.begin('exclude locality_instance_id:storage-5', '--timeout', '3600');
    await world.passSeconds(10);
    expect(running.result).toBeUndefined();
    await world.passMinutes(30);
    expect(running.result).toEqual({
      stdout:
        'Waiting for state to be removed from all excluded servers. This may take a while.\n' +
        '(Interrupting this wait with CTRL+C will not cancel the data movement.)\n' +
        `  ${address('storage-5')}  ---- Successfully excluded. It is now safe to remove this process from the cluster.\n`,
      stderr: '',
      code: 0,
    });
  });

  test('blocking: a timeout is not yet, and the exclusion stands', async () => {
    const world = await FdbWorld.up();
    const running = world.begin(`exclude ${host('storage-5')}`, '--timeout', '10');
    await world.passSeconds(10);
    expect(running.result).toMatchObject({ stderr: 'Specified timeout reached -- exiting...\n', code: 1 });
    expect((await world.status()).cluster.configuration.excluded_servers).toEqual([{ address: host('storage-5') }]);
  });

  test('no_wait: returns at once, and says that it is in progress', async () => {
    const world = await FdbWorld.up();
    expect(await world.cli(`exclude no_wait ${host('storage-5')}`)).toEqual({
      stdout: '',
      stderr: `  ${host('storage-5')}(Whole machine)  ---- WARNING: Exclusion in progress! It is not safe to remove this machine from the cluster\n`,
      code: 0,
    });
  });

  test('a silent storage server is waited for by its last address, and not by its locality', async () => {
    const world = await FdbWorld.up();
    world.stop('storage-5');
    await world.passSeconds(1);
    const byAddress = world.begin(`exclude ${host('storage-5')}`, '--timeout', '20');
    expect(await world.cli('exclude locality_instance_id:storage-5')).toMatchObject({
      stderr:
        '  locality_instance_id:storage-5  ---- WARNING: Currently no servers found with this locality match! Be sure that you excluded the correct locality.\n',
      code: 0,
    });
    await world.passSeconds(20);
    expect(byAddress.result).toMatchObject({ code: 1 });
    await world.passMinutes(30);
    expect(await world.cli(`exclude ${host('storage-5')}`)).toMatchObject({
      stderr: expect.stringContaining('WARNING: Missing from cluster!'),
      code: 0,
    });
  });

  test('a coordinator is warned of', async () => {
    const world = await FdbWorld.up();
    const { stderr, stdout } = await world.cli(`exclude no_wait ${host('storage-1')}`);
    expect(stderr).toContain(`WARNING: ${address('storage-1')} is a coordinator!\n`);
    expect(stdout).toContain("Type `help coordinators' for information on how to change the\n");
  });

  test('all storage servers at once is refused, unless forced', async () => {
    const world = await FdbWorld.up({ storage: 3 });
    const all = ['storage-1', 'storage-2', 'storage-3'].map(host).join(' ');
    expect(await world.cli(`exclude no_wait ${all}`)).toMatchObject({
      stderr: expect.stringContaining('below 10%'),
      code: 1,
    });
    expect((await world.status()).cluster.configuration.excluded_servers).toEqual([]);
    expect(await world.cli(`exclude FORCE no_wait ${all}`)).toMatchObject({ code: 0 });
  });

  test('`failed` gives the data up at once, and refuses where it is the last', async () => {
    const world = await FdbWorld.up({ storage: 3 });
    expect(await world.cli(`exclude no_wait failed ${host('storage-3')}`)).toMatchObject({ code: 0 });
    expect(await world.storedBytes('storage-3')).toBe(0);
    expect(await world.cli(`exclude no_wait failed ${host('storage-2')}`)).toMatchObject({
      stderr: expect.stringContaining('It is unsafe to exclude the specified servers'),
      code: 1,
    });
    await world.cli(`exclude FORCE no_wait failed ${host('storage-2')}`);
    expect(world.database.truth().lost.length).toBeGreaterThan(0);
    expect(world.database.truth().lost[0]?.because).toContain('exclude failed');
  });

  test('the list, before and after', async () => {
    const world = await FdbWorld.up();
    expect((await world.cli('exclude')).stdout).toBe(
      "There are currently no servers or localities excluded from the database.\nTo learn how to exclude a server, type `help exclude'.\n",
    );
    await world.cli(`exclude no_wait locality_instance_id:storage-5 ${host('log-4')}`);
    expect((await world.cli('exclude')).stdout).toContain(
      `There are currently 2 servers or localities being excluded from the database:\n  ${host('log-4')}\n  locality_instance_id:storage-5\n`,
    );
    await world.cli('include all');
    expect((await world.cli('exclude')).stdout).toContain('no servers or localities excluded');
  });
});

describe('what fdbcli refuses, and how', () => {
  test.each`
    exec                              | code | stderr
    ${'frobnicate'}                   | ${1} | ${"ERROR: Unknown command `frobnicate'. Try `help'?\n"}
    ${'exclude not-an-address'}       | ${0} | ${"ERROR: 'not-an-address' is neither a valid network endpoint address nor a locality\n"}
    ${'exclude no_wait'}              | ${1} | ${'ERROR: At least one valid network endpoint address or a locality is not provided\n'}
    ${'include not-an-address'}       | ${1} | ${"ERROR: 'not-an-address' is neither a valid network endpoint address nor a locality\n"}
    ${'include'}                      | ${1} | ${''}
    ${'maintenance on zone-1'}        | ${1} | ${''}
    ${'maintenance on zone-1 soon'}   | ${1} | ${''}
    ${'coordinators 10.0.0.1'}        | ${0} | ${"ERROR: '10.0.0.1' is not a valid network endpoint address\n"}
    ${'coordinators 10.9.9.9:4501'}   | ${1} | ${'ERROR: Coordination servers are not running on the specified network addresses\n'}
    ${'configure new double ssd'}     | ${1} | ${"ERROR: Database already exists! To change configuration, don't say `new'\n"}
    ${'configure'}                    | ${1} | ${''}
    ${'configure quadruple'}          | ${1} | ${''}
    ${'kill 10.9.9.9:4501'}           | ${1} | ${"ERROR: process `10.9.9.9:4501' not recognized.\n"}
    ${'status minimal'}               | ${0} | ${''}
    ${'option on ACCESS_SYSTEM_KEYS'} | ${0} | ${''}
  `('$exec: $code', async ({ exec, code, stderr }) => {
    const world = await FdbWorld.up();
    expect(await world.cli(String(exec))).toMatchObject({ code, stderr });
  });

  test('options that it does not know', async () => {
    const world = await FdbWorld.up();
    expect(await world.database.fdbcli(['--frobnicate'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('unknown option'),
    });
    expect(await world.database.fdbcli(['--version'])).toMatchObject({
      code: 0,
      stdout: 'FoundationDB CLI 7.3 (v7.3.63)\n',
    });
  });
});

describe('with the database down everything but status waits', () => {
  test.each(['exclude', 'include all', 'maintenance', 'coordinators', 'get \\xff/coordinators', 'kill'])(
    '%s: until the time is up',
    async (exec) => {
      const world = await FdbWorld.up();
      world.stop('storage-1', 'storage-2');
      const running = world.begin(exec, '--timeout', '10');
      await world.passSeconds(9);
      expect(running.result).toBeUndefined();
      await world.passSeconds(1);
      expect(running.result).toEqual({
        stdout: "The database is unavailable; type `status' for more information.\n",
        stderr: '\nWARNING: Long delay (Ctrl-C to interrupt)\nSpecified timeout reached -- exiting...\n',
        code: 1,
      });
    },
  );

  test('a recovery is sat out', async () => {
    const world = await FdbWorld.up();
    world.stop('log-1');
    const running = world.begin('exclude no_wait locality_instance_id:log-1', '--timeout', '10');
    await world.passSeconds(6);
    expect(running.result).toMatchObject({ code: 0 });
  });
});

describe('other commands', () => {
  test('several in one line, as a bounce does it', async () => {
    const world = await FdbWorld.up();
    const running = world.begin(`kill; kill ${address('storage-5')}; sleep 5`, '--timeout', '40');
    await world.passSeconds(5);
    expect(running.result).toEqual({ stdout: 'Attempted to kill 1 processes\n', stderr: '', code: 0 });
    expect((await world.processStatus('storage-5'))?.uptime_seconds).toBe(5);
  });

  test('the coordinators, and their key', async () => {
    const world = await FdbWorld.up();
    const addresses = ['storage-1', 'storage-2', 'storage-3'].map(address).join(',');
    expect((await world.cli('coordinators')).stdout).toBe(
      `Cluster description: orders\nCluster coordinators (3): ${addresses}\nType \`help coordinators' to learn how to change this information.\n`,
    );
    expect((await world.cli('option on ACCESS_SYSTEM_KEYS; get \\xff/coordinators')).stdout).toBe(
      `Option enabled for all transactions\n\`\\xff/coordinators' is \`orders:start@${addresses}'\n`,
    );
  });

  test('a greater redundancy makes more copies, a lesser one drops them', async () => {
    const world = await FdbWorld.up();
    const before = world.database.storedBytes();
    expect(await world.cli('configure triple')).toMatchObject({ stdout: 'Configuration changed\n', code: 0 });
    await world.passMinutes(60);
    expect(world.database.storedBytes()).toBe((before / 2) * 3);
    await world.cli('configure double');
    await world.passMinutes(60);
    expect(world.database.storedBytes()).toBe(before);
  });

  test('an old cluster file is passed on by the old coordinators, and brought up to date', async () => {
    const world = await FdbWorld.up();
    const old = (await world.status()).cluster.connection_string;
    world.begin(`coordinators ${['log-1', 'log-2', 'log-3'].map(address).join(' ')}`);
    await world.passSeconds(20);
    const present = (await world.status()).cluster.connection_string;
    const { clusterFile } = await world.database.fdbcli(['--exec', 'status minimal'], '', { clusterFile: `${old}\n` });
    expect(clusterFile).toContain(present);
    const stranger = await world.database.fdbcli(['--exec', 'status minimal'], '', {
      clusterFile: 'orders:other@10.1.1.1:4501',
    });
    expect(stranger.stdout).toContain('unavailable');
  });

  test('commands come from standard input where there is no --exec', async () => {
    const world = await FdbWorld.up();
    expect((await world.database.fdbcli([], 'maintenance\nstatus minimal\n')).stdout).toBe(
      'No ongoing maintenance.\nThe database is available.\n',
    );
  });
});
