import { describe, expect, test } from 'vitest';
import { at, givenProcess, givenRole, givenShape, givenTopology } from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { grow } from './grow.ts';
import type { Cluster } from './testing/cluster.ts';
import { ids, markedFor, saysOf, snapshotOf, stuck } from './testing/cluster.ts';

const growing = (cluster: Cluster) => saysOf(grow, cluster);
const storage = (count: number, given: Parameters<typeof givenShape>[0] = {}) => [
  givenRole('storage', { count, shape: givenShape(given) }),
];
const added = (...numbers: readonly number[]) => numbers.map((one) => `add storage-${one} storage #${one} Grow`);
const marked = { removal: markedFor() };
const drained = { removal: markedFor(), drainedAt: at(-5) };
const quota = { message: 'exceeded quota: compute-resources', missing: { cpu: 1 } };

describe('process groups are added until there are as many as the spec asks for', () => {
  test.each<[string, Cluster, readonly string[]]>([
    ['as many as wanted', { groups: { 'storage-1': {} }, roles: storage(1) }, []],
    ['more than wanted', { groups: { 'storage-1': {} }, roles: storage(0) }, []],
    ['none yet', { roles: storage(3) }, added(100, 101, 102)],
    ['one missing', { groups: { 'storage-1': {}, 'storage-2': {} }, roles: storage(3) }, added(100)],
    [
      'a marked one does not count: its successor is added',
      { groups: { 'storage-1': marked, 'storage-2': {} }, roles: storage(2) },
      added(100),
    ],
    [
      'its successor is there',
      { groups: { 'storage-1': marked, 'storage-2': {}, 'storage-3': {} }, roles: storage(2) },
      [],
    ],
    [
      'two marked, one successor is there',
      { groups: { 'storage-1': marked, 'storage-2': marked, 'storage-3': {} }, roles: storage(2) },
      added(100),
    ],
    ['a lower count needs no successor', { groups: { 'storage-1': marked, 'storage-2': {} }, roles: storage(1) }, []],
    [
      'a drained one does not count either',
      { groups: { 'storage-1': drained, 'storage-2': {} }, roles: storage(2) },
      added(100),
    ],
    ['a prefix', { roles: storage(1, { idPrefix: 'blue' }) }, ['add blue-storage-100 storage #100 Grow']],
    [
      'a role with _',
      { roles: [givenRole('commit_proxy', { count: 1 })] },
      ['add commit-proxy-100 commit_proxy #100 Grow'],
    ],
    ['a role without a shape', { roles: [givenRole('storage', { count: 1, shape: null })] }, added(100)],
    [
      'each role by itself, in order, and every id its own number',
      { roles: [...storage(1), givenRole('log', { count: 2 })] },
      ['add log-100 log #100 Grow', 'add log-101 log #101 Grow', ...added(102)],
    ],
    [
      'a role without a rule, and the others go on',
      { roles: [givenRole('mystery', { count: 1 }), ...storage(1)] },
      [...added(100), 'grow holds the cluster: NoSuchRole'],
    ],
    [
      'a role without a rule that is complete',
      { groups: { 'mystery-1': {} }, roles: [givenRole('mystery', { count: 1 })] },
      [],
    ],
    ['pods that someone else owns', { roles: storage(3), spec: { ownsPods: false } }, []],
    [
      'the engine does not answer: a cluster must be able to come up',
      { roles: storage(1), snapshot: { topology: { unreachable: 'x', since: at(-5) } } },
      added(100),
    ],
  ])('%s', (_, cluster, expected) => {
    expect(growing(cluster)).toEqual(expected);
  });

  test('the reason says how many there are', () => {
    const { records } = grow(
      surveyOf(snapshotOf({ groups: { 'storage-1': {}, 'storage-2': marked }, roles: storage(3) })),
    );
    expect(records.map((record) => ('reason' in record ? record.reason.evidence : record))).toEqual([
      { group: 'storage-100', role: 'storage', have: 1, want: 3 },
      { group: 'storage-101', role: 'storage', have: 1, want: 3 },
    ]);
  });

  test('what was recorded is not added twice', () => {
    const before = snapshotOf({ roles: [...storage(2), givenRole('log', { count: 1 })] });
    const after = applyRecords(before, grow(surveyOf(before)).records);
    expect(after.nextGroupNumber).toBe(103);
    expect(grow(surveyOf(after)).records).toEqual([]);
  });
});

