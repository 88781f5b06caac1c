import { expect, test } from 'vitest';
import { group, someCluster } from '../../testing/some-cluster.ts';
import { claimSpecHash } from '../spec-hash.ts';
import { claimFor } from './claim.ts';

test('a claim is as the role asks, and remembers that', () => {
  const volumeClaimTemplate = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const { cluster, role } = someCluster({ role: { volumeClaimTemplate, processesPerPod: 2 } });
  expect(claimFor(cluster, role, group)).toEqual({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: 'db',
      name: 'orders-storage-7-data',
      labels: {
        'drover.dev/cluster': 'orders',
        'drover.dev/role': 'storage',
        'drover.dev/process-group': 'storage-7',
      },
      annotations: {
        'drover.dev/spec-hash': claimSpecHash(role),
        'drover.dev/processes': '2',
        'drover.dev/node-selector': '{}',
      },
      ownerReferences: [expect.objectContaining({ kind: 'StatefulCluster', uid: cluster.uid, controller: true })],
    },
    spec: volumeClaimTemplate,
  });
});

test.each([
  ['one that people write', { pool: 'blue' }, '{"pool":"blue"}'],
  ['one that is too long to be remembered', { pool: 'x'.repeat(5000) }, undefined],
])('which nodes its pod may be on: %s', (_what, nodeSelector, remembered) => {
  const template = { spec: { containers: [{ name: 'database', image: 'database:1' }], nodeSelector } };
  const { cluster, role } = someCluster({ role: { volumeClaimTemplate: {}, template } });
  expect(claimFor(cluster, role, group).metadata.annotations?.['drover.dev/node-selector']).toBe(remembered);
});
