import { describe, expect, test } from 'vitest';
import { nodeDrain } from '../../api/kinds.ts';
import type { NodeDrainStatus } from '../../api/v1alpha1/node-drain.schema.ts';
import type { Drain, DrainPlan, NodePlan, WaitingPod } from '../../model/drain.ts';
import { name } from '../../model/ids.ts';
import { at } from '../../model/testing/given.ts';
import { timestampOf } from '../status/moments.ts';
import type { ReadDrain } from './drain.ts';
import { eventsBetween } from './events.ts';
import { samePhases, sameStatus, statusOf } from './status.ts';

const waiting = (pod: string, code = 'BudgetHolds', given: Partial<WaitingPod> = {}): WaitingPod => ({
  pod,
  kind: 'wait',
  reasons: [{ code, message: `${pod} says ${code}`, since: null, until: null }],
  progressPercent: null,
  estimatedEnd: null,
  ...given,
});
const node = (text: string, given: Partial<NodePlan> = {}): NodePlan => ({
  name: name(text),
  phase: 'Draining',
  reasons: [],
  podsLeft: given.waiting?.length ?? 0,
  waiting: [],
  ignored: [],
  ...given,
});
const plan = (nodes: readonly NodePlan[], given: Partial<DrainPlan> = {}): DrainPlan => ({
  outlook: 'going',
  nodes,
  cordon: [],
  evict: [],
  estimate: null,
  wakeAt: null,
  ...given,
});
const read = (status: object = {}): ReadDrain => ({
  name: 'upgrade',
  uid: 'u',
  generation: 1,
  resourceVersion: '1',
  finalizers: [],
  spec: nodeDrain.spec.parse({ nodes: ['n1'] }),
  status: nodeDrain.status.parse(status),
});
const drain = (deadline: number | null, now = 0): Drain => ({
  name: 'upgrade',
  now: at(now),
  nodes: [],
  maxConcurrentNodes: 1,
  deadline: deadline === null ? null : at(deadline),
  pods: { ignoreDaemonSets: true, deleteEmptyDirData: false, force: false },
});
const made = (of: DrainPlan, before: object = {}, deadline: number | null = null, now = 0): NodeDrainStatus =>
  statusOf({ read: read(before), drain: drain(deadline, now), plan: of, cordoned: new Set(['n1']) });
const condition = (status: NodeDrainStatus, type: string) => status.conditions.find((one) => one.type === type);

describe('the status of a drain', () => {
  test('while nothing happens it stays what it is', () => {
    const of = plan([node('n1', { waiting: [waiting('a/x')] })]);
    const first = made(of);
    expect(sameStatus(made(of, first, null, 600), first)).toBe(true);
    expect(first.nodes[0]).toMatchObject({ cordonedByDrain: true, podsLeft: 1, podsWaiting: 1 });
    expect(first.startedAt).toBe(timestampOf(at(0)));
  });

  test('lists a hundred pods over all nodes, what never goes first, and counts all', () => {
    const many = (prefix: string) => Array.from({ length: 80 }, (_, index) => waiting(`${prefix}/${index}`));
    const last = waiting('b/zz', 'UnmanagedPod', { kind: 'never' });
    const { nodes, counts } = made(
      plan([node('n1', { waiting: many('a') }), node('n2', { waiting: [...many('b'), last] })]),
    );
    expect(nodes.map((row) => row.waiting.length)).toEqual([80, 20]);
    expect(nodes[1]?.waiting[0]).toMatchObject({ pod: 'b/zz', verdict: 'never' });
    expect(counts).toEqual({ nodes: 2, nodesDrained: 0, podsLeft: 161, podsWaiting: 161 });
    expect(nodeDrain.status.safeParse(made(plan([node('n1', { waiting: many('a') })]))).success).toBe(true);
  });

  test('a step of a node is one, a pod less is none', () => {
    const first = made(plan([node('n1', { waiting: [waiting('a/x'), waiting('a/y')] })]));
    expect(samePhases(made(plan([node('n1', { waiting: [waiting('a/x')] })]), first), first)).toBe(true);
    expect(samePhases(made(plan([node('n1', { phase: 'Drained' })], { outlook: 'done' }), first), first)).toBe(false);
  });

  test('an end that moves by seconds is the same end', () => {
    const ends = (end: number) =>
      plan([node('n1', { waiting: [waiting('a/x', 'NotDrained', { estimatedEnd: at(end) })] })]);
    const first = made(ends(600));
    expect(made(ends(603), first).nodes).toEqual(first.nodes);
    expect(made(ends(700), first).nodes).not.toEqual(first.nodes);
  });
});

