import { describe, expect, test } from 'vitest';
import { InvalidObjectError } from '../../../api/parse.ts';
import type { StatefulClusterSpecInput } from '../../../api/v1alpha1/stateful-cluster.schema.ts';
import type { Pod } from '../../../kube/resources.ts';
import { group, someCluster } from '../../testing/some-cluster.ts';
import { shapeOf } from '../pod-shape.ts';
import { podFor } from './pod.ts';

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const database = { name: 'database', image: 'database:1' };

type Options = Parameters<typeof someCluster>[0];
const podOf = (options: Options = {}, publicIP: string | null = null): Pod => {
  const { cluster, role } = someCluster(options);
  return podFor(cluster, role, group, publicIP);
};
const templateOf = (spec: object, metadata: object = {}): Options => ({ role: { template: { metadata, spec } } });
const etcd = (template: Record<string, unknown>, more: object = {}): Options => ({
  spec: { engine: { type: 'etcd' } },
  role: { name: 'member', template, ...more },
});
const variablesIn = (pod: Pod, container = 0) =>
  Object.fromEntries(
    (pod.spec.containers[container]?.env ?? []).map(({ name, value, valueFrom }) => [name, value ?? valueFrom]),
  );
const field = (fieldPath: string) => ({ fieldRef: { apiVersion: 'v1', fieldPath } });

