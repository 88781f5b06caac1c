import { describe, expect, test } from 'vitest';
import type { KubeObject, OwnerReference } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import { pods } from '../../kube/resources.ts';
import { claims } from '../../operator/resources.ts';
import { statefulClusters } from '../../operator/stateful-cluster/view.ts';
import type { ClusterStory } from './testing/cluster-story.ts';
import { clusterUp } from './testing/cluster-story.ts';

const call = { signal: new AbortController().signal };

const own = (
  story: ClusterStory,
  resource: Resource<KubeObject>,
  name: string,
  ownerReferences: readonly OwnerReference[],
) =>
  story.world.people.patch(
    resource,
    { namespace: 'db', name },
    { type: 'merge', body: { metadata: { ownerReferences } } },
    call,
  );

const ownersOf = async (story: ClusterStory, resource: Resource<KubeObject>, name: string) =>
  (await story.world.people.get(resource, { namespace: 'db', name }, call)).metadata.ownerReferences ?? [];

const someone: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'notes', uid: 'u-1' };

describe('objects of a cluster that nothing owns', () => {
  test('get the cluster as their controller, and keep what else refers to them', async () => {
    const story = await clusterUp();
    const [id = ''] = await story.ids('storage');
    await own(story, pods, `orders-${id}`, [someone]);
    await own(story, claims, `orders-${id}-data`, []);
    await story.world.pass(5);
    const { uid } = (await story.world.people.get(statefulClusters, { namespace: 'db', name: 'orders' }, call))
      .metadata;
    const ours = expect.objectContaining({ kind: 'StatefulCluster', name: 'orders', uid, controller: true });
    expect(await ownersOf(story, pods, `orders-${id}`)).toEqual([ours, expect.objectContaining(someone)]);
    expect(await ownersOf(story, claims, `orders-${id}-data`)).toEqual([ours]);
    const before = story.world.writes.length;
    await story.world.pass(600);
    expect(story.world.writes.slice(before)).toEqual([]);
    expect(story.world.errors).toEqual([]);
  });

  test('are left to another controller that has them', async () => {
    const story = await clusterUp();
    const [id = ''] = await story.ids('storage');
    const controller = { ...someone, controller: true };
    await own(story, claims, `orders-${id}-data`, [controller]);
    await story.world.pass(60);
    expect(await ownersOf(story, claims, `orders-${id}-data`)).toEqual([expect.objectContaining(controller)]);
  });
});
