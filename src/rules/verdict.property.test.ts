import { fc, test as property } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { Verdict } from '../model/decision.ts';
import { name } from '../model/ids.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { arbitrarySnapshot } from '../model/testing/arbitrary-snapshot.ts';
import { givenProcess, givenReplica } from '../model/testing/given.ts';
import { isUnreachable } from '../model/topology.ts';
import { jointlySafe, withLetGo } from './joint.ts';
import { rulesFor } from './role-table.ts';
import { surveyOf } from './survey.ts';
import { forgetful } from './testing/forget.ts';
import { harmOf } from './testing/oracle.ts';
import { verdictOf } from './verdict.ts';

const cases = { numRuns: 10_000 };
/** They take three seconds each, and much longer beside a build. */
const patience = 300_000;

const verdictsOf = (snapshot: Snapshot): readonly Verdict[] => {
  const survey = surveyOf(snapshot);
  return snapshot.processGroups.map((group) => verdictOf(survey, group));
};

/** The ids of those that may go, and of those that may be replaced. */
const allowed = (verdicts: readonly Verdict[]): readonly string[] =>
  verdicts.flatMap(({ group, eviction, replacement }) => [
    ...(eviction.kind === 'allow' ? [`${group} evicted`] : []),
    ...(replacement.kind === 'allow' ? [`${group} replaced`] : []),
  ]);

/** Little is wrong, so that much may go: there the last copy and the quorum are what is left to go by. */
const fairlyWell = arbitrarySnapshot({
  engines: ['http', 'longhorn', 'etcd'],
  contradictions: false,
  unreachable: false,
  unknowns: false,
});

describe('verdicts, for any snapshot', () => {
  property.prop([fc.oneof(arbitrarySnapshot(), fairlyWell)], cases)(
    'what is let go together breaks nothing',
    (snapshot) => {
      const together = jointlySafe(surveyOf(snapshot), snapshot.processGroups)
        .filter(({ eviction }) => eviction.kind === 'allow')
        .map(({ group }) => group);
      expect(harmOf(snapshot, together)).toEqual([]);
    },
    patience,
  );

  property.prop([arbitrarySnapshot({ maxGroups: 3, maxUnits: 2 }), fc.nat()], cases)(
    'knowing less never lets more go',
    (snapshot, pick) => {
      const less = [...forgetful(snapshot)];
      const forgotten = less[pick % Math.max(1, less.length)] ?? snapshot;
      expect(allowed(verdictsOf(snapshot))).toEqual(expect.arrayContaining([...allowed(verdictsOf(forgotten))]));
    },
    patience,
  );

  property.prop([arbitrarySnapshot({ unreachable: false }), fc.nat(9)], cases)(
    'one more healthy copy elsewhere never holds anything',
    (snapshot, pick) => {
      const more = withOneMoreCopy(snapshot, pick);
      expect(allowed(verdictsOf(more))).toEqual(expect.arrayContaining([...allowed(verdictsOf(snapshot))]));
    },
    patience,
  );

  property.prop([arbitrarySnapshot(), fc.nat(9)], cases)(
    'letting another go never lets more go',
    (snapshot, pick) => {
      const survey = surveyOf(snapshot);
      const other = snapshot.processGroups[pick % snapshot.processGroups.length];
      if (other === undefined) return;
      const later = withLetGo(survey, other);
      const after = snapshot.processGroups.map((group) => verdictOf(later, group));
      expect(allowed(verdictsOf(snapshot))).toEqual(expect.arrayContaining([...allowed(after)]));
    },
    patience,
  );

  property.prop([arbitrarySnapshot(), fc.nat()], cases)(
    'the order of lists does not matter, and nothing is changed',
    (snapshot, seed) => {
      const before = JSON.stringify(snapshot);
      const straight = verdictsOf(snapshot);
      const mixed = verdictsOf(shuffled(snapshot, seed));
      expect(inOrder(mixed)).toBe(inOrder(straight));
      expect(JSON.stringify(snapshot)).toBe(before);
    },
    patience,
  );
});

/** As text, because comparing texts is much faster. */
const inOrder = (verdicts: readonly Verdict[]): string => JSON.stringify(verdicts.toSorted(byGroup), null, 1);

const byGroup = (a: Verdict, b: Verdict): number => (a.group < b.group ? -1 : 1);

/** A server that nobody else is on takes a copy of one of the units. */
function withOneMoreCopy(snapshot: Snapshot, pick: number): Snapshot {
  const view = snapshot.topology;
  const unit = isUnreachable(view) ? undefined : view.units[pick % Math.max(1, view.units.length)];
  if (isUnreachable(view) || unit === undefined) return snapshot;
  const role = snapshot.processGroups.find((group) => rulesFor(snapshot.spec.engine, group.role)?.holdsData)?.role;
  const extra = givenProcess('extra', { group: null, role: role ?? name('storage') });
  const grown = { ...unit, replicas: [...unit.replicas, givenReplica('extra')] };
  return {
    ...snapshot,
    topology: {
      ...view,
      processes: [...view.processes, extra],
      units: view.units.map((each) => (each === unit ? grown : each)),
    },
  };
}

/** Every list of what was seen, at any depth, in another order. The lists of the spec mean something by their order. */
function shuffled(snapshot: Snapshot, seed: number): Snapshot {
  let state = seed;
  const chance = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) % 2 ** 31;
    return state;
  };
  const mix = (value: unknown): unknown => {
    if (Array.isArray(value))
      return value
        .map((item) => ({ item: mix(item), key: chance() }))
        .sort(byKey)
        .map(itemOf);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mix(each)]));
  };
  const seen = { processGroups: snapshot.processGroups, nodes: snapshot.nodes, topology: snapshot.topology };
  const told = { grants: snapshot.grants, asks: snapshot.asks, jobs: snapshot.jobs };
  return Object.assign({}, snapshot, mix({ ...seen, ...told }));
}

const byKey = (a: { readonly key: number }, b: { readonly key: number }): number => a.key - b.key;
const itemOf = ({ item }: { readonly item: unknown }): unknown => item;
