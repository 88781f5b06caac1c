import { type FieldError, forbiddenField, invalidValue, required } from './field-error.ts';
import { equal, isObject, isString, type JsonObject, listAt, objectAt, printed, textAt } from './json.ts';
import { labelValue, qualifiedName } from './name-rules.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { badRequest } from './status-error.ts';

/** The metadata, made if need be. Belongs to the object: changing it changes the object. */
export function metadataOf(object: JsonObject): JsonObject {
  const found = object['metadata'];
  if (isObject(found)) return found;
  const made: JsonObject = {};
  object['metadata'] = made;
  return made;
}

/** Holds the namespace of an object to that of the request. Throws the API server's 400. */
export function settleNamespace(object: JsonObject, namespace: string, definition: ResourceDefinition): void {
  const metadata = metadataOf(object);
  const given = textAt(metadata, 'namespace');
  if (!definition.namespaced) {
    if (given !== '')
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    delete metadata['namespace'];
    return;
  }
  if (given !== '' && given !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  metadata['namespace'] = namespace;
}

export function* validateMetadata(object: JsonObject, definition: ResourceDefinition): Generator<FieldError> {
  const metadata = objectAt(object, 'metadata');
  const name = textAt(metadata, 'name');
  const prefix = textAt(metadata, 'generateName');
  // A prefix may end with a dash; nothing else about it is special.
  const prefixFault = prefix === '' ? undefined : definition.strategy.name(prefix.replace(/-$/, 'a'));
  if (prefixFault !== undefined) yield invalidValue('metadata.generateName', prefix, prefixFault);
  if (name === '') yield required('metadata.name', 'name or generateName is required');
  else {
    const fault = definition.strategy.name(name);
    if (fault !== undefined) yield invalidValue('metadata.name', name, fault);
  }
  yield* validateLabels(metadata);
  yield* validateOwners(metadata);
  for (const [index, finalizer] of listAt(metadata, 'finalizers').entries()) {
    if (!isString(finalizer)) continue;
    const fault = qualifiedName(finalizer);
    if (fault !== undefined) yield invalidValue('metadata.finalizers', finalizer, fault);
    else if (!isKnownFinalizer(finalizer, definition)) {
      yield invalidValue(
        `metadata.finalizers[${index}]`,
        finalizer,
        'name is neither a standard finalizer name nor is it fully qualified',
      );
    }
  }
}

function* validateLabels(metadata: JsonObject): Generator<FieldError> {
  for (const [key, value] of sorted(metadata['labels'])) {
    const fault = qualifiedName(key);
    if (fault !== undefined) yield invalidValue('metadata.labels', key, fault);
    const wrong = labelValue(value);
    if (wrong !== undefined) yield invalidValue('metadata.labels', value, wrong);
  }
  for (const [key] of sorted(metadata['annotations'])) {
    const fault = qualifiedName(key.toLowerCase());
    if (fault !== undefined) yield invalidValue('metadata.annotations', key, fault);
  }
}

function sorted(map: JsonObject[string]): [string, string][] {
  if (!isObject(map)) return [];
  return Object.entries(map)
    .map(([key, value]): [string, string] => [key, printed(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

const ownFinalizers = new Set(['foregroundDeletion', 'orphan', 'kubernetes']);

function isKnownFinalizer(finalizer: string, definition: ResourceDefinition): boolean {
  return finalizer.includes('/') || ownFinalizers.has(finalizer) || definition.custom !== undefined;
}

function* validateOwners(metadata: JsonObject): Generator<FieldError> {
  let controllers = 0;
  for (const owner of listAt(metadata, 'ownerReferences')) {
    for (const member of ['apiVersion', 'kind', 'name', 'uid']) {
      if (textAt(owner, member) !== '') continue;
      // The real server leaves the index out.
      const path = `metadata.ownerReferences.${member}`;
      yield member === 'apiVersion'
        ? invalidValue(path, '', 'version must not be empty')
        : invalidValue(path, '', 'must not be empty');
    }
    if (objectAt(owner)['controller'] === true) controllers += 1;
  }
  if (controllers > 1) {
    yield invalidValue(
      'metadata.ownerReferences',
      listAt(metadata, 'ownerReferences').filter(isObject),
      'Only one reference can have Controller set to true.',
    );
  }
}

const serverSet = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'];

/** Gives an update the metadata that only the server sets; what the writer tried to change is reported by `validateMetadataUpdate`. */
export function keepServerMetadata(next: JsonObject, old: JsonObject): void {
  const metadata = metadataOf(next);
  const before = objectAt(old, 'metadata');
  for (const name of serverSet) {
    const value = before[name];
    if (metadata[name] === undefined || metadata[name] === null) {
      if (value === undefined) delete metadata[name];
      else metadata[name] = value;
    }
  }
  if (before['generateName'] !== undefined) metadata['generateName'] ??= before['generateName'];
  if (before['generation'] === undefined) delete metadata['generation'];
  else metadata['generation'] = before['generation'];
  delete metadata['selfLink'];
}

export function* validateMetadataUpdate(next: JsonObject, old: JsonObject): Generator<FieldError> {
  const metadata = objectAt(next, 'metadata');
  const before = objectAt(old, 'metadata');
  if (before['deletionTimestamp'] !== undefined) {
    const known = listAt(before, 'finalizers');
    const added = listAt(metadata, 'finalizers').filter((each) => !known.includes(each));
    if (added.length > 0) {
      const list = added.map((each) => JSON.stringify(each)).join(', ');
      yield forbiddenField(
        'metadata.finalizers',
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
      );
    }
  }
  for (const name of serverSet) {
    if (!equal(metadata[name], before[name]))
      yield invalidValue(`metadata.${name}`, metadata[name], 'field is immutable');
  }
}
