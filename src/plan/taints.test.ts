import { describe, expect, test } from 'vitest';
import { name } from '../model/ids.ts';
import type { Node, Taint } from '../model/node.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { at, givenGroup, givenNode, givenPod, givenSnapshot, givenSpec } from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { observeTaints } from './taints.ts';
import { says } from './testing/says.ts';
import type { Options, Partly } from './testing/taint-scene.ts';
import { clock, held, ignoreOne, marked, observing, replacements, taint } from './testing/taint-scene.ts';

const tooYoung = (due: number) => `taints holds storage-1: TaintTooYoung until +${due}`;

describe('each taint is looked up by its exact key, else by *', () => {
  test.each<[string, Options, readonly string[]]>([
    ['the exact key', [['x/y', 10]], [tooYoung(10), 'wake +10']],
    ['*', [['*', 20]], [tooYoung(20), 'wake +20']],
    [
      'the exact key before *',
      [
        ['*', 20],
        ['x/y', 10],
      ],
      [tooYoung(10), 'wake +10'],
    ],
    [
      'the exact key before *, also when it is longer',
      [
        ['x/y', 30],
        ['*', 20],
      ],
      [tooYoung(30), 'wake +30'],
    ],
    [
      'never, by the exact key, before *',
      [
        ['x/y', 'never'],
        ['*', 20],
      ],
      ['taints holds storage-1: TaintIgnored'],
    ],
    ['never by *', [['*', 'never']], ['taints holds storage-1: TaintIgnored']],
    ['a duration of 0 s', [['x/y', 0]], []],
  ])('%s', (_, options, expected) => {
    const lines = observing({ options, taints: [taint('x/y')] });
    expect(lines.slice(0, 2)).toEqual(['taints storage-1 [x/y +0 on n1]', 'set storage-1 NodeTaintDetected +0']);
    const replacing = expected.length === 0 ? ['set storage-1 NodeTaintReplacing +0'] : [];
    expect(lines.slice(2)).toEqual([...replacing, ...expected]);
  });

  test.each<[string, Options, readonly Taint[]]>([
    ['another key', [['x/z', 10]], [taint('x/y')]],
    ['an empty key', [['*', 10]], [taint('')]],
    ['no taint', [['*', 10]], []],
  ])('%s matches nothing', (_, options, taints) => {
    expect(observing({ options, taints })).toEqual([]);
  });
});

describe('a taint counts when it has been on the node for its duration, to the second', () => {
  test.each<[string, readonly Taint[], Partly, readonly string[]]>([
    [
      'added 3600 s ago: due',
      [taint('x/y', -3600)],
      {},
      [
        'taints storage-1 [x/y -3600 on n1]',
        'set storage-1 NodeTaintDetected -3600',
        'set storage-1 NodeTaintReplacing +0',
      ],
    ],
    [
      'added 3601 s ago: due, and its clock says since when',
      [taint('x/y', -3601)],
      {},
      [
        'taints storage-1 [x/y -3601 on n1]',
        'set storage-1 NodeTaintDetected -3601',
        'set storage-1 NodeTaintReplacing +0',
      ],
    ],
    [
      'added 3599 s ago: detected only',
      [taint('x/y', -3599)],
      {},
      ['taints storage-1 [x/y -3599 on n1]', 'set storage-1 NodeTaintDetected -3599', tooYoung(1), 'wake +1'],
    ],
    [
      'no timeAdded: first seen now',
      [taint('x/y')],
      {},
      ['taints storage-1 [x/y +0 on n1]', 'set storage-1 NodeTaintDetected +0', tooYoung(3600), 'wake +3600'],
    ],
    [
      'no timeAdded, first seen 3599 s ago',
      [taint('x/y')],
      { taints: [clock('x/y', -3599)], conditions: [held('NodeTaintDetected', -3599)] },
      [tooYoung(1), 'wake +1'],
    ],
    [
      'no timeAdded, first seen 3600 s ago',
      [taint('x/y')],
      { taints: [clock('x/y', -3600)], conditions: [held('NodeTaintDetected', -3600)] },
      ['set storage-1 NodeTaintReplacing +0'],
    ],
    [
      'ignored for ever, however old',
      [taint('a/ignore', -1_000_000)],
      {},
      [
        'taints storage-1 [a/ignore -1000000 on n1]',
        'set storage-1 NodeTaintDetected -1000000',
        'taints holds storage-1: TaintIgnored',
      ],
    ],
    [
      'an old taint that is ignored does not make a new one older',
      [taint('a/ignore', -1_000_000), taint('x/y', -5)],
      { taints: [clock('a/ignore', -1_000_000)], conditions: [held('NodeTaintDetected', -1_000_000)] },
      ['taints storage-1 [a/ignore -1000000 on n1, x/y -5 on n1]', tooYoung(3595), 'wake +3595'],
    ],
    [
      'of two, the one that is due first counts',
      [taint('x/y', -5), taint('b/c', -50)],
      { taints: [clock('b/c', -50), clock('x/y', -5)], conditions: [held('NodeTaintDetected')] },
      [tooYoung(3550), 'wake +3550'],
    ],
    [
      'of two, one is due',
      [taint('x/y', -5), taint('b/c', -3600)],
      { taints: [clock('b/c', -3600), clock('x/y', -5)], conditions: [held('NodeTaintDetected')] },
      ['set storage-1 NodeTaintReplacing +0'],
    ],
    [
      'a time that lies ahead counts from then on',
      [taint('x/y', 100)],
      {},
      ['taints storage-1 [x/y +100 on n1]', 'set storage-1 NodeTaintDetected +0', tooYoung(3700), 'wake +3700'],
    ],
  ])('%s', (_, taints, group, expected) => {
    expect(observing({ taints, group })).toEqual(expected);
  });

  test('the message names the key and the moment', () => {
    const processGroups = [givenGroup('storage-1', { pod: givenPod('storage-1', { node: 'n1' }) })];
    const nodes = [givenNode('n1', { taints: [taint('x/y'), taint('b/c', -50)] })];
    const spec = givenSpec({ replacements: replacements(ignoreOne) });
    const { holds } = observeTaints(surveyOf(givenSnapshot({ spec, processGroups, nodes })));
    expect(holds.map(({ reason }) => reason.evidence)).toEqual([{ group: 'storage-1', key: 'b/c', due: at(3550) }]);
  });
});

