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

/** What a decision says, without the moment at which it says it. */
const said = (decision: Decision) => ({ ...decision, at: undefined });

const at = (snapshot: Snapshot, now: Instant): Snapshot => ({ ...snapshot, now });

/** The snapshot once everything is recorded that there is to record. */
function recorded(snapshot: Snapshot): Snapshot {
  return applyRecords(snapshot, decide(snapshot).records);
}

describe('decide', () => {
  property.prop([anything], runs)('is deterministic, changes nothing of its input, and never throws', (snapshot) => {
    const input = frozen(structuredClone(snapshot));
    expect(decide(input)).toEqual(decide(snapshot));
  });

  property.prop([anything, fc.infiniteStream(fc.nat())], runs)(
    'does not depend on the order of lists',
    (snapshot, chance) => {
      const shuffled = <T>(list: readonly T[]): T[] =>
        list
          .map((item) => ({ item, rank: chance.next().value ?? 0 }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ item }) => item);
      const { topology, nodes } = snapshot;
      const mixed: Snapshot = {
        ...snapshot,
        processGroups: shuffled(snapshot.processGroups),
        nodes: nodes === null ? null : shuffled(nodes),
        asks: shuffled(snapshot.asks),
        grants: shuffled(snapshot.grants),
        jobs: shuffled(snapshot.jobs),
        topology: isUnreachable(topology)
          ? topology
          : {
              ...topology,
              processes: shuffled(topology.processes),
              units: shuffled(topology.units.map((unit) => ({ ...unit, replicas: shuffled(unit.replicas) }))),
              quorums: shuffled(topology.quorums.map((quorum) => ({ ...quorum, members: shuffled(quorum.members) }))),
            },
      };
      expect(decide(mixed)).toEqual(decide(snapshot));
    },
  );

  property.prop([consistent], runs)(
    'two decisions in a row give nothing new to record and no new action',
    (snapshot) => {
      const first = decide(snapshot);
      const second = decide(applyRecords(snapshot, first.records));
      expect(second.records).toEqual([]);
      const known = new Set(first.actions.map((action) => JSON.stringify(action)));
      expect(second.actions.filter((action) => !known.has(JSON.stringify(action)))).toEqual([]);
    },
  );

  property.prop([consistent, fc.double({ min: 0, max: 1, noNaN: true })], runs)(
    'nothing changes by time alone before wakeAt, and something does at it',
    (snapshot, share) => {
      const settled = recorded(snapshot);
      const before = decide(settled);
      const { wakeAt } = before;
      const end = wakeAt ?? settled.now + 10 * 365 * 86_400_000;
      const between = instant(Math.floor(settled.now + (end - 1 - settled.now) * share));
      expect(said(decide(at(settled, between)))).toEqual(said(before));
      if (wakeAt === undefined) return;
      expect(wakeAt).toBeGreaterThan(settled.now);
      expect(said(decide(at(settled, wakeAt)))).not.toEqual(said(before));
    },
  );

  property.prop([anything], runs)('gives every process group a verdict, and every wait a reason', (snapshot) => {
    const { verdicts, holds } = decide(snapshot);
    const ids = [...new Set(recorded(snapshot).processGroups.map(({ id }) => id))].sort();
    expect(verdicts.map(({ group }) => group)).toEqual(ids);
    for (const { eviction, replacement } of verdicts) {
      for (const answer of [eviction, replacement]) {
        if (answer.kind !== 'allow') expect(answer.reasons[0]?.message).toMatch(/\S/);
      }
    }
    for (const { reason } of holds) expect(reason.liftedBy).toMatch(/\S/);
  });
});
