import { describe, expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import { at, givenGroup, givenNode, givenPod } from '../../model/testing/given.ts';
import { givenAskRow } from '../testing/found-pod.ts';
import { askers, groups, heard, karpenter, onNode, recorded, taint } from '../testing/given-askers.ts';
import type { AskRow } from './ask-row.ts';
import type { Askers } from './gather-asks.ts';
import { gatherAsks } from './gather-asks.ts';

describe('an eviction on a cordoned node', () => {
  const three = [...groups, onNode('log-1', 'n1')];
  const cordoned = [givenNode('n1', { cordoned: true }), givenNode('n2')];
  const withNode = givenAskRow('log-1', { node: name('n1'), times: 0, cordoned: true });
  const times = (given: Partial<Askers>) =>
    gatherAsks(askers({ groups: three, nodes: cordoned, ...given })).map(
      ({ group, by, times }) => `${group} ${by} ${times}`,
    );

  test.each<[string, Partial<Askers>, readonly string[]]>([
    ['asks for the others on it, 0 times', { heard: [heard()] }, ['log-1 jane 0', 'storage-1 jane 1']],
    [
      'not by a leaving taint, which asks for all of them itself',
      { heard: [heard()], leavingTaints: [karpenter], nodes: [givenNode('n1', { taints: [taint(karpenter)] })] },
      [`log-1 ${karpenter} 1`, 'storage-1 jane 1', `storage-1 ${karpenter} 1`],
    ],
    ['also where it is on record', { recorded: [recorded({ cordoned: true })] }, ['log-1 jane 0', 'storage-1 jane 1']],
    ['not where the node is not cordoned', { heard: [heard()], nodes: [givenNode('n1')] }, ['storage-1 jane 1']],
    ['not where nobody knows', { heard: [heard()], nodes: null }, ['storage-1 jane 1']],
    [
      'not for what has ended',
      {
        heard: [heard()],
        groups: [...groups, givenGroup('log-1', { pod: givenPod('log-1', { node: 'n1', phase: 'Failed' }) })],
      },
      ['storage-1 jane 1'],
    ],
    [
      'not for what is going already',
      {
        heard: [heard()],
        groups: [...groups, givenGroup('log-1', { pod: givenPod('log-1', { node: 'n1', deletingSince: at(-1) }) })],
      },
      ['storage-1 jane 1'],
    ],
    [
      'not a NodeDrain, which asks for all of them itself',
      { drains: [{ name: 'd', nodes: ['n1'] }] },
      ['log-1 d 1', 'storage-1 d 1'],
    ],
    [
      'nor does who was asked for with it go on asking',
      { recorded: [withNode], groups: [...three, onNode('log-2', 'n1')] },
      ['log-1 jane 0'],
    ],
    [
      'each asker by itself',
      { heard: [heard(), heard({ by: 'joe' })] },
      ['log-1 jane 0', 'log-1 joe 0', 'storage-1 jane 1', 'storage-1 joe 1'],
    ],
    [
      'until they are asked for themselves',
      { recorded: [withNode], heard: [heard({ pod: name('uid-log-1') })] },
      ['log-1 jane 1', 'storage-1 jane 0'],
    ],
    [
      'and goes on for them where that one has left',
      { recorded: [withNode], groups: [onNode('log-1', 'n1')] },
      ['log-1 jane 0'],
    ],
    [
      'an uncordon takes all of it back',
      { recorded: [withNode, recorded({ cordoned: true })], nodes: [givenNode('n1')] },
      [],
    ],
    ['and so does silence', { recorded: [{ ...withNode, lastSeen: at(-660) }] }, []],
    [
      'who has given up asks for nobody else any more',
      { recorded: [recorded({ cordoned: true, lastSeen: at(-600) })] },
      ['storage-1 jane 1'],
    ],
  ])('%s', (_, given, expected) => {
    expect(times(given)).toEqual(expected);
  });

  test.each`
    before  | asked | then   | why
    ${-600} | ${0}  | ${0}   | ${'it goes on as long as the other one is asked for'}
    ${-59}  | ${0}  | ${-59} | ${'it is written once a minute'}
    ${-60}  | ${0}  | ${0}   | ${'it is written once a minute'}
  `(
    'the other one was last asked for at $asked, it at $before: $then, because $why',
    ({ before, asked: last, then }) => {
      const rows = gatherAsks(
        askers({
          groups: three,
          nodes: cordoned,
          heard: [heard({ lastSeen: at(last) })],
          recorded: [{ ...withNode, lastSeen: at(before) }],
        }),
      );
      expect(rows.find(({ group }) => group === 'log-1')?.lastSeen).toBe(at(then));
    },
  );

  test.each<[string, Partial<AskRow>, Partial<AskRow>]>([
    ['its own ask stands', { lastSeen: at(-599) }, { times: 3, lastSeen: at(-599) }],
    [
      'its own ask has lapsed, and it is still asked for with its node',
      { lastSeen: at(-600) },
      { times: 0, lastSeen: at(0) },
    ],
    ['it was let go, which is remembered', { lastSeen: at(-600), letGoAt: at(-300) }, { times: 3, letGoAt: at(-300) }],
  ])('whoever gave one up and goes on with another: %s', (_, given, expected) => {
    const own = { ...withNode, times: 3, ...given };
    const rows = gatherAsks(askers({ groups: three, nodes: cordoned, heard: [heard()], recorded: [own] }));
    expect(rows.find(({ group }) => group === 'log-1')).toMatchObject(expected);
  });

  test('where the status holds no more rows, those that were not asked for themselves give way', () => {
    const many = Array.from({ length: 600 }, (_, index) => onNode(`log-${index}`, 'n1'));
    const mine = many.map(({ pod }) => heard({ pod: pod?.uid ?? name('none'), since: at(0) }));
    const others = many.map(({ id }) => givenAskRow(id, { node: name('n1'), by: 'joe', times: 0, since: at(-99) }));
    const rows = gatherAsks(askers({ groups: many, nodes: cordoned, heard: mine, recorded: others }));
    expect(rows).toHaveLength(1000);
    expect(rows.filter((row) => row.times > 0)).toHaveLength(600);
  });
});
