import { describe, expect, test } from 'vitest';
import type { Drain } from '../model/drain.ts';
import { at } from '../model/testing/given.ts';
import { planDrain } from './plan-drain.ts';
import { drain, evicts, guarded, never, node, plan, pod } from './testing/given-drain.ts';

describe('nodes take turns', () => {
  const four = (begun: readonly string[] = []) =>
    ['n1', 'n2', 'n3', 'n4'].map((text) =>
      node(text, [pod(`a/${text}`)], { recorded: begun.includes(text) ? 'Draining' : 'Pending' }),
    );
  const phases = (of: Drain) => planDrain(of).nodes.map(({ phase }) => phase);

  test.each`
    most | begun           | outcome
    ${1} | ${[]}           | ${['Draining', 'Pending', 'Pending', 'Pending']}
    ${2} | ${[]}           | ${['Draining', 'Draining', 'Pending', 'Pending']}
    ${1} | ${['n3']}       | ${['Pending', 'Pending', 'Draining', 'Pending']}
    ${2} | ${['n3']}       | ${['Draining', 'Pending', 'Draining', 'Pending']}
    ${1} | ${['n3', 'n4']} | ${['Pending', 'Pending', 'Draining', 'Draining']}
    ${9} | ${[]}           | ${['Draining', 'Draining', 'Draining', 'Draining']}
  `('at most $most, begun $begun: $outcome', ({ most, begun, outcome }) => {
    expect(phases(drain(four(begun), { maxConcurrentNodes: most }))).toEqual(outcome);
  });

  test('who waits says for whom', () => {
    const said = planDrain(drain(four(), { maxConcurrentNodes: 2 }));
    expect(said.nodes[2]?.reasons[0]?.message).toBe('n3 waits its turn: n1 and n2 first');
    expect(said.nodes[0]?.reasons).toEqual([]);
  });

  test('they are named in order', () => {
    const turned = planDrain(drain(four().toReversed(), { maxConcurrentNodes: 2 }));
    expect(turned.nodes[3]?.reasons[0]?.message).toBe('n1 waits its turn: n3 and n4 first');
    const bare = ['a/y', 'a/x'].map((text) => pod(text, { madeBy: 'Nobody' }));
    const blocked = planDrain(drain([node('n1', [...bare, pod('a/z')])]));
    expect(blocked.nodes[0]?.waiting[2]?.reasons[0].message).toBe(
      'a/z stays: n1 is not drained while a/x and a/y cannot go',
    );
  });

  test('the next begins when one is drained or gone', () => {
    const [, ...rest] = four();
    expect(phases(drain([node('n1', []), ...rest]))).toEqual(['Drained', 'Draining', 'Pending', 'Pending']);
    expect(phases(drain([node('n1', [pod('a/x')], { exists: false }), ...rest]))).toEqual([
      'Gone',
      'Draining',
      'Pending',
      'Pending',
    ]);
  });

  test('a node is cordoned before anything leaves it', () => {
    const nodes = [
      node('n1', [pod('a/x'), guarded('s-1')], { cordoned: false }),
      node('n2', [pod('a/y')], { cordoned: false }),
    ];
    expect(plan(drain(nodes))).toEqual([
      'going',
      'n1 Draining 2',
      '  a/x wait NodeNotCordoned',
      '  db/s-1 wait NodeNotCordoned',
      'n2 Pending 1 NodeWaits',
      'cordon n1',
    ]);
  });

  test('an empty node is not done before it is cordoned, and takes nobody’s place', () => {
    const nodes = [node('n1', [], { cordoned: false }), node('n2', [pod('a/y')])];
    expect(plan(drain(nodes))).toEqual(['going', 'n1 Draining 0', 'n2 Draining 1', 'cordon n1', evicts('a/y', 'n2')]);
  });

  test('what can never go is said up front, also of a node whose turn has not come', () => {
    const nodes = [node('n1', [pod('a/x')]), node('n2', [guarded('s-1', never), guarded('s-2')])];
    expect(plan(drain(nodes))).toEqual([
      'never',
      'n1 Draining 1',
      'n2 Pending 2 NodeWaits',
      '  db/s-1 never NeverEvicted',
      evicts('a/x'),
    ]);
  });

  test('done when every node is', () => {
    expect(plan(drain([node('n1', []), node('n2', [], { exists: false, cordoned: false })]))).toEqual([
      'done',
      'n1 Drained 0',
      'n2 Gone 0 NodeGone',
    ]);
    expect(plan(drain([]))).toEqual(['done']);
  });
});

