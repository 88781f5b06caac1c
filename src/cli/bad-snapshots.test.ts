import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { decideAbout } from './decide.ts';

const good = readFileSync(
  join(import.meta.dirname, '../../examples/snapshots/arangodb-dbserver-leads-shards.yaml'),
  'utf8',
);
const folder = mkdtempSync(join(tmpdir(), 'drover-snapshots-'));
const file = join(folder, 'snapshot.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

/** What is wrong with the good example once something in it was put differently; each line without the name of the file. */
async function faultsAfter(from: string, to: string): Promise<readonly string[] | undefined> {
  if (!good.includes(from)) throw new Error(`the example does not say ${from}`);
  return faultsIn(good.replace(from, () => to));
}

async function faultsIn(source: string): Promise<readonly string[] | undefined> {
  writeFileSync(file, source);
  const { faults } = await decideAbout(file);
  return faults?.map((fault) => fault.replace(file, 'FILE'));
}

/** The line of the example on which something stands. */
const lineOf = (part: string): number => good.slice(0, good.indexOf(part)).split('\n').length;

test('the good one is good', async () => {
  expect(await faultsIn(good)).toBeUndefined();
});

describe('a bad snapshot is refused with the line, the field and what is right', () => {
  test.each([
    [
      'an unknown field',
      'engine: arangodb',
      'engine: arangodb\n  drainPolicies:\n    all: x',
      'spec.drainPolicies: is not a field of a snapshot',
      1,
    ],
    [
      'a wrong type',
      'count: 3',
      'count: three',
      'spec.roles[0].count: Invalid input: expected number, received string',
      0,
    ],
    ['a negative count', 'count: 3', 'count: -3', 'spec.roles[0].count: Too small: expected number to be >=0', 0],
    [
      'a word that there is not',
      'engine: arangodb',
      'engine: mongodb',
      'spec.engine: Invalid option: expected one of "foundationdb"|"arangodb"|"longhorn"|"etcd"|"redis"|"http"',
      0,
    ],
    [
      'a word that there is not, of a fact',
      '{process: prmr-2}',
      '{process: prmr-2, state: helthy}',
      'topology.units[0].replicas[1].state: Invalid option: expected one of "healthy"|"rebuilding"|"failed"|"unused"|"unknown"',
      0,
    ],
    ['no time', 'now: 2026-11-15T03:00:00Z', 'now: yesterday', 'now: must be a time such as 2026-11-15T03:20:00Z', 0],
    [
      'a day that there is not',
      'now: 2026-11-15T03:00:00Z',
      'now: 2026-02-30T03:00:00Z',
      'now: must be a time such as 2026-11-15T03:20:00Z',
      0,
    ],
    [
      'a time longer than any date',
      'engine: arangodb',
      'engine: arangodb\n  waitBetweenRemovals: 1e300',
      'spec.waitBetweenRemovals: must be at most 100000000000 seconds',
      1,
    ],
    [
      'a replica on an unknown process',
      '{process: prmr-2}',
      '{process: prmr-9}',
      'topology.units[0].replicas[1].process: s10042 has a copy on prmr-9, which is no process',
      0,
    ],
    [
      'two processes with one id',
      '{id: prmr-3, role',
      '{id: prmr-1, role',
      'topology.processes[2]: a second process prmr-1',
      0,
    ],
    [
      'two process groups with one id',
      '  - id: prmr-3',
      '  - id: prmr-1',
      'processGroups[2]: a second process group prmr-1',
      0,
    ],
    [
      'a time in the future',
      'observedAt: 2026-11-15T02:59:58Z',
      'observedAt: 2026-11-15T04:00:00Z',
      'topology.observedAt: lies in the future of now',
      0,
    ],
  ])('%s', async (_, from, to, says, below) => {
    const faults = await faultsAfter(from, to);
    expect(faults?.[0]).toBe(`FILE:${lineOf(from) + below}: ${says}`);
  });

  test('everything that is wrong is told at once, in the branch that was meant', async () => {
    const wrong = good.replaceAll('leader: true', 'leader: maybe').replace('name: shard s10042', 'name: 7');
    const fields = (await faultsIn(wrong))?.map((fault) => fault.split(': ')[1]);
    expect(fields).toEqual([
      'topology.units[0].name',
      'topology.units[0].replicas[0].leader',
      'topology.units[1].replicas[0].leader',
    ]);
  });

  test('a field that is missing is told at the part that lacks it', async () => {
    expect(await faultsAfter('    role: dbserver\n    zone: n1\n', '    zone: n1\n')).toEqual([
      `FILE:${lineOf('- id: prmr-1')}: processGroups[0].role: Invalid input: expected string, received undefined`,
    ]);
  });
});

describe('what is no document at all is refused with the line', () => {
  test.each([
    ['nothing', '', 'FILE:1: Invalid input: expected object, received null'],
    ['a list', '- 1\n', 'FILE:1: Invalid input: expected object, received array'],
    [
      'no YAML',
      'a: 1\nb: [1, 2\nc: }\n',
      'FILE:3: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    [
      'one field twice',
      `${good}now: 2026-11-15T03:00:00Z\n`,
      `FILE:${good.split('\n').length}: Map keys must be unique`,
    ],
    [
      'two documents',
      `${good}---\na: 1\n`,
      `FILE:${good.split('\n').length}: a second document begins here, and there may be only one`,
    ],
    [
      'an alias of nothing',
      good.replace('*shape', '*shap'),
      'FILE: Unresolved alias (the anchor must be set before the alias): shap',
    ],
    [
      'aliases without end',
      `a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\nb: &b [${'*a, '.repeat(20)}]\nc: [${'*b, '.repeat(20)}]\n`,
      'FILE: Excessive alias count indicates a resource exhaustion attack',
    ],
  ])('%s', async (_, source, fault) => {
    expect(await faultsIn(source)).toEqual([fault]);
  });

  test('a file that is not there', async () => {
    expect(await decideAbout(join(folder, 'nope.yaml'))).toEqual({
      faults: [`${join(folder, 'nope.yaml')}: cannot be read: there is no such file`],
    });
  });

  test('a directory', async () => {
    expect(await decideAbout(folder)).toEqual({ faults: [`${folder}: cannot be read: it is a directory`] });
  });
});
