import { describe, expect, test } from 'vitest';
import type { GuardWord, Refusal } from '../model/drain.ts';
import { at } from '../model/testing/given.ts';
import { planDrain } from './plan-drain.ts';
import { drain, evicts, guarded, lines, never, node, plan, pod } from './testing/given-drain.ts';

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
    const said = planDrain(drain(nodes));
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

describe('what is left alone is named', () => {
  test.each`
    what           | given                      | code
    ${'DaemonSet'} | ${{ madeBy: 'DaemonSet' }} | ${'DaemonSetIgnored'}
    ${'mirror'}    | ${{ mirror: true }}        | ${'MirrorPod'}
  `('$what', ({ given, code }) => {
    const [said] = planDrain(drain([node('n1', [pod('a/x', given)])])).nodes;
    expect(said?.ignored.map(({ pod: which, reason }) => [which, reason.code])).toEqual([['a/x', code]]);
  });
});

describe('guarded pods are left to whoever guards them', () => {
  test.each`
    verdict    | given                                | outcome
    ${'allow'} | ${{ verdict: 'allow', reasons: [] }} | ${['going', 'n1 Draining 1', '  db/s-1 wait GuardLetsGo']}
    ${'none'}  | ${{ verdict: null, reasons: [] }}    | ${['going', 'n1 Draining 1', '  db/s-1 wait NoDecision']}
    ${'wait'}  | ${{}}                                | ${['going', 'n1 Draining 1', '  db/s-1 wait NotDrained']}
    ${'never'} | ${never}                             | ${['never', 'n1 Draining 1', '  db/s-1 never NeverEvicted']}
  `('$verdict', ({ given, outcome }) => {
    expect(plan(drain([node('n1', [guarded('s-1', given)])]))).toEqual(outcome);
  });

  test('one that has ended holds nothing', () => {
    expect(plan(drain([node('n1', [guarded('s-1', {}, { finished: true })])]))).toEqual([
      'going',
      'n1 Draining 1',
      evicts('db/s-1'),
    ]);
  });

  test('one that can never go does not keep the others of its node', () => {
    expect(plan(drain([node('n1', [guarded('s-1', never), pod('a/x')])]))).toEqual([
      'never',
      'n1 Draining 2',
      '  db/s-1 never NeverEvicted',
      evicts('a/x'),
    ]);
  });
});

describe('a pod that the API server would not evict', () => {
  const refused = (retryAt: number): Refusal => ({
    reason: { code: 'BudgetHolds', message: 'needs 2 and has 2', since: at(-5), until: null },
    retryAt: at(retryAt),
  });

  test.each`
    retryAt | outcome                      | wakeAt
    ${10}   | ${'  a/x wait BudgetHolds'}  | ${at(10)}
    ${0}    | ${'evict a/x on n1 uid-a/x'} | ${null}
    ${-1}   | ${'evict a/x on n1 uid-a/x'} | ${null}
  `('is tried again at $retryAt s: $outcome', ({ retryAt, outcome, wakeAt }) => {
    const said = planDrain(drain([node('n1', [pod('a/x', { refused: refused(retryAt) })])]));
    expect(lines(said)).toEqual(['going', 'n1 Draining 1', outcome]);
    expect(said.wakeAt).toBe(wakeAt);
  });

  test('of several the first is waited for, and the deadline', () => {
    const pods = [20, 10].map((retryAt) => pod(`a/${retryAt}`, { refused: refused(retryAt) }));
    expect(planDrain(drain([node('n1', pods)])).wakeAt).toBe(at(10));
    expect(planDrain(drain([node('n1', pods)], { deadline: at(5) })).wakeAt).toBe(at(5));
    expect(planDrain(drain([node('n1', pods)], { deadline: at(0) })).wakeAt).toBe(at(10));
    const going = pods.map((one) => ({ ...one, deletingSince: at(-1) }));
    expect(planDrain(drain([node('n1', going)])).wakeAt).toBeNull();
  });
});