test('a FoundationDB pod has all that Drover and its engine need, and nothing else', () => {
  const { cluster, role } = someCluster({ role: { volumeClaimTemplate: claim } });
  const shape = shapeOf(cluster, role);
  const pod = podFor(cluster, role, group);
  const [script] = pod.spec.containers[0]?.args?.slice(2) ?? [];
  expect(script).toContain("start 4501 '/var/fdb/data'");
  expect(pod).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'db',
      name: 'orders-storage-7',
      labels: {
        'drover.dev/cluster': 'orders',
        'drover.dev/role': 'storage',
        'drover.dev/process-group': 'storage-7',
      },
      annotations: { 'drover.dev/spec-hash': shape.specHash, 'drover.dev/shape': JSON.stringify(shape) },
      ownerReferences: [
        {
          apiVersion: 'drover.dev/v1alpha1',
          kind: 'StatefulCluster',
          name: 'orders',
          uid: cluster.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      containers: [
        {
          ...database,
          args: ['/bin/bash', '-c', script],
          env: [
            { name: 'DROVER_CLUSTER', value: 'orders' },
            { name: 'DROVER_ROLE', value: 'storage' },
            { name: 'DROVER_PROCESS_GROUP', value: 'storage-7' },
            { name: 'DROVER_ZONE', valueFrom: field('spec.nodeName') },
            { name: 'DROVER_PROCESSES_PER_POD', value: '1' },
            { name: 'FDB_CLUSTER_FILE', value: '/var/drover/connection/fdb.cluster' },
            { name: 'FDB_INSTANCE_ID', value: 'storage-7' },
            { name: 'FDB_PROCESS_CLASS', value: 'storage' },
            { name: 'FDB_ZONE_ID', valueFrom: field('spec.nodeName') },
            { name: 'FDB_MACHINE_ID', valueFrom: field('spec.nodeName') },
            { name: 'FDB_POD_IP', valueFrom: field('status.podIP') },
            { name: 'FDB_PUBLIC_IP', valueFrom: field('status.podIP') },
          ],
          volumeMounts: [
            { name: 'drover-connection', mountPath: '/var/drover/connection', readOnly: true },
            { name: 'data', mountPath: '/var/fdb/data' },
          ],
        },
      ],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'orders-storage-7-data' } },
        {
          name: 'drover-connection',
          configMap: {
            name: 'orders-connection',
            items: [{ key: 'fdb.cluster', path: 'fdb.cluster' }],
            optional: true,
          },
        },
      ],
      tolerations: ['not-ready', 'unreachable'].map((taint) => ({
        key: `node.kubernetes.io/${taint}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { 'drover.dev/cluster': 'orders', 'drover.dev/role': 'storage' } },
        },
      ],
    },
  });
});

describe('the template is kept', () => {
  test('with what Drover does not know, and its nulls left out', () => {
    const pod = podOf(
      templateOf(
        {
          containers: [{ ...database, livenessProbe: { tcpSocket: { port: 1 } }, lifecycle: null }, { name: 'b' }],
          initContainers: [{ name: 'i', image: 'i', env: null }],
          securityContext: { fsGroup: 5 },
          terminationGracePeriodSeconds: 90,
          volumes: [{ name: 'own', emptyDir: {} }],
          nodeSelector: { disk: 'fast' },
        },
        { labels: { tier: 'db' }, annotations: { note: 'x' }, finalizers: ['example.com/hold'] },
      ),
    );
    expect(pod.metadata).toMatchObject({ finalizers: ['example.com/hold'], labels: { tier: 'db' } });
    expect(pod.metadata.annotations).toMatchObject({ note: 'x' });
    expect(pod.spec).toMatchObject({
      containers: [{ livenessProbe: { tcpSocket: { port: 1 } } }, { name: 'b' }],
      initContainers: [{ name: 'i', image: 'i' }],
      securityContext: { fsGroup: 5 },
      terminationGracePeriodSeconds: 90,
      nodeSelector: { disk: 'fast' },
    });
    expect(pod.spec.volumes?.map(({ name }) => name)).toEqual(['own', 'drover-connection']);
    expect(pod.spec.containers[0]).not.toHaveProperty('lifecycle');
  });

  test('but it cannot bring labels and annotations of Drover, such as one that opens the lock', () => {
    const theirs = { 'drover.dev/guard': 'open', 'drover.dev/cluster': 'other', 'fake.drover.dev/ready': 'false' };
    const { metadata } = podOf(templateOf({}, { labels: theirs, annotations: theirs }));
    expect(Object.keys(metadata.labels ?? {}).toSorted()).toEqual([
      'drover.dev/cluster',
      'drover.dev/process-group',
      'drover.dev/role',
      'fake.drover.dev/ready',
    ]);
    expect(metadata.labels?.['drover.dev/cluster']).toBe('orders');
    expect(Object.keys(metadata.annotations ?? {}).toSorted()).toEqual([
      'drover.dev/shape',
      'drover.dev/spec-hash',
      'fake.drover.dev/ready',
    ]);
  });

  test("Drover's variables win and stand first, in every container", () => {
    const env = [
      { name: 'MINE', value: '$(DROVER_ROLE)' },
      { name: 'FDB_INSTANCE_ID', value: 'forged' },
    ];
    const pod = podOf(
      templateOf({ containers: [{ ...database, env }, { name: 'b' }], initContainers: [{ name: 'i' }] }),
    );
    const names = pod.spec.containers[0]?.env?.map(({ name }) => name) ?? [];
    expect(names.indexOf('MINE')).toBe(names.length - 1);
    expect(names.filter((name) => name === 'FDB_INSTANCE_ID')).toHaveLength(1);
    expect(variablesIn(pod)).toMatchObject({ FDB_INSTANCE_ID: 'storage-7', MINE: '$(DROVER_ROLE)' });
    expect(variablesIn(pod, 1)).toMatchObject({ DROVER_CLUSTER: 'orders' });
    expect(pod.spec.initContainers?.[0]?.env).toEqual(pod.spec.containers[1]?.env);
  });

  test('one that is no PodTemplateSpec is refused by the name of its fields', () => {
    const broken = templateOf({ containers: [{ image: 'i' }], nodeSelector: { a: 1 } });
    expect(() => podOf(broken)).toThrow(InvalidObjectError);
    expect(() => podOf(broken)).toThrow(
      /StatefulCluster db\/orders is not valid.*roles\[name=storage\]\.template\.spec\.containers\.0\.name: .*nodeSelector\.a: /,
    );
  });

  test('an empty one is for the API server to refuse', () => {
    expect(podOf(templateOf({})).spec.containers).toEqual([]);
  });
});

describe('the data', () => {
  const mountsOf = (container: object) => {
    const options = etcd({ spec: { containers: [{ ...database, ...container }, { name: 'b' }] } });
    return podOf({ ...options, role: { ...options?.role, volumeClaimTemplate: claim } }).spec;
  };

  test.each([
    ['where the engine usually has it', {}, [{ name: 'data', mountPath: '/var/lib/etcd' }]],
    [
      'beside other mounts',
      { volumeMounts: [{ name: 'own', mountPath: '/x' }] },
      [
        { name: 'own', mountPath: '/x' },
        { name: 'data', mountPath: '/var/lib/etcd' },
      ],
    ],
    [
      'where the template mounts it itself',
      { volumeMounts: [{ name: 'data', mountPath: '/mnt', subPath: 'etcd' }] },
      [{ name: 'data', mountPath: '/mnt', subPath: 'etcd' }],
    ],
  ])('is mounted in the first container, %s', (_where, container, expected) => {
    const { containers } = mountsOf(container);
    expect(containers[0]?.['volumeMounts']).toEqual(expected);
    expect(containers[1]?.['volumeMounts']).toBeUndefined();
  });

  test('is left to another container that mounts it', () => {
    const second = { name: 'b', volumeMounts: [{ name: 'data', mountPath: '/mnt' }] };
    const options = etcd({ spec: { containers: [database, second] } }, { volumeClaimTemplate: claim });
    expect(podOf(options).spec.containers[0]?.['volumeMounts']).toBeUndefined();
  });

  test("is the claim, also where the template has a volume of that name; without a claim it is the template's", () => {
    const template = { spec: { containers: [database], volumes: [{ name: 'data', emptyDir: {} }] } };
    expect(podOf(etcd(template, { volumeClaimTemplate: claim })).spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'orders-storage-7-data' } },
    ]);
    expect(podOf(etcd(template)).spec.volumes).toEqual(template.spec.volumes);
    expect(podOf(etcd({ spec: { containers: [database] } })).spec).not.toHaveProperty('volumes');
  });
});

test('a pod behind a Service has the address of that', () => {
  const pod = podOf({ spec: { publicIPSource: 'Service' } }, '10.96.0.7');
  expect(pod.metadata.annotations?.['drover.dev/public-ip']).toBe('10.96.0.7');
  expect(variablesIn(pod)).toMatchObject({
    FDB_PUBLIC_IP: field("metadata.annotations['drover.dev/public-ip']"),
    FDB_POD_IP: field('status.podIP'),
  });
});

test("a process that does anything has no class, and a connection string can be somebody else's", () => {
  const connectionString = { name: 'theirs', key: 'cluster-file' };
  const engine = { type: 'foundationdb', version: '7.3.63', foundationdb: { connectionString } } as const;
  const pod = podOf({ spec: { engine }, role: { name: 'general' } });
  expect(variablesIn(pod)).toMatchObject({ FDB_PROCESS_CLASS: 'unset' });
  expect(pod.spec.volumes).toMatchObject([
    { configMap: { name: 'theirs', items: [{ key: 'cluster-file', path: 'fdb.cluster' }] } },
  ]);
});

test.each([
  [{ args: ['--mine'] }, { args: ['--mine'] }],
  [{ command: ['mine'] }, { command: ['mine'] }],
])('a container that says what to run runs that: %j', (said, expected) => {
  const { command, args } = podOf(templateOf({ containers: [{ ...database, ...said }] })).spec.containers[0] ?? {};
  expect({ ...(command && { command }), ...(args && { args }) }).toEqual(expected);
});

test('fdbserver keeps its data where the template mounts it', () => {
  const mounted = { ...database, volumeMounts: [{ name: 'data', mountPath: '/mnt/fdb' }] };
  const [first] = podOf(templateOf({ containers: [mounted] })).spec.containers;
  expect(first?.args?.[2]).toContain("start 4501 '/mnt/fdb'");
});

describe('faults that people inject', () => {
  const pods = (buggify: StatefulClusterSpecInput['buggify'], template?: Options) =>
    podOf({ spec: { buggify }, ...template });

  test.each([[['storage-7']], [['*']], [['log-1', 'storage-7']]])(
    'crashLoop %j: the first container cannot start',
    (crashLoop) => {
      const pod = pods({ crashLoop }, templateOf({ containers: [{ ...database, command: ['x'] }, { name: 'b' }] }));
      expect(pod.spec.containers).toMatchObject([{ command: ['crash-loop'], args: ['crash-loop'] }, { name: 'b' }]);
      expect(pod.spec.containers[1]).not.toHaveProperty('command');
      expect(pod.metadata.annotations?.['drover.dev/faults']).toBe('crash-loop');
    },
  );

  test('emptyMonitorConf: no process is started', () => {
    const pod = pods({ emptyMonitorConf: true, crashLoop: ['log-1'], noSchedule: ['log-1'] });
    expect(variablesIn(pod)).toMatchObject({ DROVER_EMPTY_MONITOR_CONF: 'true' });
    expect(pod.metadata.annotations?.['drover.dev/faults']).toBe('empty-monitor-conf');
    expect(pod.spec.containers[0]).not.toHaveProperty('command');
    expect(pod.spec).not.toHaveProperty('affinity');
  });
});
