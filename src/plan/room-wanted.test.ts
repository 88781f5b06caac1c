import { expect, test } from 'vitest';
import type { StatusRecord } from '../model/decision.ts';
import { name } from '../model/ids.ts';
import { reasons } from '../model/reasons.ts';
import { at, givenRole, givenShape } from '../model/testing/given.ts';
import { roomWanted } from './room-wanted.ts';
import type { Cluster } from './testing/cluster.ts';
import { markedFor, snapshotOf, stuck } from './testing/cluster.ts';

const reason = reasons.requested({ group: 'storage-2' });
const mark: StatusRecord = {
  record: 'marked',
  group: name('storage-2'),
  cause: 'Requested',
  withoutExclusion: false,
  reason,
};
const grow: StatusRecord = {
  record: 'group-added',
  group: name('storage-9'),
  role: name('storage'),
  number: 9,
  reason,
};

const wanted = (cluster: Cluster, records: readonly StatusRecord[] = []): readonly string[] => {
  const roles = [givenRole('storage', { count: 2, shape: givenShape() })];
  return roomWanted(snapshotOf({ roles, ...cluster }), records).map(({ id }) => id);
};
const marked = { removal: markedFor() };

test.each<[string, Cluster, readonly string[]]>([
  ['nothing leaves', { groups: { 'storage-1': {}, 'storage-2': {} } }, []],
  ['one leaves', { groups: { 'storage-1': marked, 'storage-2': {} } }, ['storage-1']],
  ['its successor is there', { groups: { 'storage-1': marked, 'storage-2': {}, 'storage-3': {} } }, []],
  ['one is really missing: that is no replacement', { groups: { 'storage-1': {} } }, []],
  ['a drained one', { groups: { 'storage-1': { ...marked, drainedAt: at(-5) }, 'storage-2': {} } }, []],
  [
    'the scheduler has no place for another one: it would hold room in vain',
    { groups: { 'storage-1': marked, 'storage-2': marked, 'storage-3': stuck('storage-3') } },
    [],
  ],
])('room is wanted for the successors that would be added now: %s', (_, cluster, expected) => {
  expect(wanted(cluster)).toEqual(expected);
});

test('one that is about to be marked wants room already, though its successor would be added in the same breath', () => {
  expect(wanted({ groups: { 'storage-1': {}, 'storage-2': {} } }, [mark, grow])).toEqual(['storage-2']);
});