describe('a node is done when everything of it is away', () => {
  test('volumes that are still attached keep it', () => {
    const [said] = planDrain(drain([node('n1', [], { attached: ['pvc-2', 'pvc-1'] })])).nodes;
    expect(said).toMatchObject({ phase: 'Draining', podsLeft: 0, reasons: [{ code: 'VolumesAttached' }] });
    expect(said?.reasons[0]?.message).toBe('the pods of n1 are gone, and pvc-1 and pvc-2 are still attached to it');
  });

  test('and so do process groups that leave and still have their claims', () => {
    const [said] = planDrain(drain([node('n1', [], { leaving: ['storage-4 of a/db'] })])).nodes;
    expect(said).toMatchObject({ phase: 'Draining', podsLeft: 0, reasons: [{ code: 'VolumesLeaving' }] });
    expect(said?.reasons[0]?.message).toBe(
      'the pods of n1 are gone, and storage-4 of a/db has its claim still: see what it waits for in the status of the cluster',
    );
  });

  test('and are not worth a word while pods are there', () => {
    expect(plan(drain([node('n1', [pod('a/x')], { attached: ['pvc-1'], leaving: ['storage-4 of a/db'] })]))).toEqual([
      'going',
      'n1 Draining 1',
      evicts('a/x'),
    ]);
  });

  test('what comes to it afterwards is no business of the drain', () => {
    expect(plan(drain([node('n1', [pod('a/x')], { recorded: 'Drained', cordoned: false })]))).toEqual([
      'done',
      'n1 Drained 0',
    ]);
  });

  test('what comes to it before that goes, too', () => {
    expect(plan(drain([node('n1', [pod('a/new')], { recorded: 'Draining' })]))).toContain(evicts('a/new'));
  });

  test('a node that was deleted and came back under its name is another one', () => {
    const nodes = [node('n1', [pod('a/x')], { recorded: 'Gone', cordoned: false })];
    expect(plan(drain(nodes))).toEqual(['done', 'n1 Gone 0 NodeGone']);
  });

  test('a node that was deleted is done, with a note', () => {
    const [said] = planDrain(drain([node('n1', [pod('a/x')], { exists: false, recorded: 'Draining' })])).nodes;
    expect(said).toMatchObject({ phase: 'Gone', podsLeft: 0, reasons: [{ code: 'NodeGone' }] });
  });
});

describe('how far it is, and when it ends', () => {
  const moving = (progressPercent: number | null, end: number | null): Partial<GuardWord> => ({
    progressPercent,
    estimatedEnd: end === null ? null : at(end),
  });
  const two = (first: Partial<GuardWord>, second: Partial<GuardWord>) => [
    node('n1', [guarded('s-1', first), guarded('s-2', second)]),
  ];

  test('progress of each pod, and the end of the last with what it is taken from', () => {
    const said = planDrain(drain(two(moving(40, 60), moving(10, 600))));
    expect(said.nodes[0]?.waiting.map(({ progressPercent, estimatedEnd }) => [progressPercent, estimatedEnd])).toEqual([
      [40, at(60)],
      [10, at(600)],
    ]);
    expect(said.estimate).toEqual({ end: at(600), basis: 'db/s-2 is the last: its data is being moved' });
  });

  test('of a copy that others follow, it is the earliest end', () => {
    const said = planDrain(drain(two(moving(40, 60), { ...moving(10, 600), moreFollows: true })));
    expect(said.nodes[0]?.waiting.map(({ moreFollows }) => moreFollows)).toEqual([false, true]);
    expect(said.estimate?.basis).toBe('db/s-2 is the last, and this is its earliest end: its data is being moved');
  });

  test.each`
    end     | known    | wakeAt
    ${10}   | ${true}  | ${70}
    ${-59}  | ${true}  | ${1}
    ${-60}  | ${false} | ${null}
    ${null} | ${false} | ${null}
  `('an end at $end s, now: known $known, until $wakeAt s', ({ end, known, wakeAt }) => {
    const said = planDrain(drain([node('n1', [guarded('s-1', moving(40, end))])]));
    expect(said.nodes[0]?.waiting).toMatchObject([{ progressPercent: 40, estimatedEnd: known ? at(end) : null }]);
    expect(said.estimate === null).toBe(!known);
    expect(said.wakeAt).toBe(wakeAt === null ? null : at(wakeAt));
    expect(planDrain(drain(two(moving(40, 600), moving(10, 60)))).estimate?.end).toBe(at(600));
  });

  test('a pod that is going is gone when its grace period is over', () => {
    const going = pod('a/x', { deletingSince: at(-9), goneBy: at(21) });
    expect(planDrain(drain([node('n1', [going])])).estimate).toMatchObject({ end: at(21) });
  });

  test.each`
    what                         | nodes
    ${'one is unknown'}          | ${two(moving(40, 60), moving(10, null))}
    ${'a node has yet to begin'} | ${[...two(moving(40, 60), moving(40, 60)), node('n2', [pod('a/x')])]}
    ${'nothing waits'}           | ${[node('n1', [pod('a/x')])]}
  `('unknown where $what', ({ nodes }) => {
    expect(planDrain(drain(nodes)).estimate).toBeNull();
  });

  test.each`
    deadline | outcome
    ${60}    | ${'NotDrained'}
    ${59}    | ${'NotDrained PastDeadline'}
    ${null}  | ${'NotDrained'}
  `('what will not be done by the deadline is said up front, and never forced: $deadline', ({ deadline, outcome }) => {
    const of = drain([node('n1', [guarded('s-1', moving(40, 60))])], {
      deadline: deadline === null ? null : at(deadline),
    });
    const said = planDrain(of);
    expect(said.nodes[0]?.waiting[0]?.reasons.map(({ code }) => code).join(' ')).toBe(outcome);
    expect(said.evict).toEqual([]);
  });
});
