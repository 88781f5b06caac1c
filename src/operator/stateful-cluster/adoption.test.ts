import { describe, expect, test } from 'vitest';
import type { KeyText } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import { name } from '../../model/ids.ts';
import { someCluster } from '../testing/some-cluster.ts';
import type { LabelledObject } from './adoption.ts';
import { adoption } from './adoption.ts';
import type { Belonging } from './seen/belonging.ts';

const { cluster } = someCluster({ status: { processGroups: [{ processGroupID: 'storage-2', role: 'storage' }] } });

const suffix = { pod: '', claim: '-data', service: '' } as const;
function object(
  what: LabelledObject['what'],
  group: string,
  given: Partial<Belonging> & { readonly key?: KeyText; readonly deleting?: boolean } = {},
): LabelledObject {
  const {
    key = keyText({ namespace: 'db', name: `orders-${group}${suffix[what]}` }),
    deleting = false,
    ...belonging
  } = given;
  return {
    what,
    key,
    version: '7',
    deleting,
    belonging: {
      namespace: 'db',
      cluster: 'orders',
      role: name('storage'),
      group: name(group),
      owner: cluster.uid,
      ...belonging,
    },
  };
}

describe('process groups are taken into a status that does not list them', () => {
  test.each<[string, readonly LabelledObject[], readonly string[]]>([
    ['nothing is there', [], []],
    ['listed', [object('pod', 'storage-2'), object('claim', 'storage-2')], []],
    ['a pod', [object('pod', 'storage-3')], ['storage-3 storage']],
    ['a claim alone, which holds the data', [object('claim', 'storage-3')], ['storage-3 storage']],
    ['a service alone', [object('service', 'storage-3')], ['storage-3 storage']],
    [
      'pod, claim and service are one row',
      [object('service', 'storage-3'), object('claim', 'storage-3'), object('pod', 'storage-3')],
      ['storage-3 storage'],
    ],
    ['one that nothing owns yet', [object('pod', 'storage-3', { owner: null })], ['storage-3 storage']],
    [
      'sorted',
      [object('pod', 'storage-9'), object('pod', 'log-4', { role: name('log') })],
      ['log-4 log', 'storage-9 storage'],
    ],
    [
      'the pod is believed where labels disagree',
      [object('claim', 'log-3', { role: name('storage') }), object('pod', 'log-3', { role: name('log') })],
      ['log-3 log'],
    ],
    ['of another cluster', [object('pod', 'storage-3', { cluster: 'other', key: 'db/other-storage-3' })], []],
    ['of an earlier cluster of this name', [object('pod', 'storage-3', { owner: 'an older uid' })], []],
    ['of another namespace', [object('pod', 'storage-3', { namespace: 'dev', key: 'dev/orders-storage-3' })], []],
    ['owned by something else', [object('pod', 'storage-3', { owner: 'other' })], []],
    ['a copy under another name', [object('pod', 'storage-3', { key: 'db/orders-storage-3-debug' })], []],
    ['a number that Drover never gave', [object('pod', 'storage-2147483647')], []],
    ['without our labels', [{ ...object('pod', 'storage-3'), belonging: undefined }], []],
    ['on its way out', [object('pod', 'storage-3', { deleting: true })], []],
    [
      'its pod on its way out, its claim not',
      [object('pod', 'storage-3', { deleting: true }), object('claim', 'storage-3')],
      ['storage-3 storage'],
    ],
  ])('%s', (_what, objects, expected) => {
    expect(adoption(cluster, objects).groups.map(({ id, role }) => `${id} ${role}`)).toEqual(expected);
  });

  test('no more than the status has room for', () => {
    const objects = Array.from({ length: 1500 }, (_, index) => object('pod', `storage-${index + 10}`));
    expect(adoption(cluster, objects).groups).toHaveLength(999);
  });
});

test('what nothing owns is to be owned, also where it is listed', () => {
  const orphan = object('claim', 'storage-2', { owner: null });
  const foreign = object('pod', 'storage-5', { owner: null, cluster: 'other' });
  expect(adoption(cluster, [object('pod', 'storage-2'), orphan, foreign]).unowned).toEqual([orphan]);
});

test.each([
  [[], 3],
  [[object('pod', 'storage-1')], 3],
  [[object('pod', 'storage-12'), object('pod', 'log-7', { role: name('log') })], 13],
])('the next number is above all that there is: %#', (objects, expected) => {
  expect(adoption(cluster, objects).nextGroupNumber).toBe(expected);
});

test('the first number is 1', () => {
  expect(adoption(someCluster().cluster, []).nextGroupNumber).toBe(1);
});
