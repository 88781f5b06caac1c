import { decodeObject } from './decode-body.ts';
import { setDefaultStorageClass } from './default-storage-class.ts';
import { type FieldError, invalid } from './field-error.ts';
import { clone, equal, type JsonObject, listAt, objectAt, textAt, without } from './json.ts';
import { trackUpdate } from './managed-fields.ts';
import { requireNamespace } from './namespace-lifecycle.ts';
import {
  keepServerMetadata,
  metadataOf,
  settleNamespace,
  validateMetadata,
  validateMetadataUpdate,
} from './object-meta.ts';
import { apiVersionOf, hasStatus, type ResourceDefinition } from './resource-definition.ts';
import { alreadyExists, badRequest, conflict, modified, notFound, StatusError } from './status-error.ts';
import type { Stored } from './store.ts';
import type { World } from './world.ts';
import type { Admit, WriteRequest } from './write-request.ts';

/** Makes the new state of an object out of the present one. Throws where that cannot be. */
export type Change = (current: JsonObject) => JsonObject;

export interface Written {
  readonly object: JsonObject;
  readonly created: boolean;
}

/** How often a change is made anew because the object moved while admission was asked. */
const mostTries = 5;

/** Creates and updates objects by the rules of `registry/generic/registry/store.go`: prepare, validate, admit, store. */
export class Writer {
  readonly #world: World;
  readonly #admit: Admit;

  constructor(world: World, admit: Admit) {
    this.#world = world;
    this.#admit = admit;
  }

  async create(write: WriteRequest, body: JsonObject): Promise<Written> {
    const { definition } = write;
    const decoded = decodeObject(definition, body, write);
    settleNamespace(decoded, write.namespace, definition);
    return this.createDecoded(write, decoded);
  }

  /** Creates by an update, where the kind allows that. Who names a uid means an object that is gone. */
  async createByUpdate(write: WriteRequest, body: JsonObject): Promise<Written> {
    const uid = textAt(body, 'metadata', 'uid');
    if (uid !== '') throw uidConflict(write, uid, '');
    return this.create(write, { ...body, metadata: without(objectAt(body, 'metadata'), 'resourceVersion') });
  }

