import { describe, expect, test } from 'vitest';
import type { ProcessGroupStatus } from '../../api/v1alpha1/process-group.schema.ts';
import { processGroup } from '../../api/v1alpha1/process-group.schema.ts';
import { statefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import { at } from '../../model/testing/given.ts';
import { emptyStatus, givenStatus } from '../testing/given-cluster.ts';
import { recordedIn } from './recorded.ts';

const midnight = '2026-11-15T00:00:00Z';
const aMillisecondLater = '2026-11-15T00:00:00.001Z';

const given = (row: Partial<ProcessGroupStatus>) =>
  recordedIn(
    givenStatus({
      processGroups: [processGroup.parse({ processGroupID: 'storage-1', role: 'storage', ...row })],
    }),
  ).rows[0];

test('an empty status has nothing on record', () => {
  expect(recordedIn(emptyStatus)).toEqual({
    rows: [],
    grants: [],
    asks: [],
    jobs: [],
    nextGroupNumber: 1,
    lastRemovalAt: null,
    maintenance: null,
  });
});

test('a row is a process group without its objects', () => {
  expect(
    given({
      addresses: ['10.0.0.1'],
      nodeName: 'n1',
      faultDomain: 'zone-1',
      conditions: [{ type: 'PodFailing', timestamp: midnight }],
      removalTimestamp: aMillisecondLater,
      removalReason: 'Tainted',
      evacuationTimestamp: midnight,
      exclusionTimestamp: aMillisecondLater,
      exclusionSkipped: true,
      removingTimestamp: '2026-11-15T01:00:00+01:00',
      taints: [{ key: 'a', since: midnight, replaceAt: null }],
    }),
  ).toEqual({
    id: 'storage-1',
    role: 'storage',
    addresses: ['10.0.0.1'],
    zone: 'zone-1',
    conditions: [{ type: 'PodFailing', since: at(0) }],
    removal: { at: at(0.001), cause: 'Tainted', withoutExclusion: true },
    evacuationAt: at(0),
    drainedAt: at(0.001),
    removingAt: at(0),
    taints: [{ key: 'a', since: at(0), node: 'n1' }],
    pod: null,
    claim: null,
    service: null,
  });
});

describe('what a newer Drover wrote', () => {
  test('a condition that is not known says nothing', () => {
    const conditions = [
      { type: 'DiskFull', timestamp: midnight },
      { type: 'MissingPod', timestamp: midnight },
    ];
    expect(given({ conditions })?.conditions).toEqual([{ type: 'MissingPod', since: at(0) }]);
  });

  test.each(['Rebalanced', 'toString', null])('a mark for %s is a mark that only a person undoes', (removalReason) => {
    expect(given({ removalTimestamp: midnight, removalReason })?.removal).toEqual({
      at: at(0),
      cause: 'Requested',
      withoutExclusion: false,
    });
  });

  test('a reason without a mark is none', () => {
    expect(given({ removalReason: 'Requested', exclusionSkipped: true })?.removal).toBeNull();
  });
});

test.each`
  node         | nodeName | expected
  ${undefined} | ${'n1'}  | ${'n1'}
  ${'n0'}      | ${'n1'}  | ${'n0'}
  ${undefined} | ${null}  | ${undefined}
`('a taint that was seen on $node, in a row of $nodeName, is one of $expected', ({ node, nodeName, expected }) => {
  const taint = { key: 'a', since: midnight, replaceAt: null, ...(node !== undefined && { node }) };
  expect(given({ nodeName, taints: [taint] })?.taints[0]?.node).toBe(expected);
});

test('grants, asks and counters are read as they were written; of jobs only those that the engine cannot show', () => {
  const job = { id: 'x', process: 'storage-1', state: 'Done', since: midnight, attempts: 2 };
  const status = statefulClusterStatus.parse({
    nextProcessGroupNumber: 7,
    lastRemovalTimestamp: midnight,
    maintenance: { zone: 'zone-1', since: midnight, until: aMillisecondLater },
    grants: [
      {
        pod: 'orders-storage-1',
        uid: 'uid-1',
        process: 'storage-1',
        node: 'n1',
        grantedAt: midnight,
        askedBy: 'jane',
        closedAt: aMillisecondLater,
        exemption: { by: 'drover.dev/force', reason: 'forced by hand: dead disk' },
      },
    ],
    asks: [
      {
        pod: 'orders-storage-1',
        uid: 'uid-1',
        process: 'storage-1',
        source: 'Eviction',
        by: 'jane',
        since: midnight,
        lastSeen: aMillisecondLater,
        times: 7,
        nodeCordoned: true,
        letGoAt: midnight,
      },
    ],
    jobs: [
      { ...job, verb: 'Forget' },
      { ...job, verb: 'CancelEvacuation' },
      { ...job, verb: 'Evacuate' },
      { ...job, verb: 'Evacuate', process: 'storage-2', state: 'Running' },
      { ...job, verb: 'Maintenance' },
    ],
  });
  expect(recordedIn(status)).toEqual({
    rows: [],
    nextGroupNumber: 7,
    lastRemovalAt: at(0),
    maintenance: { zone: 'zone-1', since: at(0), until: at(0.001) },
    grants: [
      {
        group: 'storage-1',
        pod: 'uid-1',
        node: 'n1',
        grantedAt: at(0),
        closedAt: at(0.001),
        goneAt: null,
        exemption: 'forced by hand: dead disk',
      },
    ],
    asks: [
      {
        group: 'storage-1',
        pod: 'uid-1',
        node: null,
        source: 'Eviction',
        by: 'jane',
        since: at(0),
        lastSeen: at(0.001),
        force: null,
        name: 'orders-storage-1',
        times: 7,
        cordoned: true,
        letGoAt: at(0),
      },
    ],
    jobs: ['Forget', 'CancelEvacuation', 'Evacuate'].map((verb) => ({
      verb,
      group: 'storage-1',
      state: 'Done',
      since: at(0),
      attempts: 2,
      retryAt: null,
      message: '',
      percent: null,
      secondsLeft: null,
    })),
  });
});