describe('whether the deadline can be kept is said up front', () => {
  const one = (pod: WaitingPod) => plan([node('n1', { waiting: [pod] })]);

  test.each`
    what                          | deadline | now    | of                                                                                    | reason              | words
    ${'there is none'}            | ${null}  | ${0}   | ${one(waiting('a/x'))}                                                                | ${'NoDeadline'}     | ${'there is no deadline'}
    ${'nothing waits'}            | ${100}   | ${0}   | ${plan([node('n1')])}                                                                 | ${'OnTime'}         | ${'it should be done by'}
    ${'it ends before'}           | ${100}   | ${0}   | ${one(waiting('a/x', 'NotDrained', { estimatedEnd: at(99) }))}                        | ${'OnTime'}         | ${'it should be done by'}
    ${'it ends after'}            | ${100}   | ${0}   | ${one(waiting('a/x', 'NotDrained', { estimatedEnd: at(101) }))}                       | ${'TooSlow'}        | ${'it cannot be done by'}
    ${'it never ends'}            | ${100}   | ${0}   | ${one(waiting('a/x', 'UnmanagedPod', { kind: 'never' }))}                             | ${'CannotEnd'}      | ${'because a/x says UnmanagedPod'}
    ${'others follow'}            | ${100}   | ${0}   | ${one(waiting('a/x', 'HoldsReplicas', { estimatedEnd: at(99), moreFollows: true }))}  | ${'NotKnown'}       | ${'because a/x says HoldsReplicas'}
    ${'others follow, too late'}  | ${100}   | ${0}   | ${one(waiting('a/x', 'HoldsReplicas', { estimatedEnd: at(101), moreFollows: true }))} | ${'TooSlow'}        | ${'a/x should be ready at'}
    ${'no end is known'}          | ${100}   | ${0}   | ${one(waiting('a/x'))}                                                                | ${'NotKnown'}       | ${'because a/x says BudgetHolds'}
    ${'a node has yet to begin'}  | ${100}   | ${0}   | ${plan([node('n1', { phase: 'Pending' })])}                                           | ${'NotKnown'}       | ${'some nodes have yet to begin'}
    ${'it is over'}               | ${100}   | ${100} | ${one(waiting('a/x'))}                                                                | ${'DeadlinePassed'} | ${'nothing is forced'}
    ${'it is over, and all done'} | ${100}   | ${200} | ${plan([node('n1', { phase: 'Drained' })], { outlook: 'done' })}                      | ${'OnTime'}         | ${'it is done'}
  `('$what: $reason', ({ deadline, now, of, reason, words }) => {
    const said = condition(made(of, {}, deadline, now), 'DeadlineAtRisk');
    expect(said).toMatchObject({ reason, message: expect.stringContaining(words) });
  });
});

describe('what holds it up', () => {
  test.each`
    what                               | given                                                                                             | reason
    ${'nothing'}                       | ${node('n1')}                                                                                     | ${'NothingWaits'}
    ${'a pod that is going'}           | ${node('n1', { waiting: [waiting('a/x', 'PodGoing', { estimatedEnd: at(9) })] })}                 | ${'NothingWaits'}
    ${'a pod that should be gone'}     | ${node('n1', { waiting: [waiting('a/x', 'PodGoing', { estimatedEnd: at(-9) })] })}                | ${'PodGoing'}
    ${'a budget'}                      | ${node('n1', { waiting: [waiting('a/x')] })}                                                      | ${'BudgetHolds'}
    ${'a volume'}                      | ${node('n1', { reasons: [{ code: 'VolumesAttached', message: 'm', since: null, until: null }] })} | ${'VolumesAttached'}
    ${'its turn, which is no hold-up'} | ${node('n1', { reasons: [{ code: 'NodeWaits', message: 'm', since: null, until: null }] })}       | ${'NothingWaits'}
  `('$what: $reason', ({ given, reason }) => {
    expect(condition(made(plan([given])), 'Blocked')?.reason).toBe(reason);
  });

  test('is what has waited longest', () => {
    const since = (pod: string, code: string, moment: number) =>
      waiting(pod, code, { reasons: [{ code, message: pod, since: at(moment), until: null }] });
    const of = plan([node('n1', { waiting: [since('a/x', 'Young', -10), since('a/y', 'Old', -60)] })]);
    expect(condition(made(of), 'Blocked')).toMatchObject({ reason: 'Old', message: 'a/y; 1 other waits, too' });
  });
});

test('events tell every step and every wait once', () => {
  const first = made(plan([node('n1', { waiting: [waiting('a/x'), waiting('a/y', 'PodGoing')] })]));
  const reasonsOf = (before: NodeDrainStatus, now: NodeDrainStatus) =>
    eventsBetween(before, now).map(({ reason }) => reason);
  expect(reasonsOf(read().status, first)).toEqual(['NodeDraining', 'BudgetHolds']);
  expect(reasonsOf(first, first)).toEqual([]);
  const last = made(plan([node('n1', { phase: 'Drained' })], { outlook: 'done' }), first);
  expect(reasonsOf(first, last)).toEqual(['NodeDrained', 'Completed']);
});
