import { expect, test } from 'vitest';
import { group, someCluster } from '../../testing/some-cluster.ts';
import { serviceFor } from '../manifests/service.ts';
import { seenService, serviceView } from './service.ts';

const { cluster, role } = someCluster({ spec: { publicIPSource: 'Service' } });
const made = serviceFor(cluster, role, group);
const service = (metadata: object = {}, spec: object = { clusterIP: '10.96.0.7' }) =>
  serviceView({ ...made, metadata: { ...made.metadata, uid: 'uid-s', resourceVersion: '5', ...metadata }, spec });

test('what is kept of a service', () => {
  expect(service()).toEqual({
    key: 'db/orders-storage-7',
    version: '5',
    belonging: { namespace: 'db', cluster: 'orders', role: 'storage', group: 'storage-7', owner: cluster.uid },
    uid: 'uid-s',
    deleting: false,
    address: '10.96.0.7',
  });
});

test.each([
  [{}, null],
  [{ clusterIP: '' }, null],
  [{ clusterIP: 'None' }, null],
  [{ clusterIP: 'fd00::1' }, 'fd00::1'],
])('%j has the address %s', (spec, expected) => {
  expect(service({}, spec).address).toBe(expected);
});

test('a service is there, or on its way out', () => {
  expect(seenService(service())).toBe('present');
  expect(seenService(service({ deletionTimestamp: '2026-11-15T07:00:00Z' }))).toBe('terminating');
});