describe('no id is used twice', () => {
  test.each<[string, Cluster]>([
    ['a process group has it', { groups: { 'storage-100': marked }, roles: storage(1) }],
    [
      'the engine still speaks of it',
      { roles: storage(1), snapshot: { topology: givenTopology({ processes: [givenProcess('storage-100')] }) } },
    ],
    ['it is listed to be removed', { roles: storage(1), spec: { processGroupsToRemove: ids('storage-100') } }],
    [
      'it is listed to be removed without exclusion',
      { roles: storage(1), spec: { processGroupsToRemoveWithoutExclusion: ids('storage-100') } },
    ],
    ['it is listed to stay', { roles: storage(1), spec: { cancelReplacements: ids('storage-100') } }],
  ])('%s: the next one is taken', (_, cluster) => {
    expect(growing(cluster)).toEqual(added(101));
  });
});

describe('where the successor takes over the identity there is nothing to add', () => {
  const agents = (count: number): Cluster => ({ roles: [givenRole('agent', { count })], spec: { engine: 'arangodb' } });
  const new100 = ['add agent-100 agent #100 Grow'];

  test.each<[string, Cluster, readonly string[]]>([
    ['marked: it comes back', { ...agents(2), groups: { 'agent-1': marked, 'agent-2': {} } }, []],
    [
      'removing: it comes back',
      { ...agents(2), groups: { 'agent-1': { ...marked, removingAt: at(-5) }, 'agent-2': {} } },
      [],
    ],
    ['really missing', { ...agents(3), groups: { 'agent-1': marked, 'agent-2': {} } }, new100],
    [
      'it left for a lower count, which was raised again',
      { ...agents(2), groups: { 'agent-1': { removal: markedFor('Shrink') }, 'agent-2': {} } },
      new100,
    ],
  ])('%s', (_, cluster, expected) => {
    expect(growing(cluster)).toEqual(expected);
  });
});

describe('while the engine says nothing no replacement is begun, but a real shortage is filled', () => {
  const silent = { topology: { unreachable: 'connection refused', since: at(-5) } };
  const noSuccessor = 'grow holds storage-1: EngineUnreachable';

  test.each<[string, Cluster, readonly string[]]>([
    ['marked on request', { groups: { 'storage-1': marked, 'storage-2': {} }, roles: storage(2) }, [noSuccessor]],
    [
      'marked for its taint, and one is missing',
      { groups: { 'storage-1': { removal: markedFor('Tainted') } }, roles: storage(2) },
      [...added(100), noSuccessor],
    ],
    [
      'marked for a change of the spec, which may be what the engine needs',
      { groups: { 'storage-1': { removal: markedFor('Misconfigured') }, 'storage-2': {} }, roles: storage(2) },
      added(100),
    ],
    ['its successor is there', { groups: { 'storage-1': marked, 'storage-2': {} }, roles: storage(1) }, []],
  ])('%s', (_, cluster, expected) => {
    expect(growing({ ...cluster, snapshot: silent })).toEqual(expected);
  });
});

