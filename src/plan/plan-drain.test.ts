import { describe, expect, test } from 'vitest';
import type { Answer, Decision } from '../model/decision.ts';
import type { Drain, DrainNode, DrainPlan, DrainPod } from '../model/drain.ts';
import { name } from '../model/ids.ts';
import { reasons } from '../model/reasons.ts';
import { at } from '../model/testing/given.ts';
import { planDrain } from './plan-drain.ts';

const pod = (text: string, given: Partial<DrainPod> = {}): DrainPod => ({
  name: text,
  uid: name(`uid-${text}`),
  resourceVersion: '1',
  madeBy: 'Controller',
  mirror: false,
  emptyDir: false,
  finished: false,
  deletingSince: null,
  guarded: null,
  ...given,
});
const guarded = (group: string, cluster = 'db/orders', given: Partial<DrainPod> = {}) =>
  pod(`db/${group}`, { guarded: { cluster: name(cluster), group: name(group) }, ...given });
const node = (text: string, pods: readonly DrainPod[], given: Partial<DrainNode> = {}): DrainNode => ({
  name: name(text),
  exists: true,
  cordoned: true,
  begun: false,
  pods,
  ...given,
});
const drain = (nodes: readonly DrainNode[], given: Partial<Drain> = {}): Drain => ({
  name: 'upgrade',
  now: at(0),
  nodes,
  maxConcurrentNodes: 1,
  deadline: null,
  pods: { ignoreDaemonSets: true, deleteEmptyDirData: false, force: false },
  ...given,
});
const allowed: Answer = { kind: 'allow' };
const decision = (verdicts: Readonly<Record<string, Answer>>, cluster = 'db/orders'): Decision => ({
  cluster: name(cluster),
  at: at(0),
  verdicts: Object.entries(verdicts).map(([group, eviction]) => ({
    group: name(group),
    eviction,
    replacement: allowed,
  })),
  records: [],
  actions: [],
  holds: [],
  wakeAt: undefined,
});
const draining = (group: string, percent: number | null, secondsLeft: number | null): Answer => ({
  kind: 'wait',
  reasons: [reasons.notDrained({ group, percent, secondsLeft })],
});
const never = (group: string): Answer => ({
  kind: 'never',
  reasons: [reasons.neverEvicted({ group, role: 'single' })],
});

/** A plan in lines: nodes with their phases, what each pod waits for, and what is done now. */
function lines({ outlook, nodes, cordon, evict, ask }: DrainPlan): readonly string[] {
  return [
    outlook,
    ...nodes.flatMap(({ name: of, phase, reason, podsLeft, waiting }) => [
      `${of} ${phase} ${podsLeft}${reason === null ? '' : ` ${reason.code}`}`,
      ...waiting.map(
        ({ pod: which, kind, reasons: why }) => `  ${which} ${kind} ${why.map(({ code }) => code).join(' ')}`,
      ),
    ]),
    ...cordon.map((which) => `cordon ${which}`),
    ...ask.map(({ cluster, group, pod: uid, node: on }) => `ask ${cluster} ${group} ${uid} on ${on}`),
    ...evict.map(
      ({ name: which, node: on, precondition }) =>
        `evict ${which} on ${on} ${precondition.uid}@${precondition.resourceVersion}`,
    ),
  ];
}
const plan = (of: Drain, decisions: readonly Decision[] = []) => lines(planDrain(of, decisions));
const evicts = (text: string, on = 'n1') => `evict ${text} on ${on} uid-${text}@1`;

