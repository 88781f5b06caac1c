import { describe, expect, test } from 'vitest';
import { name } from '../model/ids.ts';
import type { Taint } from '../model/node.ts';
import type { ProcessGroup, TaintClock } from '../model/process-group.ts';
import { at, givenGroup } from '../model/testing/given.ts';
import { clocksOf, sameClocks } from './taint-clocks.ts';
import { held } from './testing/cluster.ts';
import { time } from './testing/says.ts';

const taint = (key: string, added: number | null = null, effect: Taint['effect'] = 'NoSchedule'): Taint => ({
  key,
  effect,
  timeAdded: added === null ? null : at(added),
});
const clock = (key: string, since: number, node = 'n1'): TaintClock => ({ key, since: at(since), node: name(node) });
const group = (...taints: readonly TaintClock[]): ProcessGroup =>
  givenGroup('storage-1', { taints, conditions: [held('NodeTaintDetected')] });
const unseen = givenGroup('storage-1');
const seen = group(clock('x/y', -500));

describe('the clock of a taint is never older than the taint', () => {
  test.each<[string, ProcessGroup, readonly Taint[], readonly string[]]>([
    ['no taint', unseen, [], []],
    ['timeAdded', unseen, [taint('x/y', -7)], ['x/y -7']],
    ['first seen now', unseen, [taint('x/y')], ['x/y +0']],
    ['first seen before', seen, [taint('x/y')], ['x/y -500']],
    ['taken off and put on again while nobody looked', seen, [taint('x/y', -20)], ['x/y -20']],
    ['the same timeAdded', seen, [taint('x/y', -500)], ['x/y -500']],
    ['a timeAdded before it was first seen', seen, [taint('x/y', -600)], ['x/y -500']],
    ['two with one key: since the first', unseen, [taint('x/y', -7), taint('x/y', -9, 'NoExecute')], ['x/y -9']],
    [
      'two with one key, one without timeAdded',
      unseen,
      [taint('x/y', -7), taint('x/y', null, 'NoExecute')],
      ['x/y -7'],
    ],
    [
      'two with one key, one without timeAdded, seen before',
      seen,
      [taint('x/y', -20), taint('x/y', null, 'NoExecute')],
      ['x/y -500'],
    ],
    ['two with one key, both put on again', seen, [taint('x/y', -20), taint('x/y', -30, 'NoExecute')], ['x/y -30']],
    ['seen on another node before', group(clock('x/y', -500, 'n0')), [taint('x/y')], ['x/y +0']],
    ['seen on another node before, with timeAdded', group(clock('x/y', -500, 'n0')), [taint('x/y', -7)], ['x/y -7']],
    ['a row that does not say which node', group({ key: 'x/y', since: at(-500) }), [taint('x/y')], ['x/y -500']],
    ['another key before', group(clock('b/c', -500)), [taint('x/y')], ['x/y +0']],
    ['another key before, with timeAdded', group(clock('b/c', -500)), [taint('x/y', -7)], ['x/y -7']],
    ['a key that is gone', group(clock('x/y', -500), clock('b/c', -5)), [taint('x/y')], ['x/y -500']],
    ['sorted by key', seen, [taint('x/y'), taint('b/c', -3)], ['b/c -3', 'x/y -500']],
    [
      'stopped by a cancel: anew, whatever timeAdded says',
      group(),
      [taint('x/y', -7), taint('b/c')],
      ['b/c +0', 'x/y +0'],
    ],
  ])('%s', (_, row, taints, expected) => {
    const clocks = clocksOf(row, name('n1'), taints, at(0));
    expect(clocks.map(({ key, since }) => `${key} ${time(since)}`)).toEqual(expected);
    expect(clocks.every(({ node }) => node === 'n1')).toBe(true);
  });
});

describe('a row is only written where its clocks differ', () => {
  test.each<[string, readonly TaintClock[], readonly TaintClock[], boolean]>([
    ['none', [], [], true],
    ['the same', [clock('x/y', 0)], [clock('x/y', 0)], true],
    ['in another order', [clock('x/y', 0), clock('b/c', 0)], [clock('b/c', 0), clock('x/y', 0)], true],
    ['another time', [clock('x/y', 0)], [clock('x/y', 1)], false],
    ['another key', [clock('x/y', 0)], [clock('b/c', 0)], false],
    ['another node', [clock('x/y', 0)], [clock('x/y', 0, 'n2')], false],
    ['a row that does not say which node', [{ key: 'x/y', since: at(0) }], [clock('x/y', 0)], true],
    ['one more', [clock('x/y', 0)], [clock('x/y', 0), clock('b/c', 0)], false],
    ['one fewer', [clock('x/y', 0), clock('b/c', 0)], [clock('x/y', 0)], false],
  ])('%s', (_, row, now, expected) => {
    expect(sameClocks(row, now)).toBe(expected);
  });
});
