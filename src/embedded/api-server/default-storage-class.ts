import { type JsonObject, objectAt, textAt } from './json.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { World } from './world.ts';

const isDefault = 'storageclass.kubernetes.io/is-default-class';

/** A claim that names no class gets the default one, if there is one. Of several, the newest, then the first by name. */
export function setDefaultStorageClass(world: World, definition: ResourceDefinition, claim: JsonObject): void {
  if (definition.storage !== 'persistentvolumeclaims') return;
  const spec = objectAt(claim, 'spec');
  if (spec['storageClassName'] !== undefined) return;
  const classes = [...world.store.collection('storageclasses.storage.k8s.io').entries()]
    .map(({ object }) => object)
    .filter((each) => textAt(each, 'metadata', 'annotations', isDefault) === 'true')
    .sort((a, b) => (textAt(a, 'metadata', 'creationTimestamp') < textAt(b, 'metadata', 'creationTimestamp') ? 1 : -1));
  const [newest] = classes;
  if (newest !== undefined) spec['storageClassName'] = textAt(newest, 'metadata', 'name');
}
