import { describe, expect, test } from 'vitest';
import { at, givenPod, givenRole, givenShape } from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { replaceMisconfigured } from './replace-misconfigured.ts';
import type { Cluster } from './testing/cluster.ts';
import { ids, markedFor, saysOf, snapshotOf, stuck } from './testing/cluster.ts';

const old = (id: string) => ({
  pod: givenPod(id, { shape: givenShape({ nodeSelector: { disk: 'hdd' }, specHash: 'old' }) }),
});
const outdated = (id: string) => ({ pod: givenPod(id, { shape: givenShape({ specHash: 'old' }) }) });
const three = { 'storage-1': old('storage-1'), 'storage-2': old('storage-2'), 'storage-3': old('storage-3') };
const mark = (id: string) => `mark ${id} Misconfigured Misconfigured`;
const cap = (id: string) => `replace-misconfigured holds ${id}: MisconfiguredCap`;
const replacing = (cluster: Cluster) => saysOf(replaceMisconfigured, cluster);

describe('misconfigured process groups are marked by id, as many as the cap leaves free', () => {
  test.each<[string, Cluster, readonly string[]]>([
    ['nothing changed', { groups: { 'storage-1': {} } }, []],
    ['no cap: all at once', { groups: three }, [mark('storage-1'), mark('storage-2'), mark('storage-3')]],
    [
      'cap 2',
      { groups: three, spec: { maxConcurrentReplacements: 2 } },
      [mark('storage-1'), mark('storage-2'), cap('storage-3')],
    ],
    [
      'cap 1',
      { groups: three, spec: { maxConcurrentReplacements: 1 } },
      [mark('storage-1'), cap('storage-2'), cap('storage-3')],
    ],
    [
      'cap 0 blocks',
      { groups: three, spec: { maxConcurrentReplacements: 0 } },
      [cap('storage-1'), cap('storage-2'), cap('storage-3')],
    ],
    [
      'one is in flight for another cause',
      { groups: { ...three, 'log-4': { removal: markedFor('Failed') } }, spec: { maxConcurrentReplacements: 2 } },
      [mark('storage-1'), cap('storage-2'), cap('storage-3')],
    ],
    [
      'one is drained and stuck terminating: it does not count',
      {
        groups: { ...three, 'log-4': { removal: markedFor(), drainedAt: at(-5) } },
        spec: { maxConcurrentReplacements: 1 },
      },
      [mark('storage-1'), cap('storage-2'), cap('storage-3')],
    ],
    [
      'one is being removed: it does not count',
      {
        groups: { ...three, 'log-4': { removal: markedFor(), removingAt: at(-5) } },
        spec: { maxConcurrentReplacements: 1 },
      },
      [mark('storage-1'), cap('storage-2'), cap('storage-3')],
    ],
    [
      'one goes without exclusion: it does not count',
      {
        groups: { ...three, 'log-4': { removal: markedFor('Requested', -5, true) } },
        spec: { maxConcurrentReplacements: 1 },
      },
      [mark('storage-1'), cap('storage-2'), cap('storage-3')],
    ],
    ['one is marked already', { groups: { 'storage-1': { ...old('storage-1'), removal: markedFor() } } }, []],
    ['the strategy replaces', { groups: { 'log-1': outdated('log-1') } }, [mark('log-1')]],
    ['the strategy recreates', { groups: { 'storage-1': outdated('storage-1') } }, []],
    ['pods that someone else owns', { groups: three, spec: { ownsPods: false } }, []],
    [
      'the cancel list holds one: its conflict is reported there',
      { groups: { 'storage-1': old('storage-1') }, spec: { cancelReplacements: ids('storage-1') } },
      [],
    ],
    [
      'a single server is never replaced',
      { groups: { 'single-1': old('single-1') }, spec: { engine: 'arangodb' } },
      ['replace-misconfigured holds single-1: NeverReplaced'],
    ],
    [
      'there is no rule for the role',
      { groups: { 'mystery-1': old('mystery-1') } },
      ['replace-misconfigured holds mystery-1: NoSuchRole'],
    ],
    [
      'the engine does not answer: a spec that keeps it down can be mended',
      { groups: { 'storage-1': old('storage-1') }, snapshot: { topology: { unreachable: 'x', since: at(-5) } } },
      [mark('storage-1')],
    ],
  ])('%s', (_, cluster, expected) => {
    expect(replacing(cluster)).toEqual(expected);
  });

  test('the reason says what changed, the cap how many are in flight', () => {
    const { records, holds } = replaceMisconfigured(
      surveyOf(snapshotOf({ groups: three, spec: { maxConcurrentReplacements: 2 } })),
    );
    expect(records[0]).toMatchObject({ reason: { evidence: { group: 'storage-1', changes: ['the node selector'] } } });
    expect(holds[0]?.reason.evidence).toEqual({ group: 'storage-3', inFlight: 2, cap: 2 });
  });

  test('the order of the list does not matter', () => {
    const snapshot = snapshotOf({ groups: three, spec: { maxConcurrentReplacements: 1 } });
    const reversed = { ...snapshot, processGroups: snapshot.processGroups.toReversed() };
    expect(replaceMisconfigured(surveyOf(reversed))).toEqual(replaceMisconfigured(surveyOf(snapshot)));
  });
});

describe('a replacement whose successor finds no room is not started', () => {
  const none = { reserved: [], quota: null };
  const noRoom = (id: string) => `replace-misconfigured holds ${id}: NoRoom`;

  test.each<[string, Cluster, readonly string[]]>([
    [
      'no room for any',
      { groups: three, snapshot: { share: none } },
      [noRoom('storage-1'), noRoom('storage-2'), noRoom('storage-3')],
    ],
    [
      'room for one of them',
      { groups: three, snapshot: { share: { reserved: ids('storage-2'), quota: null } } },
      [mark('storage-2'), noRoom('storage-1'), noRoom('storage-3')],
    ],
    [
      'what waits for room takes up no place under the cap',
      {
        groups: three,
        spec: { maxConcurrentReplacements: 1 },
        snapshot: { share: { reserved: ids('storage-2'), quota: null } },
      },
      [mark('storage-2'), noRoom('storage-1'), cap('storage-3')],
    ],
    [
      'a lower count needs no successor, for as many as it is lower',
      { groups: three, roles: [givenRole('storage', { count: 2 })], snapshot: { share: none } },
      [mark('storage-1'), noRoom('storage-2'), noRoom('storage-3')],
    ],
    [
      'a new one finds no node',
      { groups: { 'storage-1': old('storage-1'), 'storage-9': stuck('storage-9') } },
      [noRoom('storage-1')],
    ],
    [
      'a new one of the old spec finds no node: that is what is mended',
      {
        groups: {
          'storage-1': old('storage-1'),
          'storage-9': stuck('storage-9', { shape: givenShape({ nodeSelector: { disk: 'typo' }, specHash: 'old' }) }),
        },
      },
      [mark('storage-1'), mark('storage-9')],
    ],
  ])('%s', (_, cluster, expected) => {
    expect(replacing(cluster)).toEqual(expected);
  });
});
