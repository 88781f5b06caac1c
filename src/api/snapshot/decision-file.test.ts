import { describe, expect, test } from 'vitest';
import type { Decision } from '../../model/decision.ts';
import { name } from '../../model/ids.ts';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import { at } from '../../model/testing/given.ts';
import { writeDecision } from './decision-file.ts';
import { epochsIn } from './testing/epochs-in.ts';

const empty: Decision = {
  cluster: name('db/orders'),
  at: at(0),
  verdicts: [],
  records: [],
  actions: [],
  holds: [],
  wakeAt: undefined,
};
const because = (reason: Reason): Decision => ({ ...empty, holds: [{ step: 'test', group: null, reason }] });

describe('a decision for programs has its times in RFC 3339', () => {
  test('its own, and that there is no next look', () => {
    expect(writeDecision(empty)).toMatchObject({ at: '2026-11-15T00:00:00Z', wakeAt: null });
    expect(writeDecision({ ...empty, wakeAt: at(0.25) })).toMatchObject({ wakeAt: '2026-11-15T00:00:00.250Z' });
  });

  test.each(Object.values(reasons).map(({ code }) => code))('those in the evidence of %s', (code) => {
    const entry = Object.values(reasons).find((one) => one.code === code);
    const example: Reason = {
      code,
      message: entry?.saysExample() ?? '',
      evidence: entry?.example ?? {},
      liftedBy: '',
      until: null,
    };
    expect(epochsIn(writeDecision(because(example)))).toEqual([]);
  });

  test('and numbers that are none stay numbers', () => {
    const reason = reasons.lastReplica(reasons.lastReplica.example);
    expect(writeDecision(because(reason))).toMatchObject({
      holds: [{ reason: { evidence: { bytes: 126_701_535_232, percent: 62, secondsLeft: 240 } } }],
    });
  });
});
