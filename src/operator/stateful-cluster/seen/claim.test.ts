import { describe, expect, test } from 'vitest';
import { volumeView } from '../../seen/volume.ts';
import { group, someCluster } from '../../testing/some-cluster.ts';
import { claimFor } from '../manifests/claim.ts';
import { claimSpecHash } from '../spec-hash.ts';
import { claimView, seenClaim } from './claim.ts';

const { cluster, role } = someCluster({ role: { volumeClaimTemplate: { accessModes: ['ReadWriteOnce'] } } });
const made = claimFor(cluster, role, group);
const claim = (metadata: object = {}, spec: object = { volumeName: 'pv-1' }) =>
  claimView({ ...made, metadata: { ...made.metadata, uid: 'uid-c', resourceVersion: '5', ...metadata }, spec });
const volume = (spec: Record<string, unknown>, name = 'pv-1') =>
  volumeView({ metadata: { name, resourceVersion: '9' }, spec });
const csi = { csi: { driver: 'ebs.csi.aws.com' } };
const affinity = (...terms: readonly object[]) => ({
  ...csi,
  nodeAffinity: { required: { nodeSelectorTerms: terms } },
});
const on = (...keys: readonly string[]) => ({
  matchExpressions: keys.map((key) => ({ key, operator: 'In', values: ['x'] })),
});

test('what is kept of a claim', () => {
  expect(claim()).toEqual({
    key: 'db/orders-storage-7-data',
    version: '5',
    belonging: { namespace: 'db', cluster: 'orders', role: 'storage', group: 'storage-7', owner: cluster.uid },
    uid: 'uid-c',
    specHash: claimSpecHash(role),
    processes: 1,
    nodeSelector: {},
    deleting: false,
    volume: 'pv-1',
  });
});

test.each([
  ['2', 2],
  ['64', 64],
  [undefined, null],
  ['', null],
  ['0', null],
  ['-1', null],
  ['two', null],
  ['2.5', null],
  ['1000', null],
])('a claim that says %j has the data of %j processes', (text, processes) => {
  const annotations = text === undefined ? {} : { 'drover.dev/processes': text };
  expect(claim({ annotations }).processes).toBe(processes);
});

test.each([
  ['as it was made', {}, { uid: 'uid-c', specHash: claimSpecHash(role), deleting: false, travels: false }],
  [
    'that forgot what it was made from',
    { annotations: {} },
    { uid: 'uid-c', specHash: '', deleting: false, travels: false },
  ],
  [
    'on its way out',
    { deletionTimestamp: '2026-11-15T07:00:00Z' },
    { uid: 'uid-c', specHash: claimSpecHash(role), deleting: true, travels: false },
  ],
])('a claim %s', (_what, metadata, expected) => {
  expect(seenClaim(claim(metadata))).toEqual(expected);
});

test.each([
  ['{"pool":"blue"}', { pool: 'blue' }],
  ['{}', {}],
  [undefined, null],
  ['', null],
  ['{', null],
  ['[]', null],
  ['{"pool":1}', null],
])('a claim that says %j was made for nodes with %j', (text, nodeSelector) => {
  const annotations = text === undefined ? {} : { 'drover.dev/node-selector': text };
  expect(claim({ annotations }).nodeSelector).toEqual(nodeSelector);
});

describe('data travels with a volume that is tied to no node', () => {
  test.each([
    ['a disk of the network', volume(csi), true],
    ['tied to a zone', volume(affinity(on('topology.kubernetes.io/zone'))), true],
    ["tied to a driver's own zone", volume(affinity(on('topology.ebs.csi.aws.com/zone'))), true],
    ['tied to a region or a zone', volume(affinity(on('a/region'), on('a/zone'))), true],
    ['tied to a host', volume(affinity(on('kubernetes.io/hostname'))), false],
    ['tied to a host in a zone', volume(affinity(on('a/zone', 'kubernetes.io/hostname'))), false],
    ['tied to one host or another', volume(affinity(on('a/zone'), on('kubernetes.io/hostname'))), false],
    ["tied to a driver's own key for a node", volume(affinity(on('topology.topolvm.io/node'))), false],
    ['tied to a node by name', volume(affinity({ matchFields: [{ key: 'metadata.name' }] })), false],
    ['a local disk', volume({ local: { path: '/d' } }), false],
    ['a path on the host', volume({ hostPath: { path: '/d' } }), false],
    ['another volume', volume(csi, 'pv-2'), false],
    ['one that cannot be read', undefined, false],
    ['one that says nothing', volumeView({ metadata: { name: 'pv-1' } }), false],
  ])('%s: %s', (_what, bound, expected) => {
    expect(seenClaim(claim(), bound).travels).toBe(expected);
  });

  test('a claim that is not bound yet travels with none', () => {
    expect(seenClaim(claim({}, {}), volume(csi)).travels).toBe(false);
  });
});

test('what is kept of a volume', () => {
  expect(volume(csi)).toEqual({ key: 'pv-1', version: '9', travels: true });
});
