import { expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { sayWaits } from './say-waits.ts';

const missing = 'whether it has a seat in a quorum';
const unknown = (group: string) => reasons.factUnknown({ group: name(group), missing });
const kept = reasons.seatIsKept({ group: name('log-1'), quorum: 'coordinators' });

test('what waits for the same thing is told once, with how many there are', () => {
  const [first, second] = [unknown('log-2'), unknown('log-3')];
  expect(sayWaits([first, kept, second, unknown('log-4')])).toEqual([
    `${first.message} (2 more wait with FactUnknown)`,
    kept.message,
  ]);
  expect(sayWaits([second])).toEqual([second.message]);
  expect(sayWaits([])).toEqual([]);
});
