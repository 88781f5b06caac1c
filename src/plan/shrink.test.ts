import { describe, expect, test } from 'vitest';
import { conditionTypes } from '../model/process-group.ts';
import { at, givenRole } from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { failures } from './replace-failed.ts';
import { shrink } from './shrink.ts';
import type { Cluster } from './testing/cluster.ts';
import { held, ids, markedFor, saysOf, snapshotOf } from './testing/cluster.ts';

const storage = (count: number) => [givenRole('storage', { count })];
const inZones = (...zones: readonly (string | null)[]): NonNullable<Cluster['groups']> =>
  Object.fromEntries(zones.map((zone, index) => [`storage-${index + 1}`, { zone }]));
const mark = (...list: readonly number[]) => list.map((one) => `mark storage-${one} Shrink Shrink`);

/** Which ones go, and why these. */
function chosen(cluster: Cluster): readonly unknown[] {
  return shrink(surveyOf(snapshotOf(cluster))).records.map((record) =>
    record.record === 'marked' ? [record.group, record.reason.evidence['because']] : record,
  );
}

describe('as many go as are too many; those that are marked meet the decrease first', () => {
  test.each<[string, Cluster, readonly string[]]>([
    ['as many as wanted', { groups: inZones('a', 'b', 'c'), roles: storage(3) }, []],
    ['fewer than wanted', { groups: inZones('a', 'b', 'c'), roles: storage(4) }, []],
    ['one too many', { groups: inZones('a', 'b', 'c'), roles: storage(2) }, mark(3)],
    ['two too many', { groups: inZones('a', 'b', 'c'), roles: storage(1) }, mark(3, 2)],
    ['none wanted', { groups: inZones('a', 'b', 'c'), roles: storage(0) }, mark(3, 2, 1)],
    ['the role is not in the spec any more', { groups: inZones('a', 'b'), roles: [] }, mark(2, 1)],
    [
      'one is marked already: that one goes',
      { groups: { ...inZones('a', 'b', 'c'), 'storage-2': { removal: markedFor() } }, roles: storage(2) },
      [],
    ],
    [
      'one is marked already and two are too many',
      { groups: { ...inZones('a', 'b', 'c'), 'storage-2': { removal: markedFor() } }, roles: storage(1) },
      mark(3),
    ],
    ['pods that someone else owns', { groups: inZones('a', 'b'), roles: storage(0), spec: { ownsPods: false } }, []],
    [
      'each role by itself, in order',
      {
        groups: { 'storage-1': {}, 'log-2': {}, 'log-3': {} },
        roles: [givenRole('storage', { count: 0 }), givenRole('log', { count: 1 })],
      },
      ['mark log-3 Shrink Shrink', 'mark storage-1 Shrink Shrink'],
    ],
    [
      'no cap holds it, and no engine is asked',
      {
        groups: inZones('a', 'b'),
        roles: storage(1),
        spec: { maxConcurrentReplacements: 0 },
        snapshot: { topology: { unreachable: 'x', since: at(-5) }, share: { reserved: [], quota: null } },
      },
      mark(2),
    ],
  ])('%s', (_, cluster, expected) => {
    expect(saysOf(shrink, cluster)).toEqual(expected);
  });
});

