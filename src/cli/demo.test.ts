import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../kube/listen.ts';
import { exitCodeFor } from './demo.ts';
import { main, runDrover } from './testing/run-drover.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-demo-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The demo in a process of its own, whose temporary files are in a folder of its own. */
function startDemo(args: readonly string[]) {
  const demo = spawn(process.execPath, [main, 'demo', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder },
  });
  const said: string[] = [];
  const lines = createInterface({ input: demo.stdout });
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      lines.on('line', (text) => {
        said.push(text);
        if (pattern.test(text)) resolve(text);
      });
      demo.once('exit', () => reject(new Error(`it ended and never said ${pattern}: ${said.join('\n')}`)));
    });
  const ended = once(demo, 'exit').then(([code]) => code);
  return { demo, line, ended, said };
}

/** How many seconds of work a process has had, all threads together: how long it took depends on who else is at work. */
function workOf(pid = 0): number {
  const [, figures = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = figures.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
}

describe('drover demo --once', () => {
  test('plays the story to its end, says how it went, and leaves nothing behind', async () => {
    const { exitCode: code, stdout, stderr } = await runDrover(['demo', '--once']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/^Act \d of 5: /gm)).toHaveLength(5);
    expect(stdout.match(/^ {2}=> /gm)).toHaveLength(5);
    expect(stdout).toContain('single-1 stays: pods of the role single are never evicted');
    expect(stdout).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(stdout).toMatch(/\n5 acts, \d+ min of the demo's time: nothing was lost, and no quorum broken\n$/);
    expect(stdout).not.toContain('\u001b');
  });

  test('with -o json says the outcome of each act and nothing else', async () => {
    const { exitCode: code, stdout } = await runDrover(['demo', '--once', '-o', 'json']);
    const { passed, acts } = JSON.parse(stdout);
    expect({ code, passed }).toEqual({ code: 0, passed: true });
    expect(acts.map(({ act }: { act: string }) => act)).toEqual(['drain', 'taint', 'disk', 'never', 'cancel']);
    for (const act of acts) expect(act).toMatchObject({ passed: true, simulatedSeconds: expect.any(Number) });
  });

  test('stopped before its end it has failed, and says so', async () => {
    const { demo, line, ended } = startDemo(['--once', '--speed', '1']);
    const errors: string[] = [];
    createInterface({ input: demo.stderr }).on('line', (text) => errors.push(text));
    await line(/^Act 1/);
    demo.kill('SIGTERM');
    expect(await ended).toBe(1);
    expect(errors).toEqual(['drover: the story was stopped before its end']);
  });

  test('an act that failed makes it fail', () => {
    const outcome = { act: 'drain', title: '', says: '', simulatedSeconds: 1 };
    expect(exitCodeFor([{ ...outcome, passed: true }])).toBe(0);
    expect(
      exitCodeFor([
        { ...outcome, passed: true },
        { ...outcome, passed: false },
      ]),
    ).toBe(1);
  });
});

describe('drover demo for a person', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ended by %s it leaves nothing behind', async (signal) => {
    const { demo, line, ended } = startDemo(['--no-story']);
    const kubeconfig = /KUBECONFIG=(.*)/.exec(await line(/KUBECONFIG=/))?.[1] ?? '';
    expect(existsSync(kubeconfig)).toBe(true);
    demo.kill(signal);
    expect(await ended).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is up after less than 3 s of work, and says so in lines without colours where there is no terminal', async () => {
    const { demo, line, ended, said } = startDemo([]);
    await line(/^Act 1 of 5/);
    if (process.platform === 'linux') expect(workOf(demo.pid)).toBeLessThan(3);
    demo.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(said.join('\n')).not.toContain('\u001b');
    expect(said.join('\n')).toContain('kubectl drain n3 --ignore-daemonsets');
  });

  test('says in one line that the port is taken', async () => {
    const other = createServer();
    const { port } = await listen(other, { name: 'the other one', host: '127.0.0.1', port: 0 });
    const { exitCode: code, stdout, stderr } = await runDrover(['demo', '--no-story', '--port', String(port)]);
    other.close();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `drover: the embedded API server cannot listen on 127.0.0.1:${port}: another process has this port; stop that process or choose another port\n`,
    );
  });
});

describe('drover demo called wrongly', () => {
  test.each([
    [['--speed', 'fast'], 'a number from 1 to 10000 is needed'],
    [['--speed', '0'], 'a number from 1 to 10000 is needed'],
    [['--port', '70000'], 'a port is a number from 0 to 65535'],
    [['-o', 'json'], '-o json needs --once'],
    [['--once', '--no-story'], '--once plays the story, which --no-story leaves out'],
  ])('%j: exit code 2, and says what is right', async (args, sentence) => {
    const { exitCode: code, stdout, stderr } = await runDrover(['demo', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  test('--help shows how it is used and what its exit codes mean', async () => {
    const { exitCode: code, stdout } = await runDrover(['demo', '--help']);
    expect(code).toBe(0);
    for (const word of ['--speed', '--no-story', '--once', '--port', 'Examples:', 'Exit codes:'])
      expect(stdout).toContain(word);
  });
});
