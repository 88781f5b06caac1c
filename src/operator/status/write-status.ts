import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Resource } from '../../kube/resource.ts';

type Identity = Pick<KubeObject['metadata'], 'namespace' | 'name' | 'resourceVersion' | 'uid'>;

/** Writes a status onto the very version of the object that it was made from: a lost race is a conflict. */
export async function writeStatus(
  client: KubeClient,
  resource: Resource<KubeObject>,
  { namespace, name, resourceVersion, uid }: Identity,
  status: object,
  signal: AbortSignal,
): Promise<void> {
  await client.patch(
    resource,
    { namespace, name },
    { type: 'merge', body: { metadata: { resourceVersion, uid }, status } },
    { signal, subresource: 'status', fieldManager: 'drover' },
  );
}
