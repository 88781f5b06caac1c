import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Decision } from '../../model/decision.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { instant } from '../../model/time.ts';
import { Chronicle } from './chronicle.ts';

const group = name<ProcessGroupId>('db-1');
const nothing: Decision = {
  records: [],
  actions: [],
  holds: [],
  verdicts: [],
  wakeAt: undefined,
  cluster: name('a/b'),
  at: instant(0),
};
const moving = (percent: number) => ({
  step: 'grants',
  group,
  reason: reasons.lastReplica({
    group,
    unit: 'shard s1',
    others: [],
    more: 0,
    percent,
    bytes: null,
    secondsLeft: null,
  }),
});
const handsOff = {
  act: 'hand-off',
  group,
  processes: [],
  reason: reasons.quorumLeader({ group, quorum: 'log' }),
} as const;

/** What is told of decisions that follow each other. */
function told(decisions: readonly Partial<Decision>[]): readonly string[] {
  const lines: string[] = [];
  const chronicle = new Chronicle(new VirtualClock(), ({ kind, text }) => lines.push(`${kind} ${text}`));
  for (const decision of decisions) chronicle.note('shop', { ...nothing, ...decision });
  return lines;
}

describe('the chronicle', () => {
  test('tells a wait once, whatever its figures say, and again when it comes back', () => {
    const lines = told([{ holds: [moving(1)] }, { holds: [moving(2)] }, {}, { holds: [moving(3)] }]);
    expect(lines).toEqual([
      'waits db-1 stays: it holds the only healthy copy of shard s1; another copy is being made, 1 %',
      'waits db-1 stays: it holds the only healthy copy of shard s1; another copy is being made, 3 %',
    ]);
  });

  test('tells an action once while it is taken again and again', () => {
    expect(told([{ actions: [handsOff] }, { actions: [handsOff] }])).toEqual(['does db-1 hands its leadership over']);
  });

  test('says nothing of what only the status needs', () => {
    const records = [{ record: 'addresses', group, addresses: ['10.0.0.1:1'] }] as const;
    expect(told([{ records }])).toEqual([]);
  });
});
