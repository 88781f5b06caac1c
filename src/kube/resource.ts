import type { KubeObject, ObjectKey } from './object.ts';

/** Where the objects of a kind live in the API, and what they look like to us. */
export interface Resource<T extends KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Only carries the type. */
  readonly shape?: T;
}

/** `apps/v1`, or `v1` for the core group: what an object of this kind has in `apiVersion`. */
export function apiVersionOf(resource: Resource<KubeObject>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** `statefulsets.apps`, as in RBAC, CRD names and messages. */
export function resourceName(resource: Resource<KubeObject>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** The path of the collection: of one namespace, or of all of them. */
export function collectionPath(resource: Resource<KubeObject>, namespace?: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${resource.plural}`;
}

/** The path of one object, or of one of its subresources. */
export function objectPath(resource: Resource<KubeObject>, key: ObjectKey, subresource?: string): string {
  const object = `${collectionPath(resource, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? object : `${object}/${subresource}`;
}
