import { describe, expect, test } from 'vitest';
import type { Pod as KubePod } from '../../../kube/resources.ts';
import { group, someCluster } from '../../testing/some-cluster.ts';
import { podFor } from '../manifests/pod.ts';
import { shapeOf } from '../pod-shape.ts';
import { podView, seenPod } from './pod.ts';

const { cluster, role } = someCluster({ spec: { buggify: { crashLoop: ['storage-7'] } } });

/** A pod as the kubelet reports it. */
function kubePod(
  given: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {},
): KubePod {
  const made = podFor(cluster, role, group);
  return {
    ...made,
    metadata: {
      ...made.metadata,
      uid: 'uid-1',
      resourceVersion: '42',
      creationTimestamp: '2026-11-15T06:00:00Z',
      ...given.metadata,
    },
    spec: { ...made.spec, nodeName: 'n1', ...given.spec },
    status: {
      phase: 'Running',
      podIP: '10.0.0.7',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'ContainersReady', status: 'True' },
        { type: 'Ready', status: 'True' },
      ],
      containerStatuses: [{ name: 'database', ready: true, restartCount: 0, state: { running: {} } }],
      ...given.status,
    },
  };
}

test('a pod that runs', () => {
  expect(seenPod(kubePod())).toEqual({
    name: 'orders-storage-7',
    uid: 'uid-1',
    resourceVersion: '42',
    node: 'n1',
    phase: 'Running',
    ready: true,
    createdAt: Date.parse('2026-11-15T06:00:00Z'),
    restartedAt: null,
    crashing: false,
    deletingSince: null,
    unschedulable: null,
    broken: null,
    open: false,
    shape: shapeOf(cluster, role),
    wouldChange: false,
  });
});

test('what is kept of it', () => {
  const podIPs = [{ ip: '10.0.0.7' }, { ip: 'fd00::7' }];
  const made = podFor(cluster, role, group).metadata.labels;
  const labels = { ...made, 'topology.kubernetes.io/zone': 'a', 'kubernetes.io/hostname': 'n1' };
  const pod = kubePod({ metadata: { labels }, status: { podIPs } });
  expect(podView(pod)).toEqual({
    key: 'db/orders-storage-7',
    version: '42',
    belonging: { namespace: 'db', cluster: 'orders', role: 'storage', group: 'storage-7', owner: cluster.uid },
    pod: seenPod(pod),
    addresses: ['10.0.0.7', 'fd00::7'],
    labels,
    force: undefined,
    faults: 'crash-loop',
  });
});

test('a pod that was just made has no place and no address', () => {
  const { status: _none, ...fresh } = kubePod({ spec: { nodeName: '' } });
  expect(podView(fresh)).toMatchObject({ addresses: [], pod: { node: null, phase: 'Pending', ready: false } });
});

describe('it crashes when all its containers wait to begin anew', () => {
  const running = { running: { startedAt: '2026-11-15T06:00:00Z' } };
  const backOff = { waiting: { reason: 'CrashLoopBackOff' } };
  const ended = { terminated: { exitCode: 1 } };
  test.each`
    phase        | restarts | states                | crashing
    ${'Running'} | ${3}     | ${[backOff]}          | ${true}
    ${'Running'} | ${3}     | ${[ended]}            | ${true}
    ${'Running'} | ${3}     | ${[backOff, backOff]} | ${true}
    ${'Running'} | ${3}     | ${[backOff, running]} | ${false}
    ${'Running'} | ${3}     | ${[running]}          | ${false}
    ${'Running'} | ${0}     | ${[backOff]}          | ${false}
    ${'Running'} | ${3}     | ${[]}                 | ${false}
    ${'Pending'} | ${3}     | ${[backOff]}          | ${false}
    ${'Failed'}  | ${3}     | ${[ended]}            | ${false}
  `('$phase, $restarts restarts, $states: $crashing', ({ phase, restarts, states, crashing }) => {
    const containerStatuses = states.map((state: object, place: number) => {
      return { name: `c${place}`, ready: false, restartCount: restarts, state };
    });
    expect(seenPod(kubePod({ status: { phase, containerStatuses } })).crashing).toBe(crashing);
  });
});

describe('ready is when all containers are', () => {
  const conditions = (containersReady: string, ready = containersReady) => [
    { type: 'ContainersReady', status: containersReady },
    { type: 'Ready', status: ready },
  ];
  const container = (ready: boolean, state: object = {}) => ({ name: 'c', ready, restartCount: 3, state });
  const crashing = container(false, { waiting: { reason: 'CrashLoopBackOff' } });

  test.each([
    ['all are', { conditions: conditions('True') }, true],
    ['only a gate of someone else is not', { conditions: conditions('True', 'False') }, true],
    ['one is not', { conditions: conditions('False'), containerStatuses: [container(true), container(false)] }, false],
    ['one crashes again and again', { conditions: conditions('False'), containerStatuses: [crashing] }, false],
    [
      'one crashes, and the conditions are behind',
      { conditions: conditions('True'), containerStatuses: [crashing] },
      false,
    ],
    ['the node does not answer', { conditions: conditions('Unknown') }, false],
    ['nothing is said', { conditions: [], containerStatuses: undefined }, false],
  ])('%s: %s', (_what, status, expected) => {
    expect(seenPod(kubePod({ status })).ready).toBe(expected);
  });
});

