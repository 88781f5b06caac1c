import { fc, test as property } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { decide } from './decide.ts';
import type { Decision } from './model/decision.ts';
import type { Snapshot } from './model/snapshot.ts';
import { arbitrarySnapshot } from './model/testing/arbitrary-snapshot.ts';
import type { Instant } from './model/time.ts';
import { instant } from './model/time.ts';
import { isUnreachable } from './model/topology.ts';
import { applyRecords } from './plan/apply-records.ts';

const runs = { numRuns: 10_000 };
/** They take ten seconds each, and much longer beside a build. */
const patience = 300_000;
/** Everything that can happen, contradictions included. */
const anything = arbitrarySnapshot();
const consistent = arbitrarySnapshot({ contradictions: false });

const { freeze } = Object;
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}

/** Compared as texts first, because that is much faster, and nearly always enough. */
function expectSame(is: unknown, should: unknown, what: string): void {
  if (JSON.stringify(is) !== JSON.stringify(should)) expect(is, what).toEqual(should);
}

/** What a decision says, without the moment at which it says it. */
const said = (decision: Decision) => ({ ...decision, at: undefined });

const at = (snapshot: Snapshot, now: Instant): Snapshot => ({ ...snapshot, now });

/** The same with its lists in another order. */
function mixedUp(snapshot: Snapshot, rank: () => number): Snapshot {
  const mixed = <T>(list: readonly T[]): T[] =>
    list
      .map((item) => ({ item, rank: rank() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  const { topology, nodes } = snapshot;
  return {
    ...snapshot,
    processGroups: mixed(snapshot.processGroups),
    nodes: nodes === null ? null : mixed(nodes),
    asks: mixed(snapshot.asks),
    grants: mixed(snapshot.grants),
    jobs: mixed(snapshot.jobs),
    topology: isUnreachable(topology)
      ? topology
      : {
          ...topology,
          processes: mixed(topology.processes),
          units: mixed(topology.units.map((unit) => ({ ...unit, replicas: mixed(unit.replicas) }))),
          quorums: mixed(topology.quorums.map((quorum) => ({ ...quorum, members: mixed(quorum.members) }))),
        },
  };
}

/** Every process group has a verdict, and every wait a reason. */
function expectReasons(snapshot: Snapshot, { verdicts, holds, records }: Decision): void {
  const groups = applyRecords(snapshot, records).processGroups;
  expect(verdicts.map(({ group }) => group)).toEqual([...new Set(groups.map(({ id }) => id))].sort());
  const unsaid = verdicts
    .flatMap(({ eviction, replacement }) => [eviction, replacement])
    .filter((answer) => answer.kind !== 'allow' && !/\S/.test(answer.reasons[0]?.message ?? ''));
  expect(unsaid).toEqual([]);
  expect(holds.filter(({ reason }) => !/\S/.test(reason.liftedBy))).toEqual([]);
}

// Several claims to a case: making the snapshots and deciding on them is what takes the time.
describe('decide', () => {
  property.prop([anything, fc.infiniteStream(fc.nat())], runs)(
    'is deterministic, changes nothing of its input, never throws, does not depend on the order of lists, gives every group a verdict and every wait a reason',
    (snapshot, ranks) => {
      const decision = decide(snapshot);
      expectSame(decide(frozen(structuredClone(snapshot))), decision, 'the same from a frozen copy');
      const mixed = mixedUp(snapshot, () => ranks.next().value ?? 0);
      expectSame(decide(mixed), decision, 'the same from lists in another order');
      expectReasons(snapshot, decision);
    },
    patience,
  );

  property.prop([consistent, fc.double({ min: 0, max: 1, noNaN: true })], runs)(
    'once recorded there is nothing new to record or to do; nothing changes by time alone before wakeAt, and something does at it',
    (snapshot, share) => {
      const first = decide(snapshot);
      const settled = applyRecords(snapshot, first.records);
      const second = decide(settled);
      expect(second.records).toEqual([]);
      const known = new Set(first.actions.map((action) => JSON.stringify(action)));
      expect(second.actions.filter((action) => !known.has(JSON.stringify(action)))).toEqual([]);
      const { wakeAt } = second;
      const end = wakeAt ?? settled.now + 10 * 365 * 86_400_000;
      const between = instant(Math.floor(settled.now + (end - 1 - settled.now) * share));
      expectSame(said(decide(at(settled, between))), said(second), 'the same until wakeAt');
      if (wakeAt === undefined) return;
      expect(wakeAt).toBeGreaterThan(settled.now);
      expect(said(decide(at(settled, wakeAt)))).not.toEqual(said(second));
    },
    patience,
  );
});
