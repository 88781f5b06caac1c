import { afterEach, describe, expect, test } from 'vitest';
import { KubeClient } from './client.ts';
import { seconds } from './clock.ts';
import type { ExecOptions, ExecResult } from './exec.ts';
import { nodeTransport } from './node-transport.ts';
import { seededRandom } from './random.ts';
import type { ExecAnswer } from './testing/exec-server.ts';
import { ExecServer, exited, failed, stderr, stdout, success } from './testing/exec-server.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

const open: ExecServer[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

const pod = { namespace: 'db', name: 'orders-storage-1' };
const command: ExecOptions['command'] = ['fdbcli', '--exec', 'exclude no_wait "x"; $(y) & ü%', '--timeout', '10'];

async function given(...answers: readonly ExecAnswer[]) {
  const server = new ExecServer(answers);
  open.push(server);
  const clock = new VirtualClock();
  let token = 'old';
  const connection = {
    server: await server.listen(),
    source: 'a test',
    credentials: (renew = false) => {
      if (renew) token = 'new';
      return Promise.resolve({ headers: { authorization: `Bearer ${token}` }, tls: {} });
    },
  };
  const client = new KubeClient({ transport: nodeTransport(connection), clock, random: seededRandom(1) });
  const end = new AbortController();
  const run = (more: Partial<ExecOptions> = {}): Promise<ExecResult> =>
    client.exec(pod, { container: 'foundationdb', command, mostBytes: 100_000, signal: end.signal, ...more });
  return { server, clock, end, run };
}

const outcome = (running: Promise<ExecResult>): Promise<string> =>
  running.then(JSON.stringify, (error: Error) => `${error.name}: ${error.message}`);

const where = 'GET /api/v1/namespaces/db/pods/orders-storage-1/exec';

describe('a program in a pod', () => {
  test('gets its arguments as they are, and tells what it printed and how it ended', async () => {
    const { server, run } = await given([stdout('o'), stderr('e'), stdout('ut\n'), exited(3), 'close']);
    expect(await run()).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'e' });
    const [asked] = server.asked;
    expect(asked?.url.pathname).toBe('/base/api/v1/namespaces/db/pods/orders-storage-1/exec');
    expect(asked?.url.searchParams.getAll('command')).toEqual(command);
    expect(Object.fromEntries(asked?.url.searchParams ?? [])).toMatchObject({
      container: 'foundationdb',
      stdout: 'true',
      stderr: 'true',
    });
    expect(asked).toMatchObject({ authorization: 'Bearer old', protocols: 'v5.channel.k8s.io,v4.channel.k8s.io' });
  });

  test('is heard to its end: the status may overtake what was printed before', async () => {
    const { run } = await given([stdout('first '), success, stdout('last'), 'close']);
    expect(await run()).toEqual({ exitCode: 0, stdout: 'first last', stderr: '' });
  });

  test('a character may be cut in two', async () => {
    const halves = [0xc3, 0xbc].map((byte) => ({ channel: 1, text: Buffer.from([byte]) }));
    const { run } = await given([...halves, success, 'close']);
    expect(await run()).toMatchObject({ stdout: 'ü' });
  });

  test('with a token that was swapped', async () => {
    const { server, run } = await given({ refused: 401, message: 'Unauthorized' }, [success, 'close']);
    expect(await run()).toMatchObject({ exitCode: 0 });
    expect(server.asked.map(({ authorization }) => authorization)).toEqual(['Bearer old', 'Bearer new']);
  });

  const cases: readonly (readonly [string, ExecAnswer, string])[] = [
    [
      'that the API server refuses',
      { refused: 403, message: 'pods "orders-storage-1" is forbidden' },
      `KubeApiError: ${where}: pods "orders-storage-1" is forbidden (403)`,
    ],
    [
      'whose container is not there',
      { refused: 400, message: 'container foundationdb is not valid for pod orders-storage-1' },
      `KubeApiError: ${where}: container foundationdb is not valid for pod orders-storage-1 (400)`,
    ],
    [
      'that cannot be started',
      [failed('exec: "fdbcli": executable file not found in $PATH'), 'close'],
      `KubeApiError: ${where}: exec: "fdbcli": executable file not found in $PATH (500)`,
    ],
    ['whose answer breaks off', [stdout('half'), 'cut'], 'the connection broke before the answer was complete'],
    ['whose answer breaks off after its end was told', [stdout('half'), success, 'cut'], 'the connection broke'],
    ['whose end nobody tells', [stdout('half'), 'close'], `ConnectionLost: ${where}: it ended, and nothing says how`],
    ['that prints without end', [stdout('x'.repeat(200_000)), 'hang'], 'more than 100000 bytes were printed'],
    ['whose end makes no sense', [{ channel: 3, text: '{' }, 'close'], 'not said in a form that is known'],
  ];
  test.each(cases)('%s is an error', async (_, answer, expected) => {
    const { run } = await given(answer);
    expect(await outcome(run())).toContain(expected);
  });

  test.each<[string, (parts: Awaited<ReturnType<typeof given>>) => unknown, string]>([
    ['that takes too long', ({ clock }) => clock.pass(seconds(20)), 'RequestTimeout'],
    ['that nobody waits for any more', ({ end }) => end.abort(new Error('shutting down')), 'Error: shutting down'],
  ])('%s is given up, and its connection is closed', async (_, happens, expected) => {
    const parts = await given([stdout('half'), 'hang']);
    const running = outcome(parts.run({ deadline: seconds(20) }));
    await expect.poll(() => parts.server.asked.length).toBe(1);
    happens(parts);
    expect(await running).toContain(expected);
    await expect.poll(() => parts.server.closed).toBe(1);
  });

  test('is not asked for twice when nobody is there', async () => {
    const { server, run } = await given();
    server.close();
    expect(await outcome(run())).toContain('no connection (ECONNREFUSED)');
  });
});
