import { fc, test as property } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { Step } from '../model/decision.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { arbitrarySnapshot } from '../model/testing/arbitrary-snapshot.ts';
import { instant } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { cancelReplacements } from './cancel.ts';
import { createObjects } from './create-objects.ts';
import { grow } from './grow.ts';
import { observeConditions } from './observe-conditions.ts';
import { removeRequested } from './remove-requested.ts';
import { replaceAsked } from './replace-asked.ts';
import { replaceFailed } from './replace-failed.ts';
import { replaceMisconfigured } from './replace-misconfigured.ts';
import { shrink } from './shrink.ts';
import { observeTaints } from './taints.ts';

const steps: readonly (readonly [string, (survey: Survey) => Step])[] = [
  ['observeConditions', observeConditions],
  ['observeTaints', observeTaints],
  ['cancelReplacements', cancelReplacements],
  ['removeRequested', removeRequested],
  ['replaceMisconfigured', replaceMisconfigured],
  ['replaceFailed', replaceFailed],
  ['replaceAsked', replaceAsked],
  ['shrink', shrink],
  ['grow', grow],
  ['createObjects', createObjects],
];
const runs = { numRuns: 1000 };

/** What a step says once all that it has to record is recorded. A mark uses up room, so it can take two rounds. */
function settled(step: (survey: Survey) => Step, snapshot: Snapshot): Snapshot {
  let after = snapshot;
  for (let round = 0; round < 4; round += 1) after = applyRecords(after, step(surveyOf(after)).records);
  return after;
}

/** Says of which step it is not true. Making the snapshots is what takes the time, so that all steps look at the same ones. */
const forEachStep = (check: (step: (survey: Survey) => Step) => void): void => {
  for (const [name, step] of steps) {
    try {
      check(step);
    } catch (cause) {
      throw new Error(name, { cause });
    }
  }
};

describe('every step', () => {
  property.prop([arbitrarySnapshot(), fc.infiniteStream(fc.nat())], runs)(
    'does not depend on order',
    (snapshot, chance) => {
      const shuffled = <T>(list: readonly T[]): T[] =>
        list
          .map((item) => ({ item, rank: chance.next().value ?? 0 }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ item }) => item);
      const { nodes, topology, spec } = snapshot;
      const mixed: Snapshot = {
        ...snapshot,
        spec: {
          ...spec,
          roles: shuffled(spec.roles),
          processGroupsToRemove: shuffled(spec.processGroupsToRemove),
          cancelReplacements: shuffled(spec.cancelReplacements),
          replacements: { ...spec.replacements, taints: shuffled(spec.replacements.taints) },
        },
        processGroups: shuffled(
          snapshot.processGroups.map((group) => ({ ...group, conditions: shuffled(group.conditions) })),
        ),
        nodes: nodes === null ? null : shuffled(nodes.map((node) => ({ ...node, taints: shuffled(node.taints) }))),
        asks: shuffled(snapshot.asks),
        topology: 'processes' in topology ? { ...topology, processes: shuffled(topology.processes) } : topology,
      };
      const [a, b] = [surveyOf(mixed), surveyOf(snapshot)];
      forEachStep((step) => expect(step(a)).toEqual(step(b)));
    },
  );

  property.prop([arbitrarySnapshot()], runs)('says nothing new of what it recorded', (snapshot) => {
    forEachStep((step) => expect(step(surveyOf(settled(step, snapshot))).records).toEqual([]));
  });

  property.prop([arbitrarySnapshot(), fc.double({ min: 0, max: 1, noNaN: true })], runs)(
    'says the same until wakeAt, and something else at it',
    (snapshot, share) => {
      // The end of a grant's grace wakes the step that keeps the grants.
      const grants = snapshot.grants.map((grant) => ({ ...grant, closedAt: null }));
      forEachStep((step) => {
        const before = settled(step, { ...snapshot, grants });
        const said = step(surveyOf(before));
        const end = said.wakeAt ?? before.now + 10 * 365 * 86_400_000;
        const between = instant(Math.floor(before.now + (end - 1 - before.now) * share));
        expect(step(surveyOf({ ...before, now: between }))).toEqual(said);
        if (said.wakeAt === undefined) return;
        expect(said.wakeAt).toBeGreaterThan(before.now);
        expect(step(surveyOf({ ...before, now: said.wakeAt }))).not.toEqual(said);
      });
    },
  );
});
