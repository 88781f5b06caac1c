import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/object.ts';
import { nodeDrains } from '../lock/begun-drains.ts';
import { finalizer } from './marks.ts';

/** Sees to it that the drain cannot be gone before what it did is undone. The object as it is then. */
export const hold = (client: KubeClient, object: KubeObject, signal: AbortSignal): Promise<KubeObject> =>
  setFinalizers(client, object, [...others(object), finalizer], signal);

/** Lets the drain be gone. */
export const letGo = (client: KubeClient, object: KubeObject, signal: AbortSignal): Promise<KubeObject> =>
  setFinalizers(client, object, others(object), signal);

export const isHeld = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(finalizer) === true;

const others = ({ metadata }: KubeObject): readonly string[] =>
  (metadata.finalizers ?? []).filter((one) => one !== finalizer);

function setFinalizers(
  client: KubeClient,
  { metadata: { name, uid, resourceVersion } }: KubeObject,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<KubeObject> {
  const body = { metadata: { uid, resourceVersion, finalizers } };
  return client.patch(nodeDrains, { name }, { type: 'merge', body }, { signal, fieldManager: 'drover' });
}