describe('which ones go, and why', () => {
  test.each<[string, Cluster, readonly (readonly [string, string])[]]>([
    [
      'the newest, where all zones have as many',
      { groups: inZones('a', 'b', 'c'), roles: storage(2) },
      [['storage-3', 'it is the newest']],
    ],
    [
      'the newest by number',
      { groups: { 'storage-9': { zone: 'a' }, 'storage-10': { zone: 'b' } }, roles: storage(1) },
      [['storage-10', 'it is the newest']],
    ],
    [
      'one of the zone that has the most',
      { groups: inZones('a', 'a', 'b'), roles: storage(2) },
      [['storage-2', 'a has the most']],
    ],
    [
      'each choice changes which zone has the most',
      { groups: inZones('a', 'a', 'a', 'b', 'b', 'c'), roles: storage(3) },
      [
        ['storage-3', 'a has the most'],
        ['storage-5', 'b has the most'],
        ['storage-2', 'a has the most'],
      ],
    ],
    [
      'balanced to the end',
      { groups: inZones('a', 'a', 'b', 'b'), roles: storage(1) },
      [
        ['storage-4', 'it is the newest'],
        ['storage-2', 'a has the most'],
        ['storage-3', 'it is the newest'],
      ],
    ],
    [
      'those of no known zone are a zone',
      { groups: inZones('a', null, null), roles: storage(2) },
      [['storage-3', 'no known zone has the most']],
    ],
    [
      'one that fails, before the zone with the most',
      {
        groups: { ...inZones('a', 'a', 'b'), 'storage-3': { zone: 'b', conditions: [held('PodFailing')] } },
        roles: storage(2),
      },
      [['storage-3', 'it has PodFailing']],
    ],
    [
      'one that fails, before a newer one',
      {
        groups: { ...inZones('a', 'b', 'c'), 'storage-1': { zone: 'a', conditions: [held('MissingPod')] } },
        roles: storage(2),
      },
      [['storage-1', 'it has MissingPod']],
    ],
    [
      'of two that fail, the one of the zone that has the most',
      {
        groups: {
          ...inZones('a', 'a', 'b'),
          'storage-1': { zone: 'a', conditions: [held('MissingPod')] },
          'storage-3': { zone: 'b', conditions: [held('MissingPod')] },
        },
        roles: storage(2),
      },
      [['storage-1', 'it has MissingPod']],
    ],
    [
      'a failing one of a small zone, before a well one of the largest',
      {
        groups: { ...inZones('a', 'a', 'a', 'a', 'b'), 'storage-5': { zone: 'b', conditions: [held('PodPending')] } },
        roles: storage(4),
      },
      [['storage-5', 'it has PodPending']],
    ],
    [
      'the first of its failures is named',
      { groups: { 'storage-1': { conditions: [held('PodPending'), held('MissingProcesses')] } }, roles: storage(0) },
      [['storage-1', 'it has MissingProcesses']],
    ],
    [
      'marked ones do not make a zone larger',
      { groups: { ...inZones('a', 'a', 'b'), 'storage-1': { zone: 'a', removal: markedFor() } }, roles: storage(1) },
      [['storage-3', 'it is the newest']],
    ],
  ])('%s', (_, cluster, expected) => {
    expect(chosen(cluster)).toEqual(expected);
  });

  test.each(conditionTypes)('%s makes it go first only if it would be replaced for it', (type) => {
    const groups = { ...inZones('a', 'b'), 'storage-1': { zone: 'a', conditions: [held(type)] } };
    const first = type === 'NodeTaintReplacing' || failures.includes(type);
    expect(chosen({ groups, roles: storage(1) })).toEqual([
      first ? ['storage-1', `it has ${type}`] : ['storage-2', 'it is the newest'],
    ]);
  });

  test('the reason says how many there were and are wanted', () => {
    const { records } = shrink(surveyOf(snapshotOf({ groups: inZones('a', 'b', 'c'), roles: storage(1) })));
    expect(records[1]).toMatchObject({
      withoutExclusion: false,
      reason: { evidence: { group: 'storage-2', role: 'storage', have: 3, want: 1, because: 'it is the newest' } },
    });
  });

  test('the order of the list does not matter', () => {
    const snapshot = snapshotOf({ groups: inZones('a', 'a', 'b', 'c'), roles: storage(1) });
    const reversed = { ...snapshot, processGroups: snapshot.processGroups.toReversed() };
    expect(shrink(surveyOf(reversed))).toEqual(shrink(surveyOf(snapshot)));
  });
});

describe('what the cancel list holds is never chosen', () => {
  test.each<[string, readonly string[], number, readonly string[]]>([
    ['another one goes', ['storage-3'], 2, mark(2)],
    ['the others go', ['storage-3'], 1, mark(2, 1)],
    ['nothing else is left: the conflict is reported by the cancel', ['storage-3', 'storage-2'], 1, mark(1)],
    ['nothing at all is left', ['storage-1', 'storage-2', 'storage-3'], 1, []],
  ])('%s', (_, listed, count, expected) => {
    const cluster = {
      groups: inZones('a', 'b', 'c'),
      roles: storage(count),
      spec: { cancelReplacements: ids(...listed) },
    };
    expect(saysOf(shrink, cluster)).toEqual(expected);
  });

  test('but it counts in its zone', () => {
    const cluster = {
      groups: inZones('a', 'a', 'b'),
      roles: storage(2),
      spec: { cancelReplacements: ids('storage-2') },
    };
    expect(chosen(cluster)).toEqual([['storage-1', 'a has the most']]);
  });
});
