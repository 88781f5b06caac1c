import { at, type JsonObject, textAt } from './json.ts';
import { parseQuantity } from './quantity.ts';
import { forbidden } from './status-error.ts';
import type { World } from './world.ts';
import type { WriteRequest } from './write-request.ts';

const refusal =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

/** A claim grows only where its class lets it: the PersistentVolumeClaimResize admission plugin. Throws its 403. */
export function checkClaimResize(
  world: World,
  { definition, name }: WriteRequest,
  next: JsonObject,
  old: JsonObject,
): void {
  if (definition.storage !== 'persistentvolumeclaims' || textAt(old, 'status', 'phase') !== 'Bound') return;
  const size = (claim: JsonObject) =>
    parseQuantity(textAt(claim, 'spec', 'resources', 'requests', 'storage'))?.milli ?? 0n;
  if (size(next) <= size(old)) return;
  const storageClass = textAt(next, 'spec', 'storageClassName');
  const found = world.store.collection('storageclasses.storage.k8s.io').get('', storageClass);
  if (at(found?.object, 'allowVolumeExpansion') !== true) throw forbidden(definition, name, refusal);
}
