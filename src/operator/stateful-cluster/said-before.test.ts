import { describe, expect, test } from 'vitest';
import { statefulCluster } from '../../api/kinds.ts';
import type { Decision } from '../../model/decision.ts';
import { name } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import { at } from '../../model/testing/given.ts';
import { eventsFor } from '../events/explain.ts';
import { saidBefore } from './said-before.ts';
import { unknownIdsOf } from './status-conditions.ts';

/** A decision about a spec that lists these, none of which exist. */
const listing = (...ids: readonly string[]): Decision => ({
  cluster: name('db/orders'),
  at: at(0),
  verdicts: [],
  records: [],
  actions: [],
  holds: ids.map((id) => ({
    step: 'remove-requested',
    group: null,
    reason: reasons.unknownProcessGroup({ id, list: 'processGroupsToRemove' }),
  })),
  wakeAt: undefined,
});

/** The status that such a decision leaves behind. */
const statusAfter = (decision: Decision) =>
  statefulCluster.status.parse({
    conditions: [{ ...unknownIdsOf(decision), lastTransitionTime: '2026-11-15T00:00:00Z', observedGeneration: 1 }],
  });

describe('an operator that has just begun', () => {
  test.each<[string, readonly string[], readonly string[], number]>([
    ['the one id that it was', ['storage-7'], ['storage-7'], 0],
    ['the two ids that they were', ['storage-7', 'log-8'], ['storage-7', 'log-8'], 0],
    ['another id', ['storage-7'], ['storage-8'], 1],
    ['an id where there was none', [], ['storage-7'], 1],
    ['one id more', ['storage-7'], ['storage-7', 'storage-8'], 2],
  ])('finds %s: what the status says was told', (_, then, now, told) => {
    const decision = listing(...now);
    expect(eventsFor(decision, saidBefore(statusAfter(listing(...then)), decision))).toHaveLength(told);
  });

  test.each<[string, number]>([
    ['CoordinatorsNotChosen', 0],
    ['SetUpUnanswered', 1],
    ['NothingWaits', 1],
  ])('finds a database that is not set up for want of zones, and Blocked with %s: told %i times', (reason, told) => {
    const wait = reasons.coordinatorsNotChosen({ subject: 'db/orders', why: '2 zones', since: at(0) });
    const decision = { ...listing(), holds: [{ step: 'set-up', group: null, reason: wait }] };
    const blocked = { type: 'Blocked', status: 'True', reason, message: 'then it was 1 zone' };
    const status = statefulCluster.status.parse({
      conditions: [{ ...blocked, lastTransitionTime: '2026-11-15T00:00:00Z', observedGeneration: 1 }],
    });
    expect(eventsFor(decision, saidBefore(status, decision))).toHaveLength(told);
  });
});
