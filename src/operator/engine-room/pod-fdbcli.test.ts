import { beforeEach, describe, expect, test } from 'vitest';
import type { FdbcliResult } from '../../engines/foundationdb/fdbcli.ts';
import { seconds } from '../../kube/clock.ts';
import { ConnectionLost, KubeApiError, MalformedAnswer, RequestTimeout } from '../../kube/errors.ts';
import type { ExecOptions, ExecResult } from '../../kube/exec.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { EngineSurroundings } from './engine-source.ts';
import { podFdbcli } from './pod-fdbcli.ts';

const request = { method: 'GET', path: '/pods/pod-a/exec' };
const fine: ExecResult = { exitCode: 0, stdout: '{"cluster": {"connection_string": "a:b@c"}}', stderr: '' };
const argv = ['--exec', 'status json', '--timeout', '40'];

let places: { readonly pod: string; readonly leaves: boolean }[];
let answers: Record<string, ExecResult | Error>;
let ran: string[];
let seen: ExecOptions[];

beforeEach(() => {
  places = ['pod-a', 'pod-b', 'pod-c', 'pod-d'].map((pod) => ({ pod, leaves: false }));
  answers = {};
  ran = [];
  seen = [];
});

const surroundings = (): EngineSurroundings => ({
  connectionString: () => 'a:b@c',
  groupAt: () => undefined,
  leaves: (group) => places.some(({ pod, leaves }) => pod === group && leaves),
  pods: () => [
    { name: '0-not-ready', group: name('0-not-ready'), addresses: [], ready: false },
    ...places.map(({ pod }) => ({ name: pod, group: name<ProcessGroupId>(pod), addresses: [], ready: true })),
  ],
  run: async (pod, options) => {
    ran.push(pod);
    seen.push(options);
    const answer = answers[pod] ?? fine;
    if (answer instanceof Error) throw answer;
    return answer;
  },
});

function given() {
  const fdbcli = podFdbcli({ container: 'foundationdb', path: '/usr/bin/fdbcli' }, surroundings());
  const end = new AbortController();
  const run = (words: readonly string[] = argv): Promise<FdbcliResult> =>
    fdbcli(words, { timeoutSeconds: 40, signal: end.signal });
  const outcome = (words?: readonly string[]): Promise<string> =>
    run(words).then(
      ({ exitCode }) => `exit code ${exitCode}`,
      (error: Error) => `${error.name}: ${error.message}`,
    );
  return { run, outcome, end };
}

const refused = (status: number, message: string) => new KubeApiError(request, status, { message });

