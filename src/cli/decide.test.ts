import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { runDrover } from './testing/run-drover.ts';

const examples = join(import.meta.dirname, '../../examples/snapshots');
const file = join(examples, 'foundationdb-failed-one-at-a-time.yaml');
const expected = readFileSync(join(examples, 'expected/foundationdb-failed-one-at-a-time.txt'), 'utf8');
const stack = /^\s+at .+\d+:\d+/m;

/** The keys that programs rely on. A new one may come; none of these may go. */
const decisionKeys = z.strictObject({
  cluster: z.literal('db/orders'),
  at: z.literal('2026-11-15T03:00:00Z'),
  verdicts: z.array(z.strictObject({ group: z.string(), eviction: z.unknown(), replacement: z.unknown() })).length(5),
  records: z.array(z.looseObject({ record: z.string() })),
  actions: z.array(z.looseObject({ act: z.string(), reason: z.unknown() })),
  holds: z.array(z.strictObject({ step: z.string(), group: z.string().nullable(), reason: z.unknown() })),
  wakeAt: z.literal('2026-11-15T03:05:00Z'),
});

describe('drover decide', { timeout: 60_000 }, () => {
  test('says it in words, without control characters in a pipe', async () => {
    const { exitCode, stdout, stderr } = await runDrover(['decide', '-f', file]);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: expected, stderr: '' });
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  test('reads standard input', async () => {
    const { exitCode, stdout } = await runDrover(['decide', '-f', '-'], { input: readFileSync(file, 'utf8') });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expected });
  });

  test('says the same in JSON and in YAML, and reads both', async () => {
    const asJson = JSON.stringify(parse(readFileSync(file, 'utf8')));
    const [json, yaml] = await Promise.all([
      runDrover(['decide', '-f', '-', '-o', 'json'], { input: asJson }),
      runDrover(['decide', '-f', file, '-o', 'yaml']),
    ]);
    expect([json.exitCode, yaml.exitCode]).toEqual([0, 0]);
    const decision: unknown = JSON.parse(json.stdout);
    expect(decisionKeys.parse(decision)).toEqual(decision);
    expect(parse(yaml.stdout)).toEqual(decision);
  });

  test('shows an example in its help', async () => {
    const { exitCode, stdout } = await runDrover(['decide', '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Examples:\n {2}\$ drover decide -f examples\/snapshots\/[\w-]+\.yaml/m);
    expect(stdout).toContain('Exit codes: 0 decided, 2');
  });

  test.each([
    ['no file', ['decide'], '--filename'],
    ['a format that there is not', ['decide', '-f', file, '-o', 'xml'], 'text, json, yaml'],
    ['an option that there is not', ['decide', '-f', file, '--force'], '--force'],
    ['a schema that there is not', ['schema', 'cluster'], "unknown command 'cluster'"],
  ])('called with %s it says so in one line and ends with 2', async (_, args, says) => {
    const { exitCode, stdout, stderr } = await runDrover(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).not.toMatch(stack);
  });

  test('a bad file gives no decision, each fault with its line and field, and 2', async () => {
    const bad = readFileSync(file, 'utf8')
      .replace('engine: foundationdb', 'engine: mongodb')
      .replace('now: 2026', 'now: 26');
    const { exitCode, stdout, stderr } = await runDrover(['decide', '-f', '-', '-o', 'json'], { input: bad });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: [
        'standard input:4: now: must be a time such as 2026-11-15T03:20:00Z',
        'standard input:6: spec.engine: Invalid option: expected one of "foundationdb"|"arangodb"|"longhorn"|"etcd"|"redis"|"http"',
        '',
      ].join('\n'),
    });
  });

  test.each(['text', 'json', 'yaml'])('names and messages of others cannot steer a terminal, in %s', async (format) => {
    const evil = readFileSync(file, 'utf8').replaceAll('id: storage-3', 'id: "storage-3\\e[2J\\nstorage-9   allow"');
    const { exitCode, stdout } = await runDrover(['decide', '-f', '-', '-o', format], { input: evil });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('storage-9   allow');
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(stdout).not.toMatch(/^storage-9/m);
  });
});
