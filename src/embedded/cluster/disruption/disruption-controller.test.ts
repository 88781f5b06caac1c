import { describe, expect, test } from 'vitest';
import { KubeApiError } from '../../../kube/errors.ts';
import type { KubeObject } from '../../../kube/object.ts';
import { listAt, objectAt, textAt } from '../../api-server/json.ts';
import type { ClusterWorld } from '../testing/cluster-world.ts';
import { storyWorlds } from '../testing/story.ts';

const start = storyWorlds();
const selector = { matchLabels: { app: 'db' } };
const labelled = { metadata: { labels: { app: 'db' } } };

const statusOf = (world: ClusterWorld, name = 'lock') => {
  const status = objectAt(world.budget(name), 'status');
  const condition = listAt(status, 'conditions')[0];
  return { ...status, conditions: `${textAt(condition, 'status')} ${textAt(condition, 'reason')}` };
};

/** What the API server answers to an eviction: the code, and the budget's own words. */
async function evict(world: ClusterWorld, name: string): Promise<string> {
  try {
    await world.client.evict({ namespace: 'default', name }, { signal: world.signal });
    return 'evicted';
  } catch (error) {
    if (!(error instanceof KubeApiError)) throw error;
    const retry = error.retryAfter === undefined ? '' : `, again in ${error.retryAfter / 1000} s`;
    return `${error.status} ${error.details?.causes?.[0]?.message ?? ''}${retry}`;
  }
}

const clusterKind = {
  metadata: { name: 'clusters.example.dev' },
  spec: {
    group: 'example.dev',
    names: { kind: 'Cluster', plural: 'clusters', singular: 'cluster', listKind: 'ClusterList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

async function ownedByCluster(world: ClusterWorld): Promise<void> {
  const definitions = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
  };
  const options = { signal: world.signal };
  await world.client.create<KubeObject>(definitions, clusterKind, options);
  await world.pass(1);
  const clusters = { group: 'example.dev', version: 'v1', kind: 'Cluster', plural: 'clusters', namespaced: true };
  const owner = await world.client.create<KubeObject>(
    clusters,
    { metadata: { namespace: 'default', name: 'c' } },
    options,
  );
  const ownerReferences = [
    { apiVersion: 'example.dev/v1', kind: 'Cluster', name: 'c', uid: owner.metadata.uid, controller: true },
  ];
  for (const name of ['a', 'b']) await world.createPod(name, { metadata: { labels: { app: 'db' }, ownerReferences } });
}

describe('the lock (minAvailable: 2147483647) holds whoever owns the pods', () => {
  test('nobody: nothing is allowed, and the answer counts', async () => {
    const world = await start();
    await world.createPod('a', labelled);
    await world.createPod('b', labelled);
    await world.createBudget('lock', { minAvailable: 2147483647, selector });
    await world.pass(5);
    expect(statusOf(world)).toEqual({
      currentHealthy: 2,
      desiredHealthy: 2147483647,
      disruptionsAllowed: 0,
      expectedPods: 2,
      observedGeneration: 1,
      conditions: 'False InsufficientPods',
    });
    expect(await evict(world, 'a')).toBe(
      '429 The disruption budget lock needs 2147483647 healthy pods and has 2 currently',
    );
  });

  test('a custom resource without scale', async () => {
    const world = await start();
    await ownedByCluster(world);
    await world.createBudget('lock', { minAvailable: 2147483647, selector });
    await world.pass(5);
    expect(statusOf(world)).toMatchObject({ currentHealthy: 2, conditions: 'False InsufficientPods' });
  });

  test('opens for one pod when a label takes it out of the selector, at once', async () => {
    const world = await start();
    const expression = { key: 'drover.dev/guard', operator: 'NotIn', values: ['open'] };
    await world.createSet('db', 3);
    await world.createBudget('lock', {
      minAvailable: 2147483647,
      selector: { ...selector, matchExpressions: [expression] },
    });
    await world.pass(20);
    expect(await evict(world, 'db-1')).toContain('429');
    await world.patchPod('db-1', { metadata: { labels: { 'drover.dev/guard': 'open' } } });
    expect(await evict(world, 'db-1')).toBe('evicted');
    await world.pass(10);
    expect(await evict(world, 'db-1')).toContain('429');
  });
});

describe('maxUnavailable asks the owner', () => {
  test('a custom resource without scale: SyncFailed, never observed, and the API server says to try later', async () => {
    const world = await start();
    await ownedByCluster(world);
    await world.createBudget('lock', { maxUnavailable: 0, selector });
    await world.pass(5);
    const condition = listAt(world.budget('lock'), 'status', 'conditions')[0];
    expect(condition).toMatchObject({
      reason: 'SyncFailed',
      message: 'clusters.example.dev does not implement the scale subresource',
    });
    expect(objectAt(world.budget('lock'), 'status')['observedGeneration']).toBeUndefined();
    expect(await evict(world, 'a')).toBe(
      '429 The disruption budget lock is still being processed by the server., again in 10 s',
    );
  });

  test('nobody: no pods are expected, so nothing is allowed', async () => {
    const world = await start();
    await world.createPod('a', labelled);
    await world.createBudget('lock', { maxUnavailable: 1, selector });
    await world.pass(5);
    expect(statusOf(world)).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0, currentHealthy: 1 });
  });

  test.each`
    spec                         | desired | allowed
    ${{ maxUnavailable: 0 }}     | ${3}    | ${0}
    ${{ maxUnavailable: 1 }}     | ${2}    | ${1}
    ${{ maxUnavailable: '30%' }} | ${2}    | ${1}
    ${{ maxUnavailable: '34%' }} | ${1}    | ${2}
    ${{ minAvailable: '50%' }}   | ${2}    | ${1}
    ${{ minAvailable: 3 }}       | ${3}    | ${0}
  `(
    'a stateful set of three under $spec: $desired must be healthy, $allowed may go',
    async ({ spec, desired, allowed }) => {
      const world = await start();
      await world.createSet('db', 3);
      await world.createBudget('lock', { ...spec, selector });
      await world.pass(20);
      expect(statusOf(world)).toMatchObject({
        expectedPods: 3,
        currentHealthy: 3,
        desiredHealthy: desired,
        disruptionsAllowed: allowed,
        conditions: allowed > 0 ? 'True SufficientPods' : 'False InsufficientPods',
      });
    },
  );
});

describe('a budget that allows one', () => {
  test('allows the next when the first is back', async () => {
    const world = await start();
    await world.createSet('db', 3);
    await world.createBudget('lock', { maxUnavailable: 1, selector });
    await world.pass(20);
    expect(await evict(world, 'db-0')).toBe('evicted');
    expect(await evict(world, 'db-1')).toContain('429');
    await world.pass(10);
    expect(statusOf(world)).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
    expect(await evict(world, 'db-1')).toBe('evicted');
  });
});
