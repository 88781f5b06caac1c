import { expect, test } from 'vitest';
import { someCluster } from '../../testing/some-cluster.ts';
import { connectionConfigMapFor } from './connection-config-map.ts';

test('the connection string is the file that pods mount', () => {
  const { cluster } = someCluster();
  expect(connectionConfigMapFor(cluster, 'orders:abc@10.0.0.1:4501')).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: 'db',
      name: 'orders-connection',
      labels: { 'drover.dev/cluster': 'orders' },
      ownerReferences: [expect.objectContaining({ kind: 'StatefulCluster', uid: cluster.uid, controller: true })],
    },
    data: { 'fdb.cluster': 'orders:abc@10.0.0.1:4501\n' },
  });
});
