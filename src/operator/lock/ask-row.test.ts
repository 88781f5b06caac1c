import { expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import type { Ask } from '../../model/snapshot.ts';
import { instant } from '../../model/time.ts';
import { askOf } from './ask-row.ts';

test('a decision is shown what it needs of an ask, and nothing that a saved snapshot has no room for', () => {
  const ask: Ask = {
    group: name('storage-1'),
    pod: name('u-1'),
    node: name('n1'),
    source: 'Eviction',
    by: 'jane',
    since: instant(0),
    lastSeen: instant(60_000),
    force: null,
    wants: 'Pod',
  };
  const row = { ...ask, name: 'orders-storage-1', cordoned: true, letGoAt: null };
  expect(askOf({ ...row, times: 3 })).toEqual(ask);
  expect(askOf({ ...row, times: 0 })).toEqual({ ...ask, wants: 'Node' });
});
