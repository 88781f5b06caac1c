import { expect, test } from 'vitest';
import type { Answer, Decision, Hold } from '../../model/decision.ts';
import { allow } from '../../model/decision.ts';
import { name } from '../../model/ids.ts';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import { at } from '../../model/testing/given.ts';
import { clusterWaitsIn, waitsIn } from './waits.ts';

const group = 'storage-1';
const cap = reasons.replacementCap({ group, inFlight: 1, cap: 1 });
const never = reasons.neverReplaced({ group, role: 'single' });
const notEvicted = reasons.neverEvicted({ group, role: 'single' });
const ignored = reasons.taintIgnored({ group, key: 'a' });
const unreadable = reasons.nodesUnreadable({});
const unknownId = reasons.unknownProcessGroup({ id: 'x-1', list: 'processGroupsToRemove' });

const hold = (reason: Reason, about: string | null = group): Hold => ({
  step: 'any',
  group: about === null ? null : name(about),
  reason,
});

const decision = (holds: readonly Hold[], answers: { eviction?: Answer; replacement?: Answer } = {}): Decision => ({
  cluster: name('db/orders'),
  at: at(0),
  verdicts: [{ group: name(group), eviction: allow, replacement: allow, ...answers }],
  records: [],
  actions: [],
  holds,
  wakeAt: undefined,
});

const codes = (of: Decision) => [...waitsIn(of)].map(([id, found]) => [id, ...found.map(({ code }) => code)]);

test('a process group waits for what the plan holds it for, in its order, each code once', () => {
  const other = reasons.cancelled({ group });
  const again = reasons.replacementCap({ group, inFlight: 2, cap: 2 });
  expect(codes(decision([hold(cap), hold(other), hold(again), hold(other, 'log-1')]))).toEqual([
    [group, 'ReplacementCap', 'Cancelled'],
    ['log-1', 'Cancelled'],
  ]);
});

test.each`
  answers
  ${{ replacement: { kind: 'never', reasons: [never] } }}
  ${{ eviction: { kind: 'never', reasons: [never] } }}
`('what never ends by itself comes first', ({ answers }) => {
  expect(codes(decision([hold(cap), hold(never)], answers))).toEqual([[group, 'NeverReplaced', 'ReplacementCap']]);
});

test('what the verdict only makes wait does not', () => {
  const answers = { eviction: { kind: 'wait', reasons: [notEvicted] } } as const;
  expect(codes(decision([hold(cap), hold(notEvicted)], answers))).toEqual([[group, 'ReplacementCap', 'NeverEvicted']]);
});

test('nobody waits for a taint that is ignored', () => {
  expect(codes(decision([hold(ignored)]))).toEqual([]);
  expect(codes(decision([hold(ignored), hold(cap)]))).toEqual([[group, 'ReplacementCap']]);
});

test('what is about the whole cluster is told apart from what is about a process group; unknown ids are no wait', () => {
  const all = decision([hold(unreadable, null), hold(unknownId, null), hold(unreadable, null), hold(cap)]);
  expect(clusterWaitsIn(all)).toEqual([unreadable]);
  expect(codes(all)).toEqual([[group, 'ReplacementCap']]);
});
