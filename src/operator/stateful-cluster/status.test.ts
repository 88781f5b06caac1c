import { describe, expect, test } from 'vitest';
import { maxProcessGroups } from '../../api/v1alpha1/process-group.schema.ts';
import { decide } from '../../decide.ts';
import { name } from '../../model/ids.ts';
import { unknown } from '../../model/known.ts';
import { at, givenGroup, givenHealth, givenPod, givenProcess, givenTopology } from '../../model/testing/given.ts';
import { timestampOf } from '../status/moments.ts';
import { decided } from '../testing/given-cluster.ts';
import { ids, over, scene, written } from '../testing/storage-scene.ts';
import { sameStatus, statusOf } from './status.ts';

const now = timestampOf(at(0));
test('the status of a cluster that is well', () => {
  const status = written(scene(), { bootstrappedAt: at(-60) });
  const judged = { observedGeneration: 2, lastTransitionTime: now };
  expect({ ...status, processGroups: status.processGroups.slice(0, 1) }).toEqual({
    observedGeneration: 2,
    nextProcessGroupNumber: 4,
    bootstrapTimestamp: timestampOf(at(-60)),
    lastRemovalTimestamp: null,
    maintenance: null,
    counts: { desired: 3, current: 3, available: 3, leaving: 0, waiting: 0 },
    health: { available: true, fullReplication: true, observedAt: now },
    processGroups: [
      {
        processGroupID: 'storage-1',
        role: 'storage',
        addresses: ['10.0.0.1'],
        nodeName: 'node-of-storage-1',
        faultDomain: 'zone-1',
        verdict: 'allow',
        conditions: [],
        removalTimestamp: null,
        removalReason: null,
        evacuationTimestamp: null,
        exclusionTimestamp: null,
        exclusionSkipped: false,
        removingTimestamp: null,
        taints: [],
        waitingFor: [],
      },
    ],
    reservations: [],
    grants: [],
    asks: [],
    jobs: [],
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'AllAvailable',
        message: 'every process group is up, and the engine serves requests',
        ...judged,
      },
      { type: 'Progressing', status: 'False', reason: 'AsSpecified', message: 'there is nothing to do', ...judged },
      {
        type: 'Blocked',
        status: 'False',
        reason: 'NothingWaits',
        message: 'no process group waits for anything',
        ...judged,
      },
      {
        type: 'ConflictingRequests',
        status: 'False',
        reason: 'NoConflict',
        message: 'no process group is asked both to stay and to go',
        ...judged,
      },
      {
        type: 'UnknownProcessGroups',
        status: 'False',
        reason: 'AllFound',
        message: 'every id that the spec lists exists',
        ...judged,
      },
      {
        type: 'Locked',
        status: 'True',
        reason: 'BudgetsInPlace',
        message: 'the API server refuses to evict these pods unless Drover opens one',
        ...judged,
      },
    ],
  });
});

describe('the health of the engine', () => {
  const well = { available: true, fullReplication: true, observedAt: timestampOf(at(-600)) };

  test.each`
    topology                                                                | expected
    ${givenTopology()}                                                      | ${{ available: true, fullReplication: true, observedAt: now }}
    ${givenTopology({ health: givenHealth({ available: false }) })}         | ${{ available: false, fullReplication: true, observedAt: now }}
    ${givenTopology({ health: givenHealth({ available: unknown }) })}       | ${{ available: false, fullReplication: true, observedAt: now }}
    ${givenTopology({ health: givenHealth({ fullyReplicated: unknown }) })} | ${{ available: true, fullReplication: false, observedAt: now }}
    ${{ unreachable: 'connection refused', since: at(-60) }}                | ${{ available: false, fullReplication: false, observedAt: well.observedAt }}
  `('$topology: $expected', ({ topology, expected }) => {
    expect(written(scene({ topology }), over({ health: well })).health).toEqual(expected);
  });

  test('was read once more: that alone is not written, with anything else it is', () => {
    const before = written(scene());
    const later = at(3600);
    const processes = ids.map((id) => givenProcess(id));
    const quiet = scene({ now: later, topology: givenTopology({ observedAt: later, processes }) });
    expect(written(quiet, { ...over(before), bootstrappedAt: at(0) })).toEqual(before);
    const more = written({ ...quiet, lastRemovalAt: at(1) }, { ...over(before), bootstrappedAt: at(0) });
    expect(more.health.observedAt).toBe(timestampOf(later));
  });

  test('is written when the engine was never read before', () => {
    const silent = written(scene({ topology: { unreachable: 'no', since: at(0) } }));
    expect(silent.health.observedAt).toBeNull();
    expect(written(scene(), over({ ...written(scene()), health: silent.health })).health.observedAt).toBe(now);
  });
});