describe('pods that nobody guards leave as kubectl drain takes them', () => {
  const defaults = { ignoreDaemonSets: true, deleteEmptyDirData: false, force: false };

  test.each`
    what                               | given                                          | settings                                     | outcome
    ${'run by a controller'}           | ${{}}                                          | ${defaults}                                  | ${'evict'}
    ${'a mirror pod'}                  | ${{ mirror: true }}                            | ${{ ...defaults, force: true }}              | ${'ignored'}
    ${'of a DaemonSet'}                | ${{ madeBy: 'DaemonSet' }}                     | ${defaults}                                  | ${'ignored'}
    ${'of a DaemonSet, not to ignore'} | ${{ madeBy: 'DaemonSet' }}                     | ${{ ...defaults, ignoreDaemonSets: false }}  | ${'never DaemonSetPod'}
    ${'of a DaemonSet, ended'}         | ${{ madeBy: 'DaemonSet', finished: true }}     | ${defaults}                                  | ${'evict'}
    ${'with an emptyDir'}              | ${{ emptyDir: true }}                          | ${defaults}                                  | ${'never EmptyDirPod'}
    ${'with an emptyDir, given up'}    | ${{ emptyDir: true }}                          | ${{ ...defaults, deleteEmptyDirData: true }} | ${'evict'}
    ${'with an emptyDir, ended'}       | ${{ emptyDir: true, finished: true }}          | ${defaults}                                  | ${'evict'}
    ${'of nobody'}                     | ${{ madeBy: 'Nobody' }}                        | ${defaults}                                  | ${'never UnmanagedPod'}
    ${'of nobody, forced'}             | ${{ madeBy: 'Nobody' }}                        | ${{ ...defaults, force: true }}              | ${'evict'}
    ${'of nobody, ended'}              | ${{ madeBy: 'Nobody', finished: true }}        | ${defaults}                                  | ${'evict'}
    ${'going'}                         | ${{ deletingSince: at(-9) }}                   | ${defaults}                                  | ${'wait PodGoing'}
    ${'of nobody, going'}              | ${{ madeBy: 'Nobody', deletingSince: at(-9) }} | ${defaults}                                  | ${'wait PodGoing'}
  `('a pod $what: $outcome', ({ given, settings, outcome }) => {
    const said = plan(drain([node('n1', [pod('a/x', given)])], { pods: settings }));
    const expected =
      outcome === 'evict'
        ? ['going', 'n1 Draining 1', evicts('a/x')]
        : outcome === 'ignored'
          ? ['done', 'n1 Drained 0']
          : outcome.startsWith('never')
            ? ['never', 'n1 Pending 1', `  a/x ${outcome}`]
            : ['going', 'n1 Draining 1', `  a/x ${outcome}`];
    expect(said).toEqual(expected);
  });

  test('a node with a pod that cannot go is not begun, and takes nobody’s place', () => {
    const nodes = [node('n1', [pod('a/x'), pod('a/bare', { madeBy: 'Nobody' })]), node('n2', [pod('a/y')])];
    const said = planDrain(drain(nodes), []);
    expect(lines(said)).toEqual([
      'never',
      'n1 Pending 2',
      '  a/bare never UnmanagedPod',
      '  a/x wait NodeBlocked',
      'n2 Draining 1',
      evicts('a/y', 'n2'),
    ]);
    expect(said.nodes[0]?.waiting[1]?.reasons[0].message).toBe('a/x stays: n1 is not drained while a/bare cannot go');
  });

  test('all that may go, go at once', () => {
    expect(plan(drain([node('n1', [pod('a/y'), pod('a/x')])]))).toEqual([
      'going',
      'n1 Draining 2',
      evicts('a/x'),
      evicts('a/y'),
    ]);
  });
});

describe('guarded pods leave by the verdict of their cluster', () => {
  test.each`
    verdict                    | outcome
    ${allowed}                 | ${['going', 'n1 Draining 1', 'ask db/orders s-1 uid-db/s-1 on n1', evicts('db/s-1')]}
    ${draining('s-1', 40, 60)} | ${['going', 'n1 Draining 1', '  db/s-1 wait NotDrained', 'ask db/orders s-1 uid-db/s-1 on n1']}
    ${never('s-1')}            | ${['never', 'n1 Draining 1', '  db/s-1 never NeverEvicted', 'ask db/orders s-1 uid-db/s-1 on n1']}
  `('$verdict.kind', ({ verdict, outcome }) => {
    expect(plan(drain([node('n1', [guarded('s-1')])]), [decision({ 's-1': verdict })])).toEqual(outcome);
  });

  test.each`
    what                                  | decisions
    ${'no decision of its cluster'}       | ${[]}
    ${'a decision of another cluster'}    | ${[decision({ 's-1': allowed }, 'db/other')]}
    ${'a decision that does not know it'} | ${[decision({ 's-2': allowed })]}
  `('with $what it waits', ({ decisions }) => {
    expect(plan(drain([node('n1', [guarded('s-1')])]), decisions)).toEqual([
      'going',
      'n1 Draining 1',
      '  db/s-1 wait NoDecision',
      'ask db/orders s-1 uid-db/s-1 on n1',
    ]);
  });

  test('of one cluster one goes, on whichever node; of another cluster another', () => {
    const nodes = [node('n1', [guarded('s-1'), guarded('t-1', 'db/two')]), node('n2', [guarded('s-2'), pod('a/x')])];
    const decisions = [decision({ 's-1': allowed, 's-2': allowed }), decision({ 't-1': allowed }, 'db/two')];
    const said = planDrain(drain(nodes, { maxConcurrentNodes: 2 }), decisions);
    expect(lines(said)).toEqual([
      'going',
      'n1 Draining 2',
      'n2 Draining 2',
      '  db/s-2 wait AnotherGranted',
      'ask db/orders s-1 uid-db/s-1 on n1',
      'ask db/two t-1 uid-db/t-1 on n1',
      'ask db/orders s-2 uid-db/s-2 on n2',
      evicts('db/s-1'),
      evicts('db/t-1'),
      evicts('a/x', 'n2'),
    ]);
    expect(said.nodes[1]?.waiting[0]?.reasons[0].message).toContain('s-1 was just let go');
  });

  test('one that waits does not keep the next of its cluster from going', () => {
    const nodes = [node('n1', [guarded('s-1'), guarded('s-2')])];
    const said = plan(drain(nodes), [decision({ 's-1': draining('s-1', null, null), 's-2': allowed })]);
    expect(said).toContain(evicts('db/s-2'));
  });

  test('one that has ended holds nothing', () => {
    expect(plan(drain([node('n1', [guarded('s-1', 'db/orders', { finished: true })])]))).toEqual([
      'going',
      'n1 Draining 1',
      evicts('db/s-1'),
    ]);
  });

  test('one that can never go does not keep the others of its node', () => {
    const nodes = [node('n1', [guarded('s-1'), pod('a/x')])];
    expect(plan(drain(nodes), [decision({ 's-1': never('s-1') })])).toEqual([
      'never',
      'n1 Draining 2',
      '  db/s-1 never NeverEvicted',
      'ask db/orders s-1 uid-db/s-1 on n1',
      evicts('a/x'),
    ]);
  });
});

