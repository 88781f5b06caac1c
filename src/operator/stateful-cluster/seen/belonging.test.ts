import { describe, expect, test } from 'vitest';
import { someCluster } from '../../testing/some-cluster.ts';
import { belongingOf, belongsTo } from './belonging.ts';

const labels = {
  'drover.dev/cluster': 'orders',
  'drover.dev/role': 'storage',
  'drover.dev/process-group': 'storage-7',
};
const owner = (more: object = {}) => ({
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'StatefulCluster',
  name: 'orders',
  uid: 'uid-orders',
  controller: true,
  ...more,
});
const object = (metadata: object) => ({ metadata: { name: 'p', namespace: 'db', labels, ...metadata } });
const whose = { namespace: 'db', cluster: 'orders', role: 'storage', group: 'storage-7' };

describe('whose an object is', () => {
  test.each([
    ['ours', { ownerReferences: [owner()] }, { ...whose, owner: 'uid-orders' }],
    ['nobody owns it', {}, { ...whose, owner: null }],
    [
      'somebody owns it without controlling it',
      { ownerReferences: [owner({ controller: false })] },
      { ...whose, owner: null },
    ],
    ['a StatefulSet owns it', { ownerReferences: [owner({ kind: 'StatefulSet' })] }, { ...whose, owner: 'other' }],
    ['no labels', { labels: undefined }, undefined],
    ['a label is missing', { labels: { ...labels, 'drover.dev/role': undefined } }, undefined],
    ['a label is empty', { labels: { ...labels, 'drover.dev/cluster': '' } }, undefined],
    ['an id that is none', { labels: { ...labels, 'drover.dev/process-group': 'storage' } }, undefined],
    ['cluster scoped', { namespace: undefined }, undefined],
  ])('%s', (_what, metadata, expected) => {
    expect(belongingOf(object(metadata))).toEqual(expected);
  });
});

test.each([
  ['by labels and owner', {}, true],
  ['by labels alone', { owner: null }, true],
  ['not that of an earlier cluster of this name', { owner: 'an older uid' }, false],
  ['not what something else owns', { owner: 'other' }, false],
  ['not of another cluster', { cluster: 'other' }, false],
  ['not of another namespace', { namespace: 'dev' }, false],
])('an object belongs to a cluster %s', (_what, given, expected) => {
  const { cluster } = someCluster();
  const belonging = belongingOf(object({ ownerReferences: [owner({ uid: cluster.uid })] }));
  expect(belonging !== undefined && belongsTo(cluster, { ...belonging, ...given })).toBe(expected);
});
