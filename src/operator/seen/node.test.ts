import { describe, expect, test } from 'vitest';
import { Interner } from '../../kube/interner.ts';
import { nodeView, seenNode } from './node.ts';

const ready = { type: 'Ready', status: 'True' } as const;
const node = (given: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {}) =>
  nodeView(
    {
      metadata: {
        name: 'n1',
        resourceVersion: '3',
        labels: { 'kubernetes.io/hostname': 'host-1', 'topology.kubernetes.io/zone': 'a' },
        ...given.metadata,
      },
      spec: { ...given.spec },
      status: { conditions: [ready], ...given.status },
    },
    new Interner(),
  );

test('a node that is well', () => {
  expect(seenNode(node(), 'topology.kubernetes.io/zone')).toEqual({
    name: 'n1',
    zone: 'a',
    ready: true,
    cordoned: false,
    cordonedSince: null,
    taints: [],
  });
  expect(node()).toMatchObject({ key: 'n1', version: '3' });
});

test.each([
  ['kubernetes.io/hostname', { 'kubernetes.io/hostname': 'host-1' }, 'host-1'],
  ['kubernetes.io/hostname', {}, 'n1'],
  ['topology.kubernetes.io/zone', { 'topology.kubernetes.io/zone': 'a' }, 'a'],
  ['topology.kubernetes.io/zone', { 'topology.kubernetes.io/zone': '' }, null],
  ['topology.kubernetes.io/zone', {}, null],
  ['rack', undefined, null],
])('the zone by %s with the labels %j is %s', (key, labels, expected) => {
  expect(seenNode(node({ metadata: { labels } }), key).zone).toBe(expected);
});

test.each([
  [[ready], true],
  [[{ type: 'Ready', status: 'False' }], false],
  [[{ type: 'Ready', status: 'Unknown' }], false],
  [[{ type: 'DiskPressure', status: 'True' }], false],
  [undefined, false],
])('with the conditions %j it is ready: %s', (conditions, expected) => {
  expect(seenNode(node({ status: { conditions } }), 'rack').ready).toBe(expected);
});

describe('a cordon', () => {
  const at = (hour: number) => Date.UTC(2026, 10, 15, hour);
  const noted = { annotations: { 'drover.dev/cordoned-since': '2026-11-15T06:00:00Z' } };
  const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded: '2026-11-15T07:00:00Z' };

  test.each([
    ['nobody said since when', {}, { unschedulable: true }, [true, null]],
    ['noted on the node', noted, { unschedulable: true, taints: [taint] }, [true, at(6)]],
    ['by its taint', {}, { unschedulable: true, taints: [taint] }, [true, at(7)]],
    [
      'noted in a way that nobody reads',
      { annotations: { 'drover.dev/cordoned-since': 'today' } },
      { unschedulable: true },
      [true, null],
    ],
    ['lifted', noted, { unschedulable: false }, [false, null]],
  ])('%s', (_what, metadata, spec, expected) => {
    const { cordoned, cordonedSince } = seenNode(node({ metadata, spec }), 'rack');
    expect([cordoned, cordonedSince]).toEqual(expected);
  });
});

test('taints have their own times, where Kubernetes gave them one', () => {
  const taints = [
    { key: 'a', effect: 'NoExecute', value: 'x', timeAdded: '2026-11-15T06:00:00Z' },
    { key: 'b', effect: 'NoSchedule' },
    { key: 'c', effect: 'PreferNoSchedule', timeAdded: null },
  ];
  expect(seenNode(node({ spec: { taints } }), 'rack').taints).toEqual([
    { key: 'a', effect: 'NoExecute', timeAdded: Date.UTC(2026, 10, 15, 6) },
    { key: 'b', effect: 'NoSchedule', timeAdded: null },
    { key: 'c', effect: 'PreferNoSchedule', timeAdded: null },
  ]);
});
