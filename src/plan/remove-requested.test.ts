import { describe, expect, test } from 'vitest';
import { at, givenRole } from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { removeRequested } from './remove-requested.ts';
import type { Cluster } from './testing/cluster.ts';
import { ids, markedFor, saysOf, snapshotOf } from './testing/cluster.ts';

const removing = (cluster: Cluster) => saysOf(removeRequested, cluster);
const two = { 'storage-1': {}, 'storage-2': {} };
const mark = (id: string) => `mark ${id} Requested Requested`;
const markUndrained = (id: string) => `mark ${id} Requested RequestedWithoutExclusion without exclusion`;

describe('process groups that people listed are marked', () => {
  test.each<[string, Cluster, readonly string[]]>([
    ['nothing listed', { groups: two }, []],
    ['one listed', { groups: two, spec: { processGroupsToRemove: ids('storage-2') } }, [mark('storage-2')]],
    [
      'listed in any order, and twice',
      { groups: two, spec: { processGroupsToRemove: ids('storage-2', 'storage-1', 'storage-2') } },
      [mark('storage-1'), mark('storage-2')],
    ],
    [
      'no cap holds them back',
      {
        groups: { ...two, 'storage-3': { removal: markedFor('Failed') } },
        spec: { processGroupsToRemove: ids('storage-1', 'storage-2'), maxConcurrentReplacements: 0 },
      },
      [mark('storage-1'), mark('storage-2')],
    ],
    [
      'one that is marked already',
      { groups: { 'storage-1': { removal: markedFor('Failed') } }, spec: { processGroupsToRemove: ids('storage-1') } },
      [],
    ],
    [
      'the engine does not answer: it is only marked',
      {
        groups: two,
        spec: { processGroupsToRemove: ids('storage-1') },
        snapshot: { topology: { unreachable: 'x', since: at(-5) } },
      },
      [mark('storage-1')],
    ],
    [
      'the cancel list holds it: the conflict is reported there',
      {
        groups: two,
        spec: {
          processGroupsToRemove: ids('storage-1'),
          processGroupsToRemoveWithoutExclusion: ids('storage-2'),
          cancelReplacements: ids('storage-1', 'storage-2'),
        },
      },
      [],
    ],
    [
      'an id that does not exist is ignored, and said to be',
      { groups: two, spec: { processGroupsToRemove: ids('storage-9', 'storage-1') } },
      [mark('storage-1'), 'remove-requested holds the cluster: UnknownProcessGroup'],
    ],
    [
      'a single server is never replaced',
      { groups: { 'single-1': {} }, spec: { engine: 'arangodb', processGroupsToRemove: ids('single-1') } },
      ['remove-requested holds single-1: NeverReplaced'],
    ],
    [
      'there is no rule for the role',
      { groups: { 'mystery-1': {} }, spec: { processGroupsToRemove: ids('mystery-1') } },
      ['remove-requested holds mystery-1: NoSuchRole'],
    ],
    [
      'no room for the successor',
      {
        groups: two,
        spec: { processGroupsToRemove: ids('storage-1') },
        snapshot: { share: { reserved: [], quota: null } },
      },
      ['remove-requested holds storage-1: NoRoom'],
    ],
    [
      'a lower count needs no successor, for as many as it is lower',
      {
        groups: two,
        roles: [givenRole('storage', { count: 1 })],
        spec: { processGroupsToRemove: ids('storage-1', 'storage-2') },
        snapshot: { share: { reserved: [], quota: null } },
      },
      [mark('storage-1'), 'remove-requested holds storage-2: NoRoom'],
    ],
    [
      'pods that someone else owns',
      {
        groups: two,
        spec: {
          ownsPods: false,
          processGroupsToRemove: ids('storage-1'),
          processGroupsToRemoveWithoutExclusion: ids('storage-2'),
        },
      },
      [],
    ],
  ])('%s', (_, cluster, expected) => {
    expect(removing(cluster)).toEqual(expected);
  });
});

describe('without exclusion', () => {
  const undrained = (...list: readonly string[]) => ({ processGroupsToRemoveWithoutExclusion: ids(...list) });

  test.each<[string, Cluster, readonly string[]]>([
    [
      'listed',
      { groups: two, spec: undrained('storage-2', 'storage-1') },
      [markUndrained('storage-1'), markUndrained('storage-2')],
    ],
    [
      'listed in both lists: without',
      { groups: two, spec: { ...undrained('storage-1'), processGroupsToRemove: ids('storage-1') } },
      [markUndrained('storage-1')],
    ],
    [
      'leaving the safe way already',
      { groups: { 'storage-1': { removal: markedFor('Failed') } }, spec: undrained('storage-1') },
      [markUndrained('storage-1')],
    ],
    [
      'marked so already',
      { groups: { 'storage-1': { removal: markedFor('Requested', -5, true) } }, spec: undrained('storage-1') },
      [],
    ],
    [
      'its objects are going already',
      { groups: { 'storage-1': { removal: markedFor(), removingAt: at(-5) } }, spec: undrained('storage-1') },
      [],
    ],
    [
      'a person may even take a single server away',
      { groups: { 'single-1': {} }, spec: { engine: 'arangodb', ...undrained('single-1') } },
      [markUndrained('single-1')],
    ],
    [
      'room is not asked for',
      { groups: two, spec: undrained('storage-1'), snapshot: { share: { reserved: [], quota: null } } },
      [markUndrained('storage-1')],
    ],
    [
      'an id that does not exist',
      { groups: two, spec: undrained('storage-9') },
      ['remove-requested holds the cluster: UnknownProcessGroup'],
    ],
    [
      'it meets a lower count, so that the other needs a successor',
      {
        groups: { ...two, 'storage-3': {} },
        roles: [givenRole('storage', { count: 2 })],
        spec: { ...undrained('storage-1'), processGroupsToRemove: ids('storage-2') },
        snapshot: { share: { reserved: [], quota: null } },
      },
      [markUndrained('storage-1'), 'remove-requested holds storage-2: NoRoom'],
    ],
    [
      'one that was marked before met the lower count before',
      {
        groups: { ...two, 'storage-3': { removal: markedFor() } },
        roles: [givenRole('storage', { count: 1 })],
        spec: { ...undrained('storage-3'), processGroupsToRemove: ids('storage-2') },
        snapshot: { share: { reserved: [], quota: null } },
      },
      [markUndrained('storage-3'), mark('storage-2')],
    ],
  ])('%s', (_, cluster, expected) => {
    expect(removing(cluster)).toEqual(expected);
  });

  test('the mark keeps its time when it is made stricter', () => {
    const snapshot = snapshotOf({
      groups: { 'storage-1': { removal: markedFor('Failed', -500) } },
      spec: undrained('storage-1'),
    });
    const after = applyRecords(snapshot, removeRequested(surveyOf(snapshot)).records);
    expect(after.processGroups[0]?.removal).toEqual({ at: at(-500), cause: 'Requested', withoutExclusion: true });
    expect(removeRequested(surveyOf(after)).records).toEqual([]);
  });
});

test.each([
  ['processGroupsToRemove', 'processGroupsToRemove lists storage-9, which does not exist: ignored'],
  [
    'processGroupsToRemoveWithoutExclusion',
    'processGroupsToRemoveWithoutExclusion lists storage-9, which does not exist: ignored',
  ],
])('the message names the list: %s', (list, message) => {
  const { holds } = removeRequested(surveyOf(snapshotOf({ groups: two, spec: { [list]: ids('storage-9') } })));
  expect(holds[0]?.reason.message).toBe(message);
});
