import { describe, expect, test } from 'vitest';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import { at } from '../../model/testing/given.ts';
import { timestampOf } from './moments.ts';
import { fullRoom, waitingFor } from './waiting-for.ts';

const group = 'storage-1';
const draining = (percent: number | null, secondsLeft: number | null = null) =>
  reasons.draining({ group, percent, secondsLeft });
const recovered = (seconds: number) =>
  reasons.recentRecovery({ subject: `${group} waits`, recoveredAt: at(seconds), due: at(seconds + 120) });

const first = (...waits: Reason[]) => waitingFor(waits, [], at(0), fullRoom);
const again = (before: Reason, now: Reason) => waitingFor([now], first(before), at(60), fullRoom);

test('a wait has its code, its sentence, since when, and until when where time lifts it', () => {
  expect(first(recovered(0))).toEqual([
    {
      code: 'RecentRecovery',
      message:
        'storage-1 waits: the engine recovered at 2026-11-15T00:00:00Z; it is left alone until 2026-11-15T00:02:00Z',
      since: timestampOf(at(0)),
      until: timestampOf(at(120)),
    },
  ]);
  expect(first(draining(null))[0]?.until).toBeNull();
});

test('two are said, the first two, and a sentence ends at 256 characters, never within one', () => {
  const long = { ...draining(1), message: `${'x'.repeat(254)}😀😀` };
  const said = first(recovered(0), long, reasons.cancelled({ group }));
  expect(said.map(({ code }) => code)).toEqual(['RecentRecovery', 'Draining']);
  expect(said[1]?.message).toBe(`${'x'.repeat(254)}…`);
  expect(first({ ...long, message: 'x'.repeat(256) })[0]?.message).toBe('x'.repeat(256));
});

test('since when is since the code is what it is, whatever the sentence says, and in whatever place', () => {
  const before = first(draining(10), recovered(0));
  const now = waitingFor([recovered(600), draining(90), reasons.cancelled({ group })], before, at(60), fullRoom);
  expect(now.map(({ code, since }) => [code, since])).toEqual([
    ['RecentRecovery', timestampOf(at(0))],
    ['Draining', timestampOf(at(0))],
  ]);
  expect(again(draining(10), reasons.cancelled({ group }))[0]?.since).toBe(timestampOf(at(60)));
});

describe('a sentence is written anew when it says something new', () => {
  const says = (before: Reason, now: Reason) => (again(before, now)[0]?.message === now.message ? 'new' : 'as before');

  test.each`
    before                          | now                                  | expected
    ${draining(60)}                 | ${draining(64)}                      | ${'as before'}
    ${draining(60)}                 | ${draining(65)}                      | ${'new'}
    ${draining(60)}                 | ${draining(59)}                      | ${'new'}
    ${draining(60, 240)}            | ${draining(61, 3600)}                | ${'as before'}
    ${draining(60)}                 | ${draining(61, 3600)}                | ${'as before'}
    ${draining(null)}               | ${draining(1)}                       | ${'new'}
    ${recovered(0)}                 | ${recovered(5)}                      | ${'as before'}
    ${recovered(0)}                 | ${recovered(-5)}                     | ${'as before'}
    ${recovered(0)}                 | ${recovered(6)}                      | ${'new'}
    ${reasons.cancelled({ group })} | ${reasons.cancelled({ group: 'b' })} | ${'new'}
  `('$before.message, then $now.message: $expected', ({ before, now, expected }) => {
    expect(says(before, now)).toBe(expected);
  });

  test('the moment of its end counts too, where the sentence does not name it', () => {
    const until = (seconds: number) => ({ ...draining(1), until: at(seconds) });
    expect(again(until(0), until(5))[0]?.until).toBe(timestampOf(at(0)));
    expect(again(until(0), until(6))[0]?.until).toBe(timestampOf(at(6)));
    expect(again(until(0), draining(1))[0]?.until).toBeNull();
  });

  test('a sentence that is too long for the room is cut, also where it was there before', () => {
    const [before] = first(draining(60));
    expect(
      waitingFor([draining(60)], before === undefined ? [] : [before], at(9), { reasons: 1, characters: 9 }),
    ).toEqual([{ ...before, message: 'storage-…' }]);
  });
});
