import { expect, test } from 'vitest';
import type { Known } from '../model/known.ts';
import { unknown } from '../model/known.ts';
import { at, givenProcess, givenQuorum, givenReplica, givenTopology, givenUnit } from '../model/testing/given.ts';
import { replaceFailed } from './replace-failed.ts';
import { held, markedFor, saysOf } from './testing/cluster.ts';

interface Given {
  readonly excluded?: Known<boolean>;
  /** How the copy of the one that leaves stands; absent: it has none. */
  readonly copy?: Parameters<typeof givenReplica>[1];
  readonly listsCopies?: boolean;
  /** Whether the failed one answers in the quorum. */
  readonly responds?: Known<boolean>;
  readonly members?: readonly string[];
  readonly lists?: readonly string[];
}

const everyone = ['storage-1', 'storage-2', 'storage-3'];

/** storage-1 leaves, storage-2 has failed for long enough, and at most one may be in flight. */
function replacing(given: Given): readonly string[] {
  const { excluded = true, copy, listsCopies = true, responds = false, members = everyone, lists = everyone } = given;
  const leaving = copy === undefined ? [] : [givenReplica('storage-1', copy)];
  const quorum = givenQuorum('log', members);
  return saysOf(replaceFailed, {
    groups: {
      'storage-1': { removal: markedFor('Misconfigured'), evacuationAt: at(-90) },
      'storage-2': { conditions: [held('PodPending', -7200)] },
      'storage-3': {},
    },
    snapshot: {
      topology: givenTopology({
        processes: lists.map((id) => givenProcess(id, id === 'storage-1' ? { excluded } : {})),
        units: listsCopies ? [givenUnit('u', [...leaving, givenReplica('storage-3')])] : [],
        quorums: [
          {
            ...quorum,
            members: quorum.members.map((one) => (one.process === 'storage-2' ? { ...one, responds } : one)),
          },
        ],
      }),
    },
  });
}

const isReplaced = ['mark storage-2 Failed Failed'];
const waits = ['replace-failed holds storage-2: ReplacementCap'];

test.each<[string, Given, readonly string[]]>([
  ['has no copy left, and its seat waits for the failed one', {}, isReplaced],
  ['has a copy that is deleted soon', { copy: { doomed: true } }, isReplaced],
  ['has a copy that is not used', { copy: { state: 'unused' } }, isReplaced],
  ['still has a copy', { copy: {} }, waits],
  ['is not excluded', { excluded: false }, waits],
  ['is perhaps not excluded', { excluded: unknown }, waits],
  ['is in an engine that lists no copies: nobody knows', { listsCopies: false }, waits],
  ['is in a quorum whose members all answer', { responds: true }, waits],
  ['is in a quorum of which one may not answer', { responds: unknown }, waits],
  ['has no seat', { members: ['storage-2', 'storage-3'] }, waits],
  ['shares no quorum with the failed one', { members: ['storage-1', 'storage-3'] }, waits],
  ['is not listed', { lists: ['storage-2', 'storage-3'] }, waits],
])('a failed process group, at the limit, where the one in flight %s', (_, given, expected) => {
  expect(replacing(given)).toEqual(expected);
});
