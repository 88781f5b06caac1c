import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { millis } from '../../../kube/clock.ts';
import { seededRandom } from '../../../kube/random.ts';
import { realClock } from '../../../kube/real-clock.ts';
import { givenProcess } from '../testing/given-process.ts';
import type { CliResult } from './cli/fdbcli-command-line.ts';
import { fdbOptions } from './fdb-options.ts';
import { FoundationDB } from './foundationdb.ts';
import type { ServedFdb } from './serve-fdb.ts';
import { serveFdb } from './serve-fdb.ts';

const executable = join(import.meta.dirname, 'fdbcli.ts');
const soon = { least: millis(1), most: millis(1) };

function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [executable, ...argv],
      { env: { ...process.env, ...env } },
      (error, stdout, stderr) => resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code) }),
    );
    child.stdin?.end();
  });
}

describe('fdbcli as an executable asks a model that is served', () => {
  let folder: string;
  let clusterFile: string;
  let served: ServedFdb;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'drover-fdbcli-'));
    clusterFile = join(folder, 'fdb.cluster');
    const database = new FoundationDB(
      fdbOptions({
        clock: realClock,
        random: seededRandom(1),
        recovery: soon,
        generationDrain: soon,
        roleRemoval: millis(1),
      }),
    );
    served = await serveFdb((description) => (description === 'orders' ? database : undefined));
    // The first coordinator has the address at which the model is served, so that the cluster file alone leads to it.
    database.start(givenProcess('storage-1', { address: served.address }));
    for (const id of ['storage-2', 'storage-3', 'log-1', 'log-2', 'log-3', 'stateless-1'])
      database.start(givenProcess(id));
    await writeFile(clusterFile, `# comment\norders:abc@${served.address}\n`);
  });

  afterEach(async () => {
    await served.close();
    await rm(folder, { recursive: true });
  });

  const cli = (exec: string, ...more: readonly string[]) =>
    run(['--exec', exec, '-C', clusterFile, '--timeout', '10', ...more]);

  test('create, exclude, look, move the coordinators: with output, exit code and cluster file like the real one', async () => {
    expect(await cli('configure new double ssd')).toEqual({ stdout: 'Database created\n', stderr: '', code: 0 });
    expect(
      await cli('exclude no_wait locality_instance_id:log-3', '--log', '--trace_format', 'xml', '--log-dir', folder),
    ).toMatchObject({ code: 0 });
    const { stdout } = await cli('status json');
    expect(JSON.parse(stdout)).toMatchObject({
      client: { database_status: { available: true } },
      cluster: { configuration: { excluded_servers: [{ locality: 'locality_instance_id:log-3' }] } },
    });
    expect(await cli('exclude nonsense')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("ERROR: 'nonsense'"),
    });
    expect(await cli('nonsense')).toMatchObject({ code: 1 });

    const addresses = [served.address, givenProcess('log-1').address, givenProcess('log-2').address];
    expect(await cli(`coordinators ${addresses.join(' ')}`)).toMatchObject({
      stdout: 'Coordination state changed\n',
      code: 0,
    });
    expect(await readFile(clusterFile, 'utf8')).toMatch(
      /^# DO NOT EDIT!\n.*\norders:[0-9a-f]{32}@[\d.:]+,[\d.:]+,127\.0\.0\.1:\d+\n$/,
    );
    expect(await cli('status minimal')).toEqual({ stdout: 'The database is available.\n', stderr: '', code: 0 });
  });

  test('the model is also found by FDB_MODEL_ADDRESS, whatever the coordinators are', async () => {
    await writeFile(clusterFile, `orders:abc@${givenProcess('storage-2').address}\n`);
    const result = await run(['--exec', 'configure new single memory', '-C', clusterFile], {
      FDB_MODEL_ADDRESS: served.address,
    });
    expect(result).toMatchObject({ stdout: 'Database created\n', code: 0 });
  });

  test('a time limit ends a wait', async () => {
    const before = realClock.monotonic();
    expect(await run(['--exec', 'exclude', '-C', clusterFile, '--timeout', '1'])).toMatchObject({
      stderr: 'Specified timeout reached -- exiting...\n',
      code: 1,
    });
    expect(realClock.monotonic() - before).toBeLessThan(10_000);
  });

  test('nobody there: status json says so, everything else times out', async () => {
    await writeFile(clusterFile, 'orders:abc@127.0.0.1:1\n');
    const { stdout, code } = await cli('status json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      client: { database_status: { available: false }, coordinators: { quorum_reachable: false } },
    });
    expect(await run(['--exec', 'exclude', '-C', clusterFile, '--timeout', '1'])).toMatchObject({ code: 1 });
  });

  test('a cluster file that is missing or is none', async () => {
    expect(await run(['--exec', 'status json', '-C', join(folder, 'missing')])).toMatchObject({ code: 1 });
    await writeFile(clusterFile, 'nonsense\n');
    expect(await cli('status json')).toMatchObject({ code: 1, stderr: 'ERROR: Connection string invalid (2104)\n' });
  });
});