describe('a node on which only pods are left that never go gives its place to the next', () => {
  const single = guarded('s-1', never);
  const thinksBetter = guarded('s-1', { verdict: 'allow', reasons: [] });
  const others = (begun: readonly string[] = []) =>
    ['n2', 'n3'].map((text) =>
      node(text, [pod(`a/${text}`)], { recorded: begun.includes(text) ? 'Draining' : 'Pending' }),
    );

  test.each`
    what                               | pods                                                  | begun           | outcome
    ${'never, not begun'}              | ${[single]}                                           | ${[]}           | ${['Draining', 'Draining', 'Pending']}
    ${'never, begun'}                  | ${[single]}                                           | ${['n1']}       | ${['Draining', 'Draining', 'Pending']}
    ${'never, and the next is begun'}  | ${[single]}                                           | ${['n1', 'n2']} | ${['Draining', 'Draining', 'Pending']}
    ${'never twice'}                   | ${[single, guarded('s-2', never)]}                    | ${['n1']}       | ${['Draining', 'Draining', 'Pending']}
    ${'never, and a DaemonSet’s'}      | ${[single, pod('a/d', { madeBy: 'DaemonSet' })]}      | ${['n1']}       | ${['Draining', 'Draining', 'Pending']}
    ${'never, and one that may go'}    | ${[single, pod('a/x')]}                               | ${['n1']}       | ${['Draining', 'Pending', 'Pending']}
    ${'never, and one that is going'}  | ${[single, pod('a/x', { deletingSince: at(-9) })]}    | ${['n1']}       | ${['Draining', 'Pending', 'Pending']}
    ${'never, and one that waits'}     | ${[single, guarded('s-2')]}                           | ${['n1']}       | ${['Draining', 'Pending', 'Pending']}
    ${'never, but it has ended'}       | ${[guarded('s-1', never, { finished: true })]}        | ${['n1']}       | ${['Draining', 'Pending', 'Pending']}
    ${'never, but it is going'}        | ${[guarded('s-1', never, { deletingSince: at(-9) })]} | ${['n1']}       | ${['Draining', 'Pending', 'Pending']}
    ${'no longer never'}               | ${[thinksBetter]}                                     | ${['n1']}       | ${['Draining', 'Pending', 'Pending']}
    ${'no longer never, in the midst'} | ${[thinksBetter]}                                     | ${['n1', 'n2']} | ${['Draining', 'Draining', 'Pending']}
  `('n1 has $what, begun $begun: $outcome', ({ pods, begun, outcome }) => {
    const first = node('n1', pods, { recorded: begun.includes('n1') ? 'Draining' : 'Pending' });
    expect(planDrain(drain([first, ...others(begun)])).nodes.map(({ phase }) => phase)).toEqual(outcome);
  });

  test('stays cordoned, and says why; who waits does not wait for it', () => {
    const nodes = [node('n1', [single], { recorded: 'Draining', cordoned: false }), ...others()];
    expect(planDrain(drain(nodes)).cordon).toEqual(['n1']);
    const said = planDrain(drain([node('n1', [single], { recorded: 'Draining' }), ...others()]));
    expect(said.nodes[0]?.waiting).toMatchObject([
      { pod: 'db/s-1', kind: 'never', reasons: [{ code: 'NeverEvicted' }] },
    ]);
    expect(said.nodes[2]?.reasons[0]?.message).toBe('n3 waits its turn: n2 first');
  });

  test('does not begin before its turn, and all of them begin where nothing else is left', () => {
    const stuck = ['n2', 'n3'].map((text) => node(text, [guarded(text, never)]));
    const phases = (of: Drain) => planDrain(of).nodes.map(({ phase }) => phase);
    expect(phases(drain([node('n1', [pod('a/x')]), ...stuck]))).toEqual(['Draining', 'Pending', 'Pending']);
    expect(phases(drain([node('n1', [single]), ...stuck]))).toEqual(['Draining', 'Draining', 'Draining']);
  });
});

describe('a node that something else keeps from being begun', () => {
  test.each`
    what                      | given                  | outcome
    ${'another drain has it'} | ${{ heldBy: 'first' }} | ${'n1 Pending 1 AnotherDrain'}
    ${'it was not read yet'}  | ${{ pods: null }}      | ${'n1 Pending 0 NodeNotRead'}
  `('$what, and the next has its place', ({ given, outcome }) => {
    expect(plan(drain([node('n1', [pod('a/x')], given), node('n2', [pod('a/y')])]))).toEqual([
      'going',
      outcome,
      'n2 Draining 1',
      evicts('a/y', 'n2'),
    ]);
  });

  test('begun and not read again yet, it keeps its turn and its place, and is not taken for empty', () => {
    const nodes = [node('n1', [], { pods: null, recorded: 'Draining' }), node('n2', [pod('a/y')])];
    expect(plan(drain(nodes))).toEqual(['going', 'n1 Draining 0 NodeNotRead', 'n2 Pending 1 NodeWaits']);
  });
});
