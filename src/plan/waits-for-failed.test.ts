import { describe, expect, test } from 'vitest';
import type { RoleSpec } from '../model/cluster-spec.ts';
import type { Known } from '../model/known.ts';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import {
  at,
  givenHealth,
  givenProcess,
  givenQuorum,
  givenReplica,
  givenRole,
  givenTopology,
  givenUnit,
} from '../model/testing/given.ts';
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

describe('one that serves and is not emptied yet', () => {
  const missing = (ago: number) => ({ conditions: [held('MissingProcesses', -ago), held('PodPending', -7200)] });
  const two = givenRole('storage', { count: 2 });
  const health = givenHealth({ zonesThatMayFail: 0 });
  interface Others {
    readonly first?: Partial<ProcessGroup>;
    readonly second?: Partial<ProcessGroup>;
    readonly third?: Partial<ProcessGroup>;
    readonly roles?: readonly RoleSpec[];
  }
  const replaced = ({ first, second = missing(7200), third = {}, roles = [two] }: Others) =>
    saysOf(replaceFailed, {
      groups: {
        'storage-1': { removal: markedFor('Misconfigured'), ...first },
        'storage-2': second,
        'storage-3': third,
      },
      roles,
      snapshot: { topology: givenTopology({ processes: everyone.map((id) => givenProcess(id)), health }) },
    });

  test.each<[string, Others, readonly string[]]>([
    ['waits for a failed one, as long as too few others serve', {}, isReplaced],
    ['does not: enough others serve', { roles: [givenRole('storage', { count: 1 })] }, waits],
    ['does not: it has begun to be emptied', { first: { evacuationAt: at(-60) } }, waits],
    ['does not: it does not serve itself', { first: missing(7200) }, waits],
    ['waits for one that may be back in a moment', { second: missing(299) }, waits],
    ['does not: nobody of its role is missing', { second: { conditions: [held('PodPending', -7200)] } }, waits],
    [
      'does not wait for one on a tainted node, which serves, though another one is missing',
      {
        second: { conditions: [held('NodeTaintReplacing', -7200)] },
        third: missing(7200),
      },
      ['mark storage-3 Failed Failed', ...waits],
    ],
  ])('%s', (_, others, expected) => {
    expect(replaced(others)).toEqual(expected);
  });
});