describe('while there is no room successors do not stack up, but a real shortage is filled', () => {
  const noRoom = (id: string) => `grow holds ${id}: NoRoom`;
  const full = { share: { reserved: 'all', quota } } as const;

  test.each<[string, Cluster, readonly string[]]>([
    [
      'a new one finds no node: no second one',
      { groups: { 'storage-1': marked, 'storage-2': marked, 'storage-3': stuck('storage-3') }, roles: storage(2) },
      [noRoom('storage-2')],
    ],
    [
      'the quota is full: no successor',
      { groups: { 'storage-1': marked, 'storage-2': {} }, roles: storage(2), snapshot: full },
      [noRoom('storage-1')],
    ],
    [
      'the quota is full, and one is really missing',
      { groups: { 'storage-1': {} }, roles: storage(2), snapshot: full },
      added(100),
    ],
    [
      'the quota is full, one is really missing, another leaves',
      { groups: { 'storage-1': marked, 'storage-2': {} }, roles: storage(3), snapshot: full },
      [...added(100), noRoom('storage-1')],
    ],
    [
      'the quota is full, and a drained one is gone for good',
      { groups: { 'storage-1': drained, 'storage-2': {} }, roles: storage(2), snapshot: full },
      added(100),
    ],
    [
      'the quota is full, and nothing is missing',
      { groups: { 'storage-1': {} }, roles: storage(1), snapshot: full },
      [],
    ],
    [
      'room is reserved for one of two',
      {
        groups: { 'storage-1': marked, 'storage-2': marked },
        roles: storage(2),
        snapshot: { share: { reserved: ids('storage-1'), quota } },
      },
      [...added(100), noRoom('storage-2')],
    ],
    [
      'the one that was marked first has its successor: the other waits for room',
      {
        groups: {
          'storage-1': { removal: markedFor('Failed', -10) },
          'storage-2': { removal: markedFor('Failed', -20) },
          'storage-3': {},
        },
        roles: storage(2),
        snapshot: { share: { reserved: ids('storage-2'), quota: null } },
      },
      [noRoom('storage-1')],
    ],
    [
      'the first by id, where both were marked at once',
      {
        groups: {
          'storage-2': { removal: markedFor('Failed', -10) },
          'storage-1': { removal: markedFor('Failed', -10) },
          'storage-3': {},
        },
        roles: storage(2),
        snapshot: { share: { reserved: ids('storage-1'), quota: null } },
      },
      [noRoom('storage-2')],
    ],
    [
      'one role that finds no room does not hold up another',
      { groups: { 'log-1': marked, 'log-2': stuck('log-2') }, roles: [givenRole('log', { count: 2 }), ...storage(1)] },
      [...added(100), noRoom('log-1')],
    ],
  ])('%s', (_, cluster, expected) => {
    expect(growing(cluster)).toEqual(expected);
  });

  test("with the scheduler's own words, or the quota's", () => {
    const groups = { 'storage-1': marked, 'storage-2': marked, 'storage-3': stuck('storage-3') };
    const says = (snapshot: Cluster['snapshot'] = {}) =>
      grow(surveyOf(snapshotOf({ groups, roles: storage(2), snapshot }))).holds.map(
        ({ reason }) => reason.evidence['why'],
      );
    expect(says()).toEqual(['0/6 nodes are available']);
    expect(says(full)).toEqual([quota.message]);
  });
});

describe('where quotas cannot be read', () => {
  const unread = { share: { reserved: 'all', quota: null, unread: 'not allowed' } } as const;

  test.each<[string, Cluster['groups'], readonly string[]]>([
    ['nothing is said while nothing is replaced', { 'storage-1': {} }, []],
    [
      'a successor is added, and it is said',
      { 'storage-1': marked },
      [...added(100), 'grow holds the cluster: QuotasUnreadable'],
    ],
    ['it is not said of one that is drained', { 'storage-1': drained, 'storage-2': {} }, []],
  ])('%s', (_, groups = {}, expected) => {
    expect(growing({ groups, roles: storage(1), snapshot: unread })).toEqual(expected);
  });
});

describe('the status has room for 1,000 process groups', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`log-${index + 1}`, {}]));

  test.each([
    [997, 3, added(2000, 2001, 2002)],
    [998, 3, [...added(2000, 2001), 'grow holds the cluster: NoRoom']],
    [1000, 3, ['grow holds the cluster: NoRoom']],
    [1001, 3, ['grow holds the cluster: NoRoom']],
  ])('%i rows, %i missing', (rows, missing, expected) => {
    const roles = [givenRole('log', { count: rows }), ...storage(missing)];
    expect(growing({ groups: many(rows), roles, snapshot: { nextGroupNumber: 2000 } })).toEqual(expected);
  });

  test('and says so', () => {
    const { holds } = grow(
      surveyOf(snapshotOf({ groups: many(1000), roles: [givenRole('log', { count: 1000 }), ...storage(1)] })),
    );
    expect(holds[0]?.reason.evidence).toEqual({
      group: 'storage',
      why: 'the status lists 1000 process groups at most',
    });
  });
});