describe('when the taint goes away', () => {
  test.each<[string, Partly, readonly string[]]>([
    [
      'detected: forgotten',
      { taints: [clock('x/y', -5)], conditions: [held('NodeTaintDetected')] },
      ['taints storage-1 []', 'clear storage-1 NodeTaintDetected'],
    ],
    [
      'to be replaced: that stays',
      { taints: [clock('x/y', -5)], conditions: [held('NodeTaintDetected'), held('NodeTaintReplacing')] },
      ['taints storage-1 []', 'clear storage-1 NodeTaintDetected'],
    ],
    ['long gone', { conditions: [held('NodeTaintReplacing')] }, []],
  ])('%s', (_, group, expected) => {
    expect(observing({ group })).toEqual(expected);
  });

  test('a taint that is there says nothing more once the group is to be replaced', () => {
    const group = { taints: [clock('x/y', -5)], conditions: [held('NodeTaintDetected'), held('NodeTaintReplacing')] };
    expect(observing({ group, taints: [taint('x/y')] })).toEqual([]);
  });
});

describe('without options nothing is read off a node and no condition is set', () => {
  const unreadable = new Proxy(givenNode('n1'), {
    get: () => {
      throw new Error('a node was read');
    },
  });
  const everything = {
    taints: [clock('x/y', -5)],
    conditions: [held('NodeTaintDetected'), held('NodeTaintReplacing'), held('PodFailing')],
  };
  const off = (group: Partly, nodes: readonly Node[] | null = null) => observing({ options: [], group, nodes });

  test('nothing was known', () => {
    expect(off({})).toEqual([]);
  });

  test('what was known of a group that is not marked is forgotten', () => {
    expect(off(everything)).toEqual([
      'taints storage-1 []',
      'clear storage-1 NodeTaintDetected',
      'clear storage-1 NodeTaintReplacing',
    ]);
  });

  test('a marked group stays to be replaced', () => {
    expect(off({ ...everything, removal: marked })).toEqual([
      'taints storage-1 []',
      'clear storage-1 NodeTaintDetected',
    ]);
  });

  test('no node is touched', () => {
    const survey = surveyOf(
      givenSnapshot({
        spec: givenSpec({ replacements: replacements([]) }),
        processGroups: [givenGroup('storage-1', { ...everything, pod: givenPod('storage-1', { node: 'n1' }) })],
      }),
    );
    const nodes = new Map([[name<Node['name']>('n1'), unreadable]]);
    expect(says(observeTaints({ ...survey, nodes }))).toHaveLength(3);
  });

  test('with options, nodes that cannot be read are said to be so, and everything stays as it is', () => {
    expect(observing({ nodes: null, group: everything })).toEqual(['taints holds the cluster: NodesUnreadable']);
  });
});