describe('what is kept', () => {
  test('reservations are those that are given, and jobs end with their process group', () => {
    const reservations = [{ processGroupID: 'storage-1', since: now, requests: { cpu: '1' } }];
    const job = { verb: 'Forget', state: 'Done', since: at(0), attempts: 1, retryAt: null, message: '' } as const;
    const jobs = ['storage-1', 'storage-9'].map((id) => ({
      ...job,
      group: name<never>(id),
      percent: null,
      secondsLeft: null,
    }));
    const status = written(scene(), { reservations, jobs });
    expect(status.reservations).toEqual(reservations);
    expect(status.jobs).toEqual([
      {
        id: 'Forget/storage-1',
        verb: 'Forget',
        process: 'storage-1',
        engineJob: null,
        state: 'Done',
        since: now,
        progressPercent: null,
        attempts: 1,
        retryAt: null,
        reason: null,
        message: '',
      },
    ]);
  });

  test('a condition of another writer, and the moment of a transition', () => {
    const another = {
      type: 'Audited',
      status: 'True',
      reason: 'ByHand',
      message: '',
      lastTransitionTime: now,
    } as const;
    const first = written(scene(), over({ conditions: [another] }));
    expect(first.conditions.at(-1)).toEqual(another);
    const silence = { unreachable: 'connection refused', since: at(50) };
    const second = written(scene({ now: at(60), topology: silence }), over(first));
    expect(second.conditions.map(({ type, status, lastTransitionTime }) => [type, status, lastTransitionTime])).toEqual(
      [
        ['Ready', 'Unknown', timestampOf(at(60))],
        ['Progressing', 'False', now],
        ['Blocked', 'False', now],
        ['ConflictingRequests', 'False', now],
        ['UnknownProcessGroups', 'False', now],
        ['Locked', 'True', now],
        ['Audited', 'True', now],
      ],
    );
  });
});

test('process groups are counted: those that stay, of these those that are up, those that leave, those that wait', () => {
  const removal = { at: at(-5), cause: 'Requested', withoutExclusion: false } as const;
  const processGroups = [
    givenGroup('storage-1'),
    givenGroup('storage-2', { pod: givenPod('storage-2', { ready: false }) }),
    givenGroup('storage-3', { removal }),
    givenGroup('storage-4'),
  ];
  const processes = processGroups.map(({ id }) => givenProcess(id));
  const { counts } = written(scene({ processGroups, topology: givenTopology({ processes }) }));
  expect(counts).toEqual({ desired: 3, current: 3, available: 2, leaving: 1, waiting: 2 });
});

test('two statuses are the same only if nothing at all differs', () => {
  const status = written(scene());
  expect(sameStatus(status, structuredClone(status))).toBe(true);
  expect(sameStatus(status, { ...status, nextProcessGroupNumber: 5 })).toBe(false);
  const health = { ...status.health, observedAt: timestampOf(at(1)) };
  expect(sameStatus(status, { ...status, health })).toBe(false);
});

test('a thousand process groups that wait, with the longest sentences that there can be, fit into one object', () => {
  const many = Array.from({ length: maxProcessGroups }, (_, index) =>
    givenGroup(`storage-${10_000 + index}`, {
      removal: { at: at(-5), cause: 'Misconfigured', withoutExclusion: false },
      evacuationAt: at(-4),
      addresses: ['[fd00:1234:5678:9abc:def0:1234:5678:9abc]:4501'],
      pod: givenPod('p', { node: 'node-with-a-long-name-1234.example', uid: `uid-${index}` }),
      zone: 'node-with-a-long-name-1234.example',
      taints: [{ key: 'example.com/maintenance', since: at(-9) }],
      conditions: [{ type: 'NodeTaintDetected', since: at(-9) }],
    }),
  );
  const snapshot = scene({ processGroups: many });
  const decision = decide(snapshot);
  const reason = { code: 'SuccessorNotUp', message: 'x'.repeat(600), evidence: {}, liftedBy: '', until: at(60) };
  const holds = many.flatMap(({ id }) =>
    ['SuccessorNotUp', 'EngineUnavailable'].map((code) => ({ step: 'any', group: id, reason: { ...reason, code } })),
  );
  const status = statusOf({ ...decided(snapshot), after: snapshot, decision: { ...decision, records: [], holds } });
  expect(status.counts.waiting).toBe(maxProcessGroups);
  expect(JSON.stringify(status).length).toBeLessThan(950_000);
  expect(status.processGroups.every(({ waitingFor }) => waitingFor[0]?.code === 'SuccessorNotUp')).toBe(true);
  // With room to spare both are said.
  const [few] = statusOf({
    ...decided(snapshot),
    after: { ...snapshot, processGroups: many.slice(0, 9) },
    decision: { ...decision, records: [], holds },
  }).processGroups;
  expect(few?.waitingFor.map(({ message }) => message.length)).toEqual([256, 256]);
});
