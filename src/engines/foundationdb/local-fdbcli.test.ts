import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeClusterFile } from './cluster-file.ts';
import type { LocalFdbcliOptions } from './local-fdbcli.ts';
import { localFdbcli } from './local-fdbcli.ts';
import { outcome } from './testing/given-engine.ts';

const never = new AbortController().signal;

/** Runs a line of JavaScript in place of fdbcli. */
const run = (script: string, given: Partial<LocalFdbcliOptions> = {}, timeoutSeconds = 10, signal = never) =>
  localFdbcli({ command: [process.execPath, '-e', script, '--'], clusterFile: '/tmp/a b;c', ...given })(
    ['--exec', 'exclude no_wait "x"; $(y)', '--timeout', String(timeoutSeconds)],
    { timeoutSeconds, signal },
  );

describe('an fdbcli of this machine', () => {
  test('gets its arguments as they are, and its surroundings without other client libraries', async () => {
    const env = { ...process.env, FDB_TLS_KEY_FILE: 'key', FDB_NETWORK_OPTION_DISABLE_LOCAL_CLIENT: '1' };
    const script = `console.log(JSON.stringify([process.argv.slice(1), process.env.FDB_TLS_KEY_FILE,
      process.env.FDB_NETWORK_OPTION_DISABLE_LOCAL_CLIENT ?? null]))`;
    const { stdout } = await run(script, { env });
    expect(JSON.parse(stdout)).toEqual([
      ['--exec', 'exclude no_wait "x"; $(y)', '--timeout', '10', '-C', '/tmp/a b;c'],
      'key',
      null,
    ]);
  });

  test('its exit code is an answer', async () => {
    const script = `console.log('out'); console.error('err'); process.exitCode = 3`;
    expect(await run(script)).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
  });

  test('one that waits for commands gets none', async () => {
    expect(await run(`process.stdin.resume(); process.stdin.on('end', () => process.exit(0))`)).toMatchObject({
      exitCode: 0,
    });
  });

  test('one that does not heed its time limit is ended after twice that', async () => {
    expect(await outcome(run('setInterval(() => {}, 1000)', {}, 0.2))).toContain('was ended by SIGKILL');
  });

  test('an abort ends it', async () => {
    const controller = new AbortController();
    const running = run('setInterval(() => {}, 1000)', {}, 10, controller.signal);
    controller.abort(new Error('shutting down'));
    await expect(running).rejects.toMatchObject({
      name: 'EngineUnreachable',
      message: expect.stringContaining('as asked'),
      cause: new Error('shutting down'),
    });
  });

  test('one that prints without end is ended', async () => {
    const script = `setInterval(() => console.log('x'.repeat(1000)), 0)`;
    expect(await outcome(run(script, { mostBytes: 10_000 }))).toContain('printed more than is believable');
  });

  test('one that is not there', async () => {
    expect(await outcome(run('', { command: ['/nowhere/fdbcli'] }))).toBe(
      'EngineUnreachable: /nowhere/fdbcli could not be started (ENOENT): is fdbcli of the right version installed there?',
    );
  });
});

describe('a cluster file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'drover-cluster-file-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('is written whole, for us alone', async () => {
    const path = join(folder, 'fdb.cluster');
    await writeClusterFile(path, 'orders:x@10.0.0.1:4501,10.0.0.2:4501');
    expect(await readFile(path, 'utf8')).toBe('orders:x@10.0.0.1:4501,10.0.0.2:4501\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test.each(['', 'nonsense', 'a:b@', 'a:b@x,', 'a:b@x y', 'a:b@x\nc:d@y'])('%j is none', async (text) => {
    await expect(writeClusterFile(join(folder, 'other'), text)).rejects.toThrow('is no connection string');
  });
});