describe('where the node cannot be seen', () => {
  const known = { taints: [clock('x/y', -3599)], conditions: [held('NodeTaintDetected')] };

  test.each<[string, Partly]>([
    ['no pod', { pod: null }],
    ['a pod that is not scheduled', { pod: givenPod('storage-1', { node: null, phase: 'Pending' }) }],
  ])('%s: all stays as it was', (_, group) => {
    expect(observing({ taints: [taint('x/y')], group: { ...known, ...group } })).toEqual([]);
    expect(observing({ taints: [taint('x/y')], group: { ...known, ...group }, now: 10 })).toEqual([]);
  });

  test('a pod that is pending on its node is looked at', () => {
    const group = { pod: givenPod('storage-1', { node: 'n1', phase: 'Pending' }) };
    expect(observing({ taints: [taint('x/y', -3600)], group })).toContain('set storage-1 NodeTaintReplacing +0');
  });

  test('a node object that is gone is reported as lost; its clocks run on', () => {
    const unknown = 'taints holds storage-1: NodeUnknown';
    expect(observing({ nodes: [], group: {} })).toEqual([unknown]);
    expect(observing({ nodes: [], group: { conditions: [held('NodeTaintDetected')] } })).toEqual([unknown]);
    expect(observing({ nodes: [], group: known })).toEqual([unknown, tooYoung(1), 'wake +1']);
    expect(observing({ nodes: [], group: known, now: 1 })).toEqual(['set storage-1 NodeTaintReplacing +1', unknown]);
  });

  test('a node object that is gone does not keep the others from being looked at', () => {
    const processGroups = [
      givenGroup('storage-2', { pod: givenPod('storage-2', { node: 'n1' }) }),
      givenGroup('storage-1', { pod: givenPod('storage-1', { node: 'gone' }) }),
    ];
    const lines = observing({ taints: [taint('x/y', -3600)], snapshot: { processGroups } });
    expect(lines).toEqual([
      'taints storage-2 [x/y -3600 on n1]',
      'set storage-2 NodeTaintDetected -3600',
      'set storage-2 NodeTaintReplacing +0',
      'taints holds storage-1: NodeUnknown',
    ]);
  });

  test('a key of a lost node that no option is meant for any more makes nothing be replaced', () => {
    const group = { taints: [clock('b/c', -9000)], conditions: [held('NodeTaintDetected')] };
    expect(observing({ nodes: [], options: [['x/y', 10]], group })).not.toContain(
      'set storage-1 NodeTaintReplacing +0',
    );
  });
});

describe('while the cancel list names the process group', () => {
  const known = { taints: [clock('x/y', -3600)], conditions: [held('NodeTaintDetected')] };

  test('its clocks are taken away, and it is only detected', () => {
    expect(observing({ cancel: true, taints: [taint('x/y', -3600)] })).toEqual([
      'set storage-1 NodeTaintDetected -3600',
    ]);
    expect(observing({ cancel: true, taints: [taint('x/y', -3600)], group: known })).toEqual(['taints storage-1 []']);
  });

  test('once it is no longer listed they start anew, whatever timeAdded says', () => {
    const group = { ...known, taints: [] };
    expect(observing({ taints: [taint('x/y', -3600)], group })).toEqual([
      'taints storage-1 [x/y +0 on n1]',
      tooYoung(3600),
      'wake +3600',
    ]);
    const later = { ...known, taints: [clock('x/y', 0)] };
    expect(observing({ now: 3599, taints: [taint('x/y', -3600)], group: later })).toEqual([
      tooYoung(3600),
      'wake +3600',
    ]);
    expect(observing({ now: 3600, taints: [taint('x/y', -3600)], group: later })).toEqual([
      'set storage-1 NodeTaintReplacing +3600',
    ]);
  });

  test('the list holds nothing once its objects are being deleted', () => {
    const group = { ...known, removal: marked, removingAt: at(-5) };
    expect(observing({ cancel: true, taints: [taint('x/y', -3600)], group })).toEqual([]);
  });
});

describe('who is not told that something will be replaced', () => {
  const young = [taint('x/y', -3599)];
  const seen = ['taints storage-1 [x/y -3599 on n1]', 'set storage-1 NodeTaintDetected -3599'];

  test('nobody, while automatic replacement is off; the condition comes all the same', () => {
    expect(observing({ enabled: false, taints: young })).toEqual([...seen, 'wake +1']);
    expect(observing({ enabled: false, taints: young, now: 1 })).toContain('set storage-1 NodeTaintReplacing +1');
  });

  test('a marked group, which is leaving already', () => {
    expect(observing({ taints: young, group: { removal: marked } })).toEqual([...seen, 'wake +1']);
  });

  test('a drained group, which gets no condition at all; its taints are listed', () => {
    expect(observing({ taints: [taint('x/y', -3600)], group: { removal: marked, drainedAt: at(-5) } })).toEqual([
      'taints storage-1 [x/y -3600 on n1]',
    ]);
  });
});

test('the order of groups, nodes, taints and options does not matter', () => {
  const taints = [taint('x/y', -5), taint('b/c', -50), taint('x/y', -9, 'NoExecute')];
  const groups: readonly ProcessGroup[] = ['storage-1', 'storage-2'].map((id) =>
    givenGroup(id, { pod: givenPod(id, { node: 'n1' }) }),
  );
  const lines = observing({ taints, snapshot: { processGroups: groups } });
  expect(lines).toHaveLength(7);
  const options = ignoreOne.toReversed();
  expect(observing({ options, taints: taints.toReversed(), snapshot: { processGroups: groups.toReversed() } })).toEqual(
    lines,
  );
});