describe('fdbcli in a pod', () => {
  test('gets its words as they are, twice the time that it gives itself, and the container that the spec names', async () => {
    expect(await given().run()).toEqual(fine);
    expect(seen).toMatchObject([
      { container: 'foundationdb', command: ['/usr/bin/fdbcli', ...argv], deadline: seconds(80) },
    ]);
  });

  test('runs in one pod for as long as that one does well', async () => {
    const { run } = given();
    for (const _ of [1, 2, 3]) await run();
    expect(ran).toEqual(['pod-a', 'pod-a', 'pod-a']);
  });

  test('runs in a pod that leaves only where no other is ready', async () => {
    const { run } = given();
    places = places.map(({ pod }) => ({ pod, leaves: pod !== 'pod-c' }));
    await run();
    places = places.filter(({ pod }) => pod !== 'pod-c');
    await run();
    expect(ran).toEqual(['pod-c', 'pod-a']);
  });

  const notRun: readonly (readonly [string, ExecResult | Error, string])[] = [
    [
      'without that container',
      refused(400, 'container foundationdb is not valid for pod pod-a'),
      'container foundationdb is not valid for pod <pod> (400); see spec.engine.foundationdb.fdbcli.container',
    ],
    [
      'without that program, by its exit code',
      { exitCode: 127, stdout: '', stderr: 'sh: not found' },
      'container foundationdb has no program /usr/bin/fdbcli (exit code 127): see spec.engine.foundationdb.fdbcli.path',
    ],
    [
      'with a program that cannot be run',
      { exitCode: 126, stdout: '', stderr: '' },
      'container foundationdb has no program /usr/bin/fdbcli (exit code 126)',
    ],
    [
      'without that program, by the word of the kubelet',
      refused(500, 'exec: "/usr/bin/fdbcli": no such file or directory'),
      'fdbcli could not be run in container foundationdb of a pod: exec: "/usr/bin/fdbcli": no such file or directory (500)',
    ],
    ['on a node that is cut off', refused(500, 'error dialing backend'), 'error dialing backend (500)'],
    ['that has just left', refused(404, 'pods "a" not found'), 'the pod for fdbcli is gone'],
  ];
  test.each(notRun)('a pod %s: another one at once, and from then on', async (_, answer, sentence) => {
    const { outcome } = given();
    answers = { 'pod-a': answer };
    expect(await outcome()).toBe('exit code 0');
    expect(await outcome()).toBe('exit code 0');
    expect(ran).toEqual(['pod-a', 'pod-b', 'pod-b']);
    places = places.slice(0, 1);
    expect(await outcome()).toContain('EngineUnreachable: ');
    expect(await outcome()).toContain(sentence);
  });

  test('three pods that cannot run it are enough for one command, and the next one goes on from there', async () => {
    const { outcome } = given();
    for (const { pod } of places) answers[pod] = refused(500, `no place on ${pod}`);
    expect(await outcome()).toBe(
      'EngineUnreachable: fdbcli could not be run in container foundationdb of a pod: no place on <pod> (500)',
    );
    answers['pod-d'] = fine;
    expect(await outcome()).toBe('exit code 0');
    expect(ran).toEqual(['pod-a', 'pod-b', 'pod-c', 'pod-d']);
  });

  test('what Drover may not do in one pod it may not do in another', async () => {
    answers = { 'pod-a': refused(403, 'pods "pod-a" is forbidden') };
    expect(await given().outcome()).toBe(
      'EngineUnreachable: Drover may not run fdbcli in pods, its role needs get and create of pods/exec: pods "<pod>" is forbidden (403)',
    );
    expect(ran).toEqual(['pod-a']);
  });

  const lost: readonly (readonly [string, Error, string])[] = [
    [
      'a connection that breaks',
      new ConnectionLost('closed', { sent: true }),
      'the connection to fdbcli in a pod broke before its answer was whole: whether the database was told is not known',
    ],
    [
      'no connection',
      new ConnectionLost('no connection (ECONNREFUSED)', { sent: false }),
      'fdbcli could not be run in a pod: no connection (ECONNREFUSED)',
    ],
    [
      'no end in time',
      new RequestTimeout(request, seconds(80)),
      'fdbcli in a pod did not end within 80 s, twice the time that it was given',
    ],
    [
      'more than is believable',
      new MalformedAnswer('more than 10 bytes were printed'),
      'what fdbcli in a pod printed is not believable: it is too much, or its end cannot be read',
    ],
  ];
  test.each(lost)(
    '%s is not tried again, for it may have been heard; the next command goes elsewhere',
    async (_, error, sentence) => {
      const { outcome } = given();
      answers = { 'pod-a': error };
      expect(await outcome(['--exec', 'exclude no_wait x'])).toBe(`EngineUnreachable: ${sentence}`);
      expect(ran).toEqual(['pod-a']);
      expect(await outcome()).toBe('exit code 0');
      expect(ran).toEqual(['pod-a', 'pod-b']);
    },
  );

  test('what nobody waits for any more', async () => {
    const { outcome, end } = given();
    end.abort(new Error('shutting down'));
    answers = { 'pod-a': new Error('shutting down') };
    expect(await outcome()).toBe('EngineUnreachable: fdbcli in a pod was given up before its time, as asked');
  });

  test.each<[string, readonly string[], ExecResult]>([
    ['a status without the database', argv, { exitCode: 0, stdout: '{"client": {}}', stderr: '' }],
    [
      'an exit code',
      ['--exec', 'maintenance off'],
      { exitCode: 1, stdout: '', stderr: 'ERROR: Unable to read (1515)' },
    ],
  ])(
    '%s is the answer, and the next command is asked of a pod whose cluster file may be newer',
    async (_, words, answer) => {
      const { run } = given();
      answers = { 'pod-a': answer };
      expect(await run(words)).toBe(answer);
      await run(words);
      expect(ran).toEqual(['pod-a', 'pod-b']);
    },
  );

  test('no pod is ready', async () => {
    places = [];
    expect(await given().outcome()).toBe(
      'EngineUnreachable: fdbcli runs inside a pod of the cluster, and none of them is ready: it is tried again when one is',
    );
  });
});
