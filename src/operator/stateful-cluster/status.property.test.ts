import { fc, test as property } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { ProcessGroupStatus } from '../../api/v1alpha1/process-group.schema.ts';
import { statefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import { decide } from '../../decide.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Job, Snapshot } from '../../model/snapshot.ts';
import { arbitrarySnapshot } from '../../model/testing/arbitrary-snapshot.ts';
import { at } from '../../model/testing/given.ts';
import { instant } from '../../model/time.ts';
import { isUnreachable } from '../../model/topology.ts';
import { applyRecords } from '../../plan/apply-records.ts';
import { wishFor } from '../../plan/asked.ts';
import { inOrder } from '../../plan/in-order.ts';
import { countsAsGone, surveyOf } from '../../rules/survey.ts';
import { decided, givenCluster } from '../testing/given-cluster.ts';
import { recordedIn } from './recorded.ts';
import type { StatusInput } from './status.ts';
import { sameStatus, statusOf } from './status.ts';

const runs = { numRuns: 1000 };

const forgotten = (group: ProcessGroupId): fc.Arbitrary<Job> =>
  fc.record({
    verb: fc.constant('Forget' as const),
    group: fc.constant(group),
    state: fc.constantFrom('Recorded' as const, 'Done' as const, 'Failed' as const),
    since: fc.constantFrom(at(-1), instant(at(0) - 1)),
    attempts: fc.nat(9),
    retryAt: fc.constantFrom(null, at(60)),
    message: fc.constantFrom('', 'timed out'),
    percent: fc.constantFrom(null, 3),
    secondsLeft: fc.constant(null),
  });

/** Milliseconds matter: the core compares what it recorded with what it sees. */
const oddMoment = fc.constantFrom(0, 1, 500, 999);

/** Any snapshot, decided about, over any status that was written before. */
const anyInput: fc.Arbitrary<StatusInput> = fc
  .record({ snapshot: arbitrarySnapshot(), older: arbitrarySnapshot(), odd: oddMoment, bootstrapped: fc.boolean() })
  .chain(({ snapshot, older, odd, bootstrapped }) => {
    const moved: Snapshot = { ...snapshot, now: instant(snapshot.now + odd) };
    const input = decided(moved);
    const { processGroups } = input.after;
    const jobs = fc.tuple(...processGroups.slice(0, 2).map(({ id }) => forgotten(id)));
    return jobs.map((some) => ({
      ...input,
      jobs: some,
      cluster: givenCluster({ status: statusOf(decided({ ...older, now: at(-600) })) }),
      bootstrappedAt: bootstrapped ? instant(at(-60) + odd) : null,
    }));
  });

/** A guard never makes or deletes a pod, and so leaves marks alone. */
const owned = arbitrarySnapshot().map(
  (snapshot): Snapshot => ({ ...snapshot, spec: { ...snapshot.spec, ownsPods: true } }),
);

type Waits = (row: ProcessGroupStatus, input: StatusInput) => boolean;

const groupIn = ({ processGroups }: Snapshot, id: string) => processGroups.find((group) => group.id === id);

/** By the pod itself: the condition that says so stays as it is while its zone is under maintenance. */
function isOutdated(snapshot: Snapshot, id: string): boolean {
  const group = groupIn(snapshot, id);
  const shape = snapshot.spec.roles.find((role) => role.name === group?.role)?.shape ?? null;
  const pod = group?.pod ?? null;
  return pod !== null && shape !== null && pod.shape.specHash !== shape.specHash;
}

/** Somebody wants its pod, which is there and was not let go. */
function isWanted(snapshot: Snapshot, id: string): boolean {
  const group = groupIn(snapshot, id);
  const isGoing =
    group?.pod?.deletingSince !== null ||
    snapshot.grants.some((grant) => grant.pod === group.pod?.uid && countsAsGone(grant, snapshot));
  return !isGoing && wishFor(surveyOf(snapshot), group)?.forPod !== undefined;
}

describe('a status', () => {
  property.prop([anyInput], runs)('gives back exactly what was recorded', (input) => {
    const { after, jobs, asks } = input;
    // One that was closed again before its pod went was not let go.
    const granted = new Map(
      after.grants.map(({ pod, grantedAt, closedAt, goneAt }) => [
        pod,
        closedAt === null || goneAt !== null ? grantedAt : null,
      ]),
    );
    const status = statusOf(input);
    const nodeNames = new Map(status.processGroups.map((row) => [row.processGroupID, row.nodeName]));
    expect(recordedIn(status)).toEqual({
      rows: inOrder(after.processGroups).map((group) => ({
        ...group,
        // A clock that does not say its node is on the one that the row names.
        taints: group.taints.map((clock) => {
          const node = clock.node ?? nodeNames.get(group.id) ?? null;
          return node === null ? clock : { ...clock, node: name(node) };
        }),
        pod: null,
        claim: null,
        service: null,
      })),
      grants: after.grants,
      asks: asks.map((ask) => ({ ...ask, force: null, letGoAt: granted.get(ask.pod) ?? null })),
      jobs,
      nextGroupNumber: after.nextGroupNumber,
      lastRemovalAt: after.lastRemovalAt,
      maintenance: after.maintenance,
    });
  });

  property.prop([anyInput], runs)('is one that the API server takes, and reads back as it was written', (input) => {
    const status = statusOf(input);
    expect(statefulClusterStatus.parse(JSON.parse(JSON.stringify(status)))).toEqual(status);
  });

  property.prop([anyInput], runs)('is not written again while nothing happens, however often it is read', (input) => {
    const status = statusOf(input);
    const { after } = input;
    const later = instant(after.now + 3_600_000);
    const topology = isUnreachable(after.topology) ? after.topology : { ...after.topology, observedAt: later };
    const again = statusOf({
      ...input,
      cluster: { ...input.cluster, status },
      after: { ...after, now: later, topology },
    });
    const isFirstReading = status.health.observedAt === null && !isUnreachable(topology);
    expect(isFirstReading || sameStatus(again, status)).toBe(true);
  });

  property.prop([anyInput], runs)('does not depend on the order of rows, and equal inputs give equal text', (input) => {
    const processGroups = input.after.processGroups.toReversed();
    const again = statusOf(structuredClone({ ...input, after: { ...input.after, processGroups } }));
    expect(JSON.stringify(again)).toBe(JSON.stringify(statusOf(input)));
  });

  const waiting: readonly [string, Waits][] = [
    ['leaves', ({ removalTimestamp }) => removalTimestamp !== null],
    ['has a pod that is not as the spec has it', ({ processGroupID }, { after }) => isOutdated(after, processGroupID)],
    [
      'somebody wants gone and that may not go',
      ({ processGroupID, verdict }, { after }) => verdict !== 'allow' && isWanted(after, processGroupID),
    ],
  ];
  for (const [what, waits] of waiting)
    property.prop([owned], runs)(
      `says what a process group waits for that ${what} while nothing is done`,
      (snapshot) => {
        const { records } = decide(snapshot);
        const input = decided(applyRecords(snapshot, records));
        const busy = new Set<string | null>(
          [...input.decision.actions, ...input.decision.records].map((one) => ('group' in one ? one.group : null)),
        );
        const idle = statusOf(input).processGroups.filter((row) => waits(row, input) && !busy.has(row.processGroupID));
        expect(idle.filter(({ waitingFor }) => waitingFor.length === 0)).toEqual([]);
      },
    );
});
