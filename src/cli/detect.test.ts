import { describe, expect, test } from 'vitest';
import { name } from '../model/ids.ts';
import type { Detection } from '../operator/detect/detect.ts';
import { detectionText } from './detect.ts';
import { runDrover } from './testing/run-drover.ts';

const found = (given: Partial<Detection> = {}): Detection => ({
  cluster: 'db/orders',
  at: '2026-11-15T03:00:00.000Z',
  missing: [],
  engine: 'answers',
  why: null,
  ...given,
});
const missing: Detection['missing'] = [
  { group: name('log-2'), role: name('log'), missing: ['MissingProcesses', 'MissingPod'] },
];

describe('drover detect', { timeout: 60_000 }, () => {
  test.each<[Partial<Detection>, string]>([
    [{}, 'nothing of db/orders is missing'],
    [{ engine: 'not-set-up', why: 'not yet' }, 'no pod of db/orders is missing'],
    [
      { engine: 'silent', why: 'timed\nout' },
      'no pod of db/orders is missing\nthe engine of db/orders does not answer: timed out',
    ],
    [
      { missing },
      'db/orders was annotated at 2026-11-15T03:00:00.000Z: something of it is missing\nlog-2: MissingProcesses and MissingPod',
    ],
  ])('%j in words', (given, words) => {
    expect(detectionText(found(given))).toBe(words);
  });

  test('shows an example in its help, and its exit codes', async () => {
    const { exitCode, stdout } = await runDrover(['detect', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Example:\n {2}\$ drover detect --cluster db\/orders -o json/m);
    expect(stdout).toContain('Exit codes: 0 looked');
  });

  test.each([
    ['no cluster', ['detect'], '--cluster'],
    ['a cluster without its namespace', ['detect', '--cluster', 'orders'], 'namespace/name'],
    ['too many parts', ['detect', '--cluster', 'db/orders/1'], 'namespace/name'],
  ])('called with %s it says so and ends with 2', async (_, args, says) => {
    const { exitCode, stdout, stderr } = await runDrover(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(says);
  });

  test('where it cannot reach the API server it says so in one line and ends with 1', async () => {
    const env = { KUBECONFIG: '/nonexistent/config' };
    const { exitCode, stdout, stderr } = await runDrover(['detect', '--cluster', 'db/orders'], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^drover: .*\/nonexistent\/config/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
