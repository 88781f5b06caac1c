import { describe, expect, test } from 'vitest';
import type { Zone } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import { at } from '../model/testing/given.ts';
import type { World } from './testing/taint-scene.ts';
import { clock, held, observing, taint } from './testing/taint-scene.ts';

describe('while its zone is under maintenance a storage group is not looked at', () => {
  const maintenance = { zone: name<Zone>('zone-1'), since: at(-5), until: at(5) };
  const frozen = ['taints holds storage-1: UnderMaintenance until +5', 'wake +5'];
  const known = { taints: [clock('x/y', -5)], conditions: [held('NodeTaintDetected')] };
  const replacing = { taints: [clock('x/y', -5)], conditions: [held('NodeTaintDetected'), held('NodeTaintReplacing')] };

  test.each<[string, World, readonly string[]]>([
    ['a taint that will be due by its end', { taints: [taint('x/y', -3600)] }, frozen],
    ['a taint that is not seen before its end', { taints: [taint('x/y')] }, frozen],
    [
      'a taint that was seen before, and what is only said again then',
      { taints: [taint('x/y')], group: known },
      frozen,
    ],
    ['a node that is gone, with a taint that was seen before', { nodes: [], group: known }, frozen],
    ['a node that is gone', { nodes: [] }, ['wake +5']],
    ['a taint that is ignored', { taints: [taint('a/ignore', -3600)] }, ['wake +5']],
    ['a taint that went away', { group: known }, ['wake +5']],
    ['a taint, and nothing is replaced automatically', { taints: [taint('x/y', -3600)], enabled: false }, ['wake +5']],
    ['one that is to be replaced already, as another step says', { taints: [taint('x/y')], group: replacing }, []],
    ['no taint', {}, []],
  ])('%s', (_, world, expected) => {
    expect(observing({ ...world, snapshot: { maintenance } })).toEqual(expected);
  });

  test('where nothing is to be said then, the next taint to be due wakes the plan', () => {
    const world = { taints: [taint('x/y')], group: known, snapshot: { maintenance } };
    expect(observing({ ...world, enabled: false })).toEqual(['wake +3595']);
  });
});