  /** Creates an object that is already decoded. */
  async createDecoded(
    write: WriteRequest,
    object: JsonObject,
    ownFields?: (object: JsonObject) => void,
  ): Promise<Written> {
    const { definition } = write;
    const { store } = this.#world;
    requireNamespace(this.#world, write, textAt(object, 'metadata', 'name'));
    this.#fillMetadata(object, write);
    // What is filled in from here on belongs to nobody.
    if (ownFields === undefined) this.#track(write, undefined, object);
    else ownFields(object);
    setDefaultStorageClass(this.#world, definition, object);
    if (hasStatus(definition) && definition.plural !== 'nodes') delete object['status'];
    definition.strategy.prepareCreate?.(object, this.#world.context());
    // The zero status of a built-in kind is written out; decoding knows how.
    const complete = definition.custom === undefined && hasStatus(definition) ? redecode(definition, object) : object;
    refuseInvalid(definition, complete, [
      ...validateMetadata(complete, definition),
      ...(definition.strategy.validate?.(complete) ?? []),
      ...(definition.custom?.validate(complete, undefined) ?? []),
    ]);
    write.warnings.push(...(definition.strategy.warnings?.(complete) ?? []));
    const pending = this.#admit('CREATE', write, complete, undefined);
    if (pending !== undefined) await pending;
    const name = textAt(complete, 'metadata', 'name');
    if (textAt(complete, 'metadata', 'resourceVersion') !== '') {
      throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    const existing = store.collection(definition.storage).get(write.namespace, name);
    if (existing !== undefined) {
      throw alreadyExists(definition, name, textAt(existing.object, 'metadata', 'deletionTimestamp') !== '');
    }
    if (write.dryRun) return { object: complete, created: true };
    return { object: store.put(definition.storage, complete, undefined).object, created: true };
  }

  /** Changes an object, or makes it where its kind allows that. `change` is called again when the object moved meanwhile. */
  async update(
    write: WriteRequest,
    change: Change,
    ownFields?: (old: JsonObject, next: JsonObject) => void,
  ): Promise<Written> {
    const { definition, name, namespace } = write;
    const collection = this.#world.store.collection(definition.storage);
    for (let tries = 1; ; tries++) {
      const current = collection.get(namespace, name);
      if (current === undefined) throw notFound(definition, name);
      const next = this.#prepareUpdate(write, current, change(current.object), ownFields);
      if (equal(next, current.object)) return { object: current.object, created: false };
      const pending = this.#admit('UPDATE', write, next, current.object);
      if (pending !== undefined) {
        await pending;
        if (collection.get(namespace, name) !== current) {
          if (tries < mostTries) continue;
          throw modified(definition, name);
        }
      }
      return { object: this.#commit(write, current, next), created: false };
    }
  }

  #prepareUpdate(
    write: WriteRequest,
    current: Stored,
    next: JsonObject,
    ownFields: ((old: JsonObject, next: JsonObject) => void) | undefined,
  ): JsonObject {
    const { definition, name } = write;
    const old = current.object;
    const metadata = metadataOf(next);
    const given = textAt(metadata, 'name');
    if (given !== name && given !== '') {
      throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
    }
    metadata['name'] = name;
    settleNamespace(next, write.namespace, definition);
    this.#checkVersions(write, metadata, old);
    keepServerMetadata(next, old);
    const shaped = this.#shape(write, next, old);
    if (ownFields === undefined) this.#track(write, old, shaped);
    else ownFields(old, shaped);
    const isStatus = write.subresource === 'status';
    const { strategy, custom } = definition;
    refuseInvalid(definition, shaped, [
      ...validateMetadataUpdate(shaped, old),
      ...validateMetadata(shaped, definition),
      ...((isStatus ? strategy.validateStatus : strategy.validateUpdate)?.(shaped, old) ?? []),
      ...(custom?.validate(shaped, old) ?? []),
    ]);
    metadataOf(shaped)['resourceVersion'] = textAt(old, 'metadata', 'resourceVersion');
    return shaped;
  }

  /** Conflicts with what the writer believed, and the refusal to overwrite blindly where a kind refuses that. */
  #checkVersions(write: WriteRequest, metadata: JsonObject, old: JsonObject): void {
    const { definition, name } = write;
    const version = textAt(metadata, 'resourceVersion');
    const uid = textAt(metadata, 'uid');
    const oldUid = textAt(old, 'metadata', 'uid');
    if (uid !== '' && uid !== oldUid) throw uidConflict(write, uid, oldUid);
    if (version === '' && !definition.strategy.unconditionalUpdate) {
      const message = 'Invalid value: 0: must be specified for an update';
      const fault = { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message };
      // The real server names the resource here where it should name the kind.
      throw invalid(definition.plural, definition.group, name, [fault]);
    }
    if (version !== '' && version !== textAt(old, 'metadata', 'resourceVersion')) throw modified(definition, name);
  }

  /** Takes only that part of the new state which the request may write, and counts changes of the spec. */
  #shape(write: WriteRequest, next: JsonObject, old: JsonObject): JsonObject {
    const { definition } = write;
    if (write.subresource === 'status') {
      const shaped: JsonObject = { ...old, status: next['status'], metadata: clone(objectAt(old, 'metadata')) };
      if (definition.custom === undefined) shaped['metadata'] = next['metadata'];
      // Who owned what is read from the old object; only a writer's wish to clear it counts.
      if (shaped['status'] === undefined) delete shaped['status'];
      definition.strategy.prepareStatus?.(shaped, old);
      return shaped;
    }
    if (hasStatus(definition)) {
      if (old['status'] === undefined) delete next['status'];
      else next['status'] = old['status'];
    }
    definition.strategy.prepareUpdate?.(next, old, this.#world.context());
    if (definition.strategy.generation && specChanged(definition, next, old)) {
      metadataOf(next)['generation'] = Number(objectAt(old, 'metadata')['generation'] ?? 0) + 1;
    }
    return next;
  }

  #commit({ definition, dryRun }: WriteRequest, current: Stored, next: JsonObject): JsonObject {
    const { store } = this.#world;
    if (isFinished(definition, next, current.object)) {
      // The last finalizer is gone, so the object goes. Watchers see its last stored state; the writer sees what it wrote.
      if (!dryRun) store.remove(definition.storage, current);
      return next;
    }
    return dryRun ? next : store.put(definition.storage, next, current).object;
  }

  #fillMetadata(object: JsonObject, write: WriteRequest): void {
    const { definition } = write;
    const metadata = metadataOf(object);
    const prefix = textAt(metadata, 'generateName');
    if (textAt(metadata, 'name') === '' && prefix !== '') {
      // A generated name has at most 63 characters.
      metadata['name'] = `${prefix.slice(0, 58)}${this.#world.suffix()}`;
    }
    for (const name of ['selfLink', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generation'])
      delete metadata[name];
    metadata['uid'] = this.#world.uid();
    if (definition.strategy.generation) metadata['generation'] = 1;
    metadata['creationTimestamp'] = this.#world.now();
  }

  #track(write: WriteRequest, old: JsonObject | undefined, next: JsonObject): void {
    const { definition } = write;
    trackUpdate(old, next, {
      manager: {
        name: write.manager,
        operation: 'Update',
        apiVersion: apiVersionOf(definition),
        subresource: write.subresource,
      },
      now: this.#world.now(),
      schema: definition.schema,
      hasStatus: hasStatus(definition),
    });
  }
}

/** The refusal of a write that means another object of the same name. */
function uidConflict({ definition, namespace, name, dryRun }: WriteRequest, asked: string, found: string): StatusError {
  // A dry run does not know where etcd keeps things.
  const key = `${dryRun ? '' : '/registry'}/${etcdFolder(definition)}/${namespace}/${name}`.replace('//', '/');
  const detail = `Precondition failed: UID in precondition: ${asked}, UID in object meta: ${found}`;
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${detail}`;
  return conflict(definition, name, why);
}

/** Where etcd keeps a kind, for the one message that says so. */
function etcdFolder({ group, plural, custom }: ResourceDefinition): string {
  if (custom !== undefined) return `${group}/${plural}`;
  if (group === '' && plural === 'nodes') return 'minions';
  return group === '' && plural === 'services' ? 'services/specs' : plural;
}

function refuseInvalid(definition: ResourceDefinition, object: JsonObject, faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalid(definition.kind, definition.group, textAt(object, 'metadata', 'name'), faults);
}

function redecode(definition: ResourceDefinition, object: JsonObject): JsonObject {
  return decodeObject(definition, object, { fieldValidation: 'Ignore', warnings: [] });
}

function specChanged(definition: ResourceDefinition, next: JsonObject, old: JsonObject): boolean {
  const ignored = hasStatus(definition)
    ? ['metadata', 'status', 'kind', 'apiVersion']
    : ['metadata', 'kind', 'apiVersion'];
  return !equal(without(next, ...ignored), without(old, ...ignored));
}

/** Whether a deleted object that waited for its finalizers has none left. */
export function isFinished(definition: ResourceDefinition, next: JsonObject, old: JsonObject): boolean {
  const before = objectAt(old, 'metadata');
  if (before['deletionTimestamp'] === undefined) return false;
  const grace = before['deletionGracePeriodSeconds'];
  if (grace !== undefined && grace !== 0) return false;
  if (listAt(next, 'metadata', 'finalizers').length > 0) return false;
  if (definition.storage === 'namespaces') return listAt(next, 'spec', 'finalizers').length === 0;
  return true;
}
