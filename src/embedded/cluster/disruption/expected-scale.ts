import { numberAt, textAt } from '../../api-server/json.ts';
import type { World } from '../../api-server/world.ts';
import { controllerOf, type OwnerView, type PodView } from '../pod-view.ts';

/** How many pods the owners of these pods want together, and which pods nobody owns. */
export interface ExpectedScale {
  readonly pods: number;
  readonly unmanaged: readonly string[];
}

/** The owner of a pod cannot be asked how many pods it wants. The message is what the budget's condition shows. */
export class ScaleUnknown extends Error {
  override readonly name = 'ScaleUnknown';
}

/**
 * After `getExpectedScale` of the disruption controller: pods without owner are left out, every owner counts once, and an owner without a scale
 * is an error.
 */
export function expectedScale(world: World, pods: readonly PodView[]): ExpectedScale {
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    if (pod.controller === undefined) unmanaged.push(pod.name);
    else if (!scales.has(pod.controller.uid)) {
      const owner = scaleOf(world, pod.controller, pod.namespace);
      if (owner === undefined) throw new ScaleUnknown(`found no controllers for pod ${JSON.stringify(pod.name)}`);
      scales.set(pod.controller.uid, owner.replicas);
    }
  }
  return { pods: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

function scaleOf(world: World, owner: OwnerView, namespace: string): { readonly replicas: number } | undefined {
  const definition = world.kinds.findKind(owner.apiVersion, owner.kind);
  if (definition === undefined) {
    throw new ScaleUnknown(`no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`);
  }
  if (!definition.subresources.includes('scale')) {
    const resource = definition.group === '' ? definition.plural : `${definition.plural}.${definition.group}`;
    throw new ScaleUnknown(`${resource} does not implement the scale subresource`);
  }
  const found = world.store.collection(definition.storage).get(namespace, owner.name)?.object;
  if (found === undefined || textAt(found, 'metadata', 'uid') !== owner.uid) return undefined;
  // A ReplicaSet of a Deployment counts as the Deployment.
  const above = definition.kind === 'ReplicaSet' ? controllerOf(found) : undefined;
  if (above?.kind === 'Deployment') return scaleOf(world, above, namespace);
  const path = definition.custom?.scale?.spec.split('.').filter((step) => step !== '') ?? ['spec', 'replicas'];
  return { replicas: numberAt(found, ...path) ?? 0 };
}