describe('nodes take turns', () => {
  const four = (begun: readonly string[] = []) =>
    ['n1', 'n2', 'n3', 'n4'].map((text) => node(text, [pod(`a/${text}`)], { begun: begun.includes(text) }));
  const phases = (of: Drain) => planDrain(of, []).nodes.map(({ phase }) => phase);

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
    const said = planDrain(drain(four(), { maxConcurrentNodes: 2 }), []);
    expect(said.nodes[2]?.reason?.message).toBe('n3 waits its turn: n1 and n2 first');
    expect(said.nodes[0]?.reason).toBeNull();
  });

  test('they are named in order', () => {
    const turned = planDrain(drain(four().toReversed(), { maxConcurrentNodes: 2 }), []);
    expect(turned.nodes[3]?.reason?.message).toBe('n1 waits its turn: n3 and n4 first');
    const bare = ['a/y', 'a/x'].map((text) => pod(text, { madeBy: 'Nobody' }));
    const blocked = planDrain(drain([node('n1', [...bare, pod('a/z')])]), []);
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
    expect(plan(drain(nodes), [decision({ 's-1': allowed })])).toEqual([
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
    const nodes = [node('n1', [pod('a/x')]), node('n2', [guarded('s-1'), guarded('s-2')])];
    expect(plan(drain(nodes), [decision({ 's-1': never('s-1'), 's-2': draining('s-2', null, null) })])).toEqual([
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
      'n2 Gone 0',
    ]);
    expect(plan(drain([]))).toEqual(['done']);
  });
});

describe('how far it is, and when it ends', () => {
  const two = (first: Answer, second: Answer) => [decision({ 's-1': first, 's-2': second })];
  const nodes = [node('n1', [guarded('s-1'), guarded('s-2')])];

  test('progress of each pod, and the end of the last', () => {
    const said = planDrain(drain(nodes), two(draining('s-1', 40, 60), draining('s-2', 10, 600)));
    expect(said.nodes[0]?.waiting.map(({ progressPercent, estimatedEnd }) => [progressPercent, estimatedEnd])).toEqual([
      [40, at(60)],
      [10, at(600)],
    ]);
    expect(said.estimatedEnd).toBe(at(600));
    const turned = planDrain(drain(nodes), two(draining('s-1', 40, 600), draining('s-2', 10, 60)));
    expect(turned.estimatedEnd).toBe(at(600));
  });

  test('unknown where one is unknown', () => {
    expect(planDrain(drain(nodes), two(draining('s-1', 40, 60), draining('s-2', 10, null))).estimatedEnd).toBeNull();
  });

  test('unknown where a node has yet to begin', () => {
    const more = [...nodes, node('n2', [pod('a/x')])];
    expect(planDrain(drain(more), two(draining('s-1', 40, 60), draining('s-2', 10, 60))).estimatedEnd).toBeNull();
  });

  test('unknown where one of the reasons of a pod has no end', () => {
    const mixed: Answer = {
      kind: 'wait',
      reasons: [
        reasons.notDrained({ group: 's-1', percent: 40, secondsLeft: 60 }),
        reasons.quorumLeader({ group: 's-1', quorum: 'q' }),
      ],
    };
    const said = planDrain(drain(nodes), two(mixed, allowed));
    expect(said.estimatedEnd).toBeNull();
    expect(said.nodes[0]?.waiting[0]?.progressPercent).toBe(40);
  });

  test('of several reasons the last to end', () => {
    const due = at(90);
    const settling = reasons.podsSettling({ subject: 's-1', other: 's-9', due });
    const slow = reasons.notDrained({ group: 's-1', percent: null, secondsLeft: 60 });
    for (const why of [[settling, slow] as const, [slow, settling] as const]) {
      expect(planDrain(drain(nodes), two({ kind: 'wait', reasons: why }, allowed)).estimatedEnd).toBe(at(90));
    }
  });

  test.each`
    deadline | outcome
    ${60}    | ${'NotDrained'}
    ${59}    | ${'NotDrained PastDeadline'}
    ${null}  | ${'NotDrained'}
  `('what will not be done by the deadline is said up front, and never forced: $deadline', ({ deadline, outcome }) => {
    const of = drain([node('n1', [guarded('s-1')])], { deadline: deadline === null ? null : at(deadline) });
    const said = planDrain(of, [decision({ 's-1': draining('s-1', 40, 60) })]);
    expect(said.nodes[0]?.waiting[0]?.reasons.map(({ code }) => code).join(' ')).toBe(outcome);
    expect(said.evict).toEqual([]);
  });
});