describe('when a pod began anew', () => {
  const container = (restartCount: number, startedAt?: string) => ({
    name: 'c',
    ready: true,
    restartCount,
    state: startedAt === undefined ? { waiting: {} } : { running: { startedAt } },
  });
  const [seven, eight] = ['2026-11-15T07:00:00Z', '2026-11-15T08:00:00Z'];
  test.each([
    ['never', [container(0, eight)], null],
    ['once', [container(1, seven)], seven],
    ['the last of two counts', [container(1, eight), container(4, seven)], eight],
    ['one that only began late does not', [container(1, seven), container(0, eight)], seven],
    ['one that waits for it', [container(2)], null],
    ['nothing is said', undefined, null],
  ])('%s', (_what, containerStatuses, expected) => {
    const { restartedAt } = seenPod(kubePod({ status: { containerStatuses } }));
    expect(restartedAt).toBe(expected === null ? null : Date.parse(expected));
  });
});

test.each([
  ['Running', 'Running'],
  ['Succeeded', 'Succeeded'],
  ['Failed', 'Failed'],
  ['Unknown', 'Unknown'],
  ['Pending', 'Pending'],
  [undefined, 'Pending'],
])('phase %s is %s', (phase, expected) => {
  expect(seenPod(kubePod({ status: { phase } })).phase).toBe(expected);
});

test.each([
  [
    { reason: 'Unschedulable', message: '0/3 nodes are available: 3 Insufficient cpu.' },
    '0/3 nodes are available: 3 Insufficient cpu.',
  ],
  [{ reason: 'SchedulingGated' }, 'SchedulingGated'],
  [{}, ''],
  [{ message: 'x'.repeat(5000) }, 'x'.repeat(512)],
])("a pod without a place has the scheduler's words", (words, expected) => {
  const conditions = [{ type: 'PodScheduled', status: 'False', ...words }];
  expect(seenPod(kubePod({ status: { conditions } })).unschedulable).toBe(expected);
});

test.each([
  [30, '2026-11-15T06:59:30Z'],
  [0, '2026-11-15T07:00:00Z'],
  [undefined, '2026-11-15T07:00:00Z'],
])('its deletion was asked for one grace period of %s s before it should be over', (grace, expected) => {
  const metadata = { deletionTimestamp: '2026-11-15T07:00:00Z', deletionGracePeriodSeconds: grace };
  expect(seenPod(kubePod({ metadata })).deletingSince).toBe(Date.parse(expected));
});

describe('a pod that does not remember its shape is outdated, and nothing worse', () => {
  const shape = shapeOf(cluster, role);
  const made = { 'drover.dev/spec-hash': shape.specHash, 'drover.dev/shape': JSON.stringify(shape) };
  const bare = { ...shape, specHash: '' };

  test.each([
    ['no annotations', {}, bare],
    ['no shape', { 'drover.dev/spec-hash': shape.specHash }, bare],
    ['no JSON', { ...made, 'drover.dev/shape': '{' }, bare],
    ['no shape in it', { ...made, 'drover.dev/shape': '{"specHash":"x"}' }, bare],
    ['null', { ...made, 'drover.dev/shape': 'null' }, bare],
    ['the hash taken off by hand', { 'drover.dev/shape': JSON.stringify(shape) }, bare],
    ['the hash of another', { ...made, 'drover.dev/spec-hash': 'other' }, bare],
    ['all there', made, shape],
  ])('%s', (_what, annotations, expected) => {
    expect(seenPod(kubePod({ metadata: { annotations } })).shape).toEqual(expected);
  });

  test('the rest is read off the pod itself', () => {
    const resources = { requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '4' } };
    const template = { spec: { containers: [{ name: 'c', resources }], nodeSelector: { disk: 'fast' } } };
    const other = someCluster({
      spec: { processGroupIDPrefix: 'blue', publicIPSource: 'Service' },
      role: { name: 'commit_proxy', template, processesPerPod: 3 },
    });
    const pod = podFor(other.cluster, other.role, group, '10.96.0.1');
    const { metadata } = pod;
    const labels = { ...metadata.labels, 'drover.dev/process-group': 'blue-commit-proxy-4' };
    const annotations = { 'drover.dev/public-ip': '10.96.0.1' };
    expect(seenPod({ ...pod, metadata: { ...metadata, labels, annotations } }).shape).toEqual({
      ...shapeOf(other.cluster, other.role),
      specHash: '',
    });
  });

  test('a pod that somebody made by hand says little, and breaks nothing', () => {
    const pod = { metadata: { name: 'p', namespace: 'db' }, spec: { containers: [{ name: 'c' }] } };
    expect(seenPod(pod).shape).toEqual({
      idPrefix: '',
      publicIPSource: 'Pod',
      processesPerPod: 1,
      nodeSelector: {},
      claimSpecHash: '',
      requests: {},
      limits: {},
      specHash: '',
    });
  });
});
