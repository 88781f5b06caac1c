import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/object.ts';
import { parseKey } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';
import { pods } from '../../kube/resources.ts';
import { claims, services } from '../resources.ts';
import type { LabelledObject } from './adoption.ts';
import type { Cluster } from './cluster.ts';
import { ownerReferenceTo } from './marks.ts';

const resources: { readonly [what in LabelledObject['what']]: Resource<KubeObject> } = {
  pod: pods,
  claim: claims,
  service: services,
};

/**
 * Makes the cluster the controller of an object that has none, so that it goes with the cluster. What else refers to it stays. An object that has
 * changed since it was seen, for example because another controller took it, is a conflict and is left alone.
 */
export async function takeOwnership(
  client: KubeClient,
  cluster: Cluster,
  { what, key, version }: LabelledObject,
  signal: AbortSignal,
): Promise<void> {
  // Strategic, because a merge patch would put our reference in the place of all others.
  const metadata = { resourceVersion: version, ownerReferences: [ownerReferenceTo(cluster)] };
  const options = { signal, fieldManager: 'drover' };
  await client.patch(resources[what], parseKey(key), { type: 'strategic', body: { metadata } }, options);
}
