import { expect, test } from 'vitest';
import type { Millis } from '../../kube/clock.ts';
import { seconds } from '../../kube/clock.ts';
import type { Decision } from '../../model/decision.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { at, givenAsk, givenGrant, givenGroup, givenSnapshot, givenTopology } from '../../model/testing/given.ts';
import { untilNext } from './next-look.ts';

const removal = { at: at(-5), cause: 'Failed', withoutExclusion: false } as const;

interface Given {
  readonly snapshot?: Partial<Snapshot>;
  readonly after?: Partial<Snapshot>;
  readonly decision?: Partial<Decision>;
  readonly notes?: number;
  readonly withRepeated?: Millis;
}

function next({ snapshot = {}, after = {}, decision = {}, notes = 0, withRepeated }: Given): number {
  const before = givenSnapshot({ processGroups: [givenGroup('a')], topology: givenTopology({}), ...snapshot });
  const nothing = { cluster: before.cluster, at: before.now, verdicts: [], records: [], actions: [], holds: [] };
  const made = {
    snapshot: before,
    after: { ...before, ...after },
    decision: { ...nothing, wakeAt: undefined, ...decision },
  };
  return untilNext(made, notes, { withSilence: seconds(7), withRepeated }) / 1000;
}

test.each<[string, Given, number]>([
  ['at rest', {}, 30],
  ['one is marked', { after: { processGroups: [givenGroup('a', { removal })] } }, 5],
  ['one is being emptied', { after: { processGroups: [givenGroup('a', { evacuationAt: at(-5) })] } }, 5],
  ['someone asks', { snapshot: { asks: [givenAsk('a')] } }, 5],
  ['one was let go', { after: { grants: [givenGrant('a')] } }, 5],
  ['something is still to be written down', { notes: 1 }, 5],
  ['the engine is silent', { snapshot: { topology: { unreachable: 'refused', since: at(-9) } } }, 7],
  ['time changes something before', { decision: { wakeAt: at(3) } }, 3],
  ['time changes something later', { decision: { wakeAt: at(300) } }, 30],
  ['time changes something at once: not more often than that', { decision: { wakeAt: at(0) } }, 0.1],
  ['the engine repeated itself', { withRepeated: seconds(2) }, 2],
])('the engine is looked at again: %s', (_, given, expected) => {
  expect(next(given)).toBe(expected);
});
