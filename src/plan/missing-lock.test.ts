import { expect, test } from 'vitest';
import type { RoleName } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import { replaceFailed } from './replace-failed.ts';
import { held, saysOf } from './testing/cluster.ts';

const neverMade = { pod: null, claim: null, service: null, addresses: [], conditions: [held('MissingPod', -7200)] };
const wasThere = { ...neverMade, addresses: ['10.0.0.1'] };
const missingBudgets = [{ role: name<RoleName>('storage'), budget: 'lock', message: 'full' }];

test.each([
  ['waits for its lock is not replaced: its successor would wait too', neverMade, { missingBudgets }, 'BudgetMissing'],
  ['was never made for another reason is', neverMade, {}, 'mark storage-1'],
  ['has served is replaced without a lock', wasThere, { missingBudgets }, 'mark storage-1'],
])('what %s', (_, group, snapshot, expected) => {
  const [said] = saysOf(replaceFailed, { groups: { 'storage-1': group }, snapshot });
  expect(said).toContain(expected);
});
