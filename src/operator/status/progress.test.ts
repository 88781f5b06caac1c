import { describe, expect, test } from 'vitest';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import { at, givenTopology } from '../../model/testing/given.ts';
import { timestampOf } from './moments.ts';
import type { Progress } from './progress.ts';
import { progressOf, progressRow } from './progress.ts';

const group = 'storage-1';
const copies = (count: number, percent: number | null, secondsLeft: number | null): Reason =>
  reasons.holdsReplicas({ group, copies: count, unit: 'shard s1', percent, bytes: null, secondsLeft });
const last = (more: number): Reason =>
  reasons.lastReplica({ group, unit: 'shard s1', others: [], more, percent: 9, bytes: null, secondsLeft: 120 });
const emptied = (percent: number | null, secondsLeft: number | null): Reason =>
  reasons.draining({ group, percent, secondsLeft });
const plain = reasons.neverEvicted({ group, role: 'storage' });

describe('how far the work is that lets a pod go', () => {
  test.each<[string, Reason[], Reason[], Progress | undefined]>([
    ['nothing is known', [plain], [emptied(null, null)], undefined],
    ['a job', [plain], [emptied(40, 60)], { percent: 40, secondsLeft: 60, moreFollows: false }],
    ['no word on the end', [], [emptied(40, null)], { percent: 40, secondsLeft: null, moreFollows: false }],
    ['one copy', [copies(1, 9, 120)], [], { percent: 9, secondsLeft: 120, moreFollows: false }],
    ['the next of two', [copies(2, 9, 120)], [], { percent: 9, secondsLeft: 120, moreFollows: true }],
    ['the only copy of one unit', [last(0)], [], { percent: 9, secondsLeft: 120, moreFollows: false }],
    ['of several units', [last(3)], [], { percent: 9, secondsLeft: 120, moreFollows: true }],
    [
      'the rules come first',
      [copies(1, 9, 120)],
      [emptied(40, 60)],
      { percent: 9, secondsLeft: 120, moreFollows: false },
    ],
    [
      'the plan knows more',
      [copies(1, null, null)],
      [copies(1, 40, 60)],
      { percent: 40, secondsLeft: 60, moreFollows: false },
    ],
  ])('%s', (_, [first, ...rest], waits, expected) => {
    const eviction = first === undefined ? undefined : ({ kind: 'wait', reasons: [first, ...rest] } as const);
    expect(progressOf(eviction, waits)).toEqual(expected);
  });
});

describe('the row of it', () => {
  const row = (
    percent: number,
    left: number | null,
    given: { now?: number; before?: ReturnType<typeof first> | undefined } = {},
  ) => {
    const { now = 0, before } = given;
    const seen = { topology: givenTopology({ observedAt: at(now) }), now: at(now + 1) };
    return progressRow({ percent, secondsLeft: left, moreFollows: false }, before, seen).progress;
  };
  const first = (left: number | null = 1200) => ({
    percent: 40,
    saidAt: timestampOf(at(0)),
    estimatedEnd: left === null ? null : timestampOf(at(left)),
    moreFollows: false,
  });

  test('is in steps of five, with the end counted from when the engine said it', () => {
    expect(row(42.7, 1200)).toEqual(first());
    expect(row(42.7, null)).toEqual(first(null));
    expect(row(120, 0)).toMatchObject({ percent: 100 });
    expect(progressRow(undefined, first(), { topology: givenTopology(), now: at(0) })).toEqual({});
  });

  test.each`
    what                                       | percent | left    | before         | kept
    ${'the same again, an hour later'}         | ${42}   | ${1200} | ${first()}     | ${true}
    ${'a little further'}                      | ${44}   | ${1000} | ${first()}     | ${true}
    ${'a step further'}                        | ${45}   | ${1200} | ${first()}     | ${false}
    ${'a quarter longer'}                      | ${42}   | ${1500} | ${first()}     | ${true}
    ${'more than a quarter longer'}            | ${42}   | ${1501} | ${first()}     | ${false}
    ${'a minute longer, where little is left'} | ${42}   | ${70}   | ${first(10)}   | ${true}
    ${'more than a minute'}                    | ${42}   | ${71}   | ${first(10)}   | ${false}
    ${'the end is not known any more'}         | ${42}   | ${null} | ${first()}     | ${false}
    ${'the end is known now'}                  | ${42}   | ${1200} | ${first(null)} | ${false}
  `('is written again only where it says something new: $what', ({ percent, left, before, kept }) => {
    expect(row(percent, left, { now: 3600, before }) === before).toBe(kept);
  });

  test('of an end beyond all calendars stays what it is, too', () => {
    const before = row(1, 1e15);
    expect(row(1, 2e15, { now: 60, before })).toBe(before);
  });

  test('says when no other copy follows any more', () => {
    const before = { ...first(), moreFollows: true };
    expect(row(42, 1200, { before })).toEqual(first());
  });
});
