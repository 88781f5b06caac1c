import { expect, test } from 'vitest';
import { name } from '../../model/ids.ts';
import { at, givenGroup, givenPod } from '../../model/testing/given.ts';
import { someCluster } from '../testing/some-cluster.ts';
import type { ConnectionKeeper } from './connection-keeper.ts';
import type { PodView } from './seen/pod.ts';
import { surroundingsOf } from './surroundings.ts';

const { cluster } = someCluster();

const view = (pod: Parameters<typeof givenPod>[1], belongs = true): PodView => ({
  key: 'db/orders-shard-1',
  version: '1',
  belonging: belongs
    ? { namespace: 'db', cluster: 'orders', role: name('shard'), group: name('shard-1'), owner: null }
    : undefined,
  pod: givenPod('orders-shard-1', pod),
  addresses: ['10.0.0.1'],
  labels: {},
  force: undefined,
  faults: '',
});

const connections: Pick<ConnectionKeeper, 'known'> = { known: () => null };

test.each`
  pod                                       | ready
  ${{ ready: true }}                        | ${true}
  ${{ ready: false }}                       | ${false}
  ${{ ready: true, deletingSince: at(-5) }} | ${false}
`('a pod with $pod is reached at its address, and is ready: $ready', ({ pod, ready }) => {
  const client = { exec: () => Promise.reject(new Error('not asked')) };
  const pods = () => [view(pod), view(pod, false)];
  const surroundings = surroundingsOf(cluster, { rows: [] }, { client, connections, pods });
  expect(surroundings.pods()).toEqual([{ name: 'orders-shard-1', group: 'shard-1', addresses: ['10.0.0.1'], ready }]);
});

test('one whose pod is gone is still known by its name, and reached nowhere', () => {
  const client = { exec: () => Promise.reject(new Error('not asked')) };
  const rows = [givenGroup('shard-1', { pod: null }), givenGroup('shard-2', { pod: null })];
  const surroundings = surroundingsOf(cluster, { rows }, { client, connections, pods: () => [view({ ready: true })] });
  expect(surroundings.pods()).toEqual([
    { name: 'orders-shard-1', group: 'shard-1', addresses: ['10.0.0.1'], ready: true },
    { name: 'orders-shard-2', group: 'shard-2', addresses: [], ready: false },
  ]);
});
