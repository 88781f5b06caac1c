import { describe, expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import { someCluster } from '../testing/some-cluster.ts';
import type { CoordinatorCandidate } from './first-coordinators.ts';
import { firstCoordinators } from './first-coordinators.ts';

type Mode = 'single' | 'double' | 'triple';

const clusterOf = (redundancyMode?: Mode, roles: readonly string[] = ['storage', 'log', 'stateless']) =>
  someCluster({
    spec: {
      engine: { type: 'foundationdb', version: '7.3.63', ...(redundancyMode && { foundationdb: { redundancyMode } }) },
      roles: roles.map((role) => ({ name: role, count: 5 })),
    },
  }).cluster;

/** `storage-7@a=10.0.0.7`: a pod in zone a. */
function pod(text: string): CoordinatorCandidate {
  const [, group = '', zone = '', address = ''] = /^(.+)@(.*)=(.*)$/.exec(text) ?? [];
  return {
    group: name(group),
    role: name(group.replace(/-\d+$/, '').replace('commit-proxy', 'commit_proxy')),
    zone: zone === '' ? null : name(zone),
    address: address === '' ? null : address,
  };
}

const ids = (answer: ReturnType<typeof firstCoordinators>) => ('groups' in answer ? answer.groups : answer.waitsFor);

describe('the first coordinators', () => {
  test('are named by a connection string that any FoundationDB reads', () => {
    const pods = ['storage-1@a=10.0.0.1', 'storage-2@b=fd00::2', 'storage-3@c=10.0.0.3'].map(pod);
    const answer = firstCoordinators({ ...clusterOf(), name: 'orders-db' }, pods);
    expect(answer).toEqual({
      connectionString: 'orders_db:b9231a2f2ba254bdf9400f5f259dcc31@10.0.0.1:4501,[fd00::2]:4501,10.0.0.3:4501',
      groups: ['storage-1', 'storage-2', 'storage-3'],
    });
  });

  test('another cluster of the same name is another database', () => {
    const pods = [pod('storage-1@a=10.0.0.1')];
    const one = firstCoordinators(clusterOf('single'), pods);
    expect(firstCoordinators({ ...clusterOf('single'), uid: 'other' }, pods)).not.toEqual(one);
    expect(firstCoordinators(clusterOf('single'), pods)).toEqual(one);
  });

  test.each<[Mode | undefined, number]>([
    ['single', 1],
    [undefined, 3],
    ['double', 3],
    ['triple', 5],
  ])('%s: there are %i of them', (mode, count) => {
    const pods = Array.from({ length: 12 }, (_, index) => pod(`storage-${index}@z${index}=10.0.0.${index}`));
    expect(ids(firstCoordinators(clusterOf(mode), pods))).toHaveLength(count);
    expect(ids(firstCoordinators(clusterOf(mode), pods.slice(0, count - 1)))).toContain(`needs ${count} coordinators`);
  });

  test.each([
    [
      'no two in one zone',
      ['storage-1@a=1', 'storage-2@a=2', 'storage-3@b=3', 'storage-4@c=4'],
      ['storage-1', 'storage-3', 'storage-4'],
    ],
    [
      'logs before storage, coordinators before all',
      ['storage-1@a=1', 'log-2@b=2', 'storage-3@c=3', 'coordinator-4@d=4', 'transaction-5@b=5'],
      ['coordinator-4', 'log-2', 'storage-1'],
    ],
    [
      'by number, not by letter',
      ['log-10@a=1', 'log-9@a=2', 'log-100@b=3', 'log-20@c=4'],
      ['log-9', 'log-20', 'log-100'],
    ],
    [
      'not without a zone or an address',
      ['log-1@=1', 'log-2@b=', 'log-3@c=3', 'log-4@d=4', 'log-5@e=5'],
      ['log-3', 'log-4', 'log-5'],
    ],
    [
      'not without a disk',
      ['stateless-1@a=1', 'commit-proxy-2@b=2', 'backup-3@c=3', 'general-4@d=4', 'general-5@e=5', 'general-6@f=6'],
      ['general-4', 'general-5', 'general-6'],
    ],
  ])('%s', (_what, pods, expected) => {
    expect(ids(firstCoordinators(clusterOf(), pods.map(pod)))).toEqual(expected);
    expect(ids(firstCoordinators(clusterOf(), pods.toReversed().map(pod)))).toEqual(expected);
  });
});

describe('fewer zones than coordinators', () => {
  /** All ten that could be one, in so many zones. */
  const everyone = (zones: number) =>
    ['log', 'storage'].flatMap((role) =>
      Array.from({ length: 5 }, (_, index) => pod(`${role}-${index}@z${index % zones}=10.0.0.${index}`)),
    );

  test('no more of them in one than may fail together, once nobody else can come', () => {
    expect(ids(firstCoordinators(clusterOf('triple'), everyone(3)))).toEqual([
      'log-0',
      'log-1',
      'log-2',
      'log-3',
      'log-4',
    ]);
    expect(ids(firstCoordinators(clusterOf('triple'), everyone(3).slice(1)))).toContain('zones with a ready pod');
  });

  test.each<[Mode, number]>([
    ['triple', 2],
    ['double', 2],
    ['single', 0],
  ])('%s needs more than %i', (mode, zones) => {
    const pods = zones === 0 ? [] : everyone(zones);
    expect(ids(firstCoordinators(clusterOf(mode), pods))).toContain('a new database needs');
  });
});

test.each([
  [['storage-1@b=1', 'storage-2@a=2', 'storage-3@a=3'], 'zones with a ready pod of storage, log: 2 (a, b)'],
  [[], 'zones with a ready pod of storage, log: none yet'],
])('too few zones: what is missing is said (%#)', (pods, expected) => {
  expect(firstCoordinators(clusterOf(), pods.map(pod))).toEqual({
    waitsFor: `a new database needs 3 coordinators in 3 zones, by kubernetes.io/hostname; ${expected}`,
  });
});

test('a cluster without any role that could coordinate is told so', () => {
  expect(ids(firstCoordinators(clusterOf('double', ['stateless']), []))).toContain(
    'no role of the cluster can be one, add one of coordinator, log, transaction, storage, general',
  );
});
