import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { StatefulClusterSpecInput } from '../../../api/v1alpha1/stateful-cluster.schema.ts';
import { someCluster } from '../../testing/some-cluster.ts';
import type { Cluster } from '../cluster.ts';
import { detectorCronJobFor } from './detector-cron-job.ts';

const own = { namespace: 'drover', serviceAccount: 'drover', image: 'drover:1' };

type Replacements = NonNullable<NonNullable<StatefulClusterSpecInput['automationOptions']>['replacements']>;

function clusterWith(replacements: Replacements, given: Partial<Cluster> = {}): Cluster {
  return { ...someCluster({ spec: { automationOptions: { replacements } } }).cluster, ...given };
}

const parts = z.object({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()),
    ownerReferences: z.array(z.object({ uid: z.string() })).default([]),
  }),
  spec: z.object({
    schedule: z.string(),
    suspend: z.boolean().default(false),
    jobTemplate: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        template: z.object({
          metadata: z.object({ labels: z.record(z.string(), z.string()) }),
          spec: z.object({
            serviceAccountName: z.string().default('default'),
            containers: z.array(z.looseObject({ name: z.string(), image: z.string(), args: z.array(z.string()) })),
            tolerations: z.array(z.unknown()).default([]),
          }),
        }),
      }),
    }),
  }),
});

const made = (replacements: Replacements, given: Partial<Cluster> = {}) =>
  parts.parse(detectorCronJobFor(clusterWith(replacements, given), own));
const podOf = (job: z.output<typeof parts>) => job.spec.jobTemplate.spec.template;
const hashOf = (job: z.output<typeof parts>) => job.metadata.annotations['drover.dev/spec-hash'];

describe('the failure detector runs `drover detect`', () => {
  test("as the operator, in the operator's namespace, where nothing can own it", () => {
    const job = made({ enabled: true });
    expect(job.metadata).toMatchObject({
      namespace: 'drover',
      name: 'db.orders-detector',
      labels: { 'drover.dev/detects': 'orders', 'drover.dev/detects-in': 'db' },
      ownerReferences: [],
    });
    expect(podOf(job).spec).toMatchObject({
      serviceAccountName: 'drover',
      containers: [{ name: 'detector', image: 'drover:1', args: ['detect', '--cluster', 'db/orders'] }],
    });
  });

  test('its pods are not taken for pods of a cluster', () => {
    const template = {
      spec: {
        jobTemplate: { spec: { template: { metadata: { labels: { 'drover.dev/cluster': 'orders', a: 'b' } } } } },
      },
    };
    expect(podOf(made({})).metadata.labels).toEqual({ 'app.kubernetes.io/name': 'drover-detector' });
    expect(podOf(made({ detector: { template } })).metadata.labels).toEqual({
      'app.kubernetes.io/name': 'drover-detector',
      a: 'b',
    });
  });

  test.each([
    [{}, '0 */2 * * *'],
    [{ failureDetectionTimeSeconds: 1800 }, '*/30 * * * *'],
    [{ detector: { schedule: '@daily' } }, '@daily'],
    [{ detector: { schedule: '@daily', template: { spec: { schedule: '@hourly' } } } }, '@hourly'],
  ])('with %j: at %s', (replacements, schedule) => {
    expect(made(replacements).spec.schedule).toBe(schedule);
  });
});

describe('a template', () => {
  test("takes it to the cluster's namespace, owned by the cluster, and never runs as the operator", () => {
    const job = made({ detector: { template: { spec: { suspend: true } } } });
    expect(job.metadata).toMatchObject({ namespace: 'db', name: 'orders-detector' });
    expect(job.metadata.ownerReferences).toMatchObject([{ uid: clusterWith({}).uid }]);
    expect(job.spec.suspend).toBe(true);
    expect(podOf(job).spec.serviceAccountName).toBe('default');
  });

  test('runs as the operator where the cluster lives beside it: whoever writes there may use the account anyway', () => {
    const job = made({ detector: { template: { spec: { suspend: true } } } }, { namespace: 'drover' });
    expect(job.metadata).toMatchObject({ namespace: 'drover', name: 'orders-detector' });
    expect(podOf(job).spec.serviceAccountName).toBe('drover');
  });

  test('changes what it names, and leaves the rest', () => {
    const pod = {
      serviceAccountName: 'watcher',
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'detector', image: 'mirror.example.com/drover:1' }],
    };
    const job = made({ detector: { template: { spec: { jobTemplate: { spec: { template: { spec: pod } } } } } } });
    expect(podOf(job).spec).toMatchObject({
      serviceAccountName: 'watcher',
      tolerations: [{ operator: 'Exists' }],
      containers: [
        { name: 'detector', image: 'mirror.example.com/drover:1', args: ['detect', '--cluster', 'db/orders'] },
      ],
    });
  });

  test('cannot take its name, its place, its owner or its labels', () => {
    const metadata = {
      name: 'other',
      namespace: 'kube-system',
      ownerReferences: [],
      labels: { team: 'a', 'drover.dev/detects': 'other' },
      annotations: { note: 'b', 'drover.dev/spec-hash': 'x' },
    };
    const job = made({ detector: { template: { metadata } } });
    expect(job.metadata).toMatchObject({ namespace: 'db', name: 'orders-detector' });
    expect(job.metadata.ownerReferences).toHaveLength(1);
    expect(job.metadata.labels).toMatchObject({ team: 'a', 'drover.dev/detects': 'orders' });
    expect(job.metadata.annotations['note']).toBe('b');
    expect(hashOf(job)).not.toBe('x');
  });

  test('that is no CronJob is refused with the name of the field', () => {
    const template = { metadata: { labels: { team: 1 } } };
    expect(() => made({ detector: { template } })).toThrow(
      /spec\.automationOptions\.replacements\.detector\.template\.metadata\.labels\.team/,
    );
  });
});

describe('its name fits into 52 characters and is not shared', () => {
  const named = (namespace: string, name: string) =>
    made({}, { key: `${namespace}/${name}`, namespace, name }).metadata.name;

  test.each([
    ['a', 40, /^a\.n{40}-detector$/],
    ['a', 41, /^a\.n{41}-detector$/],
    ['a', 42, /^a\.n{32}-[0-9a-f]{8}-detector$/],
  ])('%s and a name of %s characters', (namespace, length, expected) => {
    const name = named(namespace, 'n'.repeat(length));
    expect(name).toMatch(expected);
    expect(name.length).toBeLessThanOrEqual(52);
  });

  test('two that differ only where they are cut', () => {
    const long = 'n'.repeat(60);
    expect(named('a', `${long}x`)).not.toBe(named('a', `${long}y`));
  });
});

test('the hash changes with what is wanted, and with nothing else', () => {
  const before = hashOf(made({ enabled: true }));
  expect(hashOf(made({ enabled: true }, { generation: 7, resourceVersion: '9' }))).toBe(before);
  expect(hashOf(made({ enabled: true, failureDetectionTimeSeconds: 600 }))).not.toBe(before);
  expect(hashOf(parts.parse(detectorCronJobFor(clusterWith({}), { ...own, image: 'drover:2' })))).not.toBe(before);
});
