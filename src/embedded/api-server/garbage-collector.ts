import { plainDelete } from './delete-options.ts';
import type { Deleter } from './deleter.ts';
import { clone, isObject, type JsonObject, listAt, objectAt, textAt } from './json.ts';
import { Later } from './later.ts';
import { metadataOf } from './object-meta.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { Change, Stored } from './store.ts';
import type { World } from './world.ts';
import { isFinished } from './writer.ts';

interface Owned {
  readonly definition: ResourceDefinition;
  readonly stored: Stored;
}

/**
 * Deletes what has lost all its owners, and ends foreground and orphaning deletions, as the garbage collector of the controller manager does. It
 * acts on the next turn of the clock, so that a write and its consequences are apart.
 */
export class GarbageCollector {
  readonly #world: World;
  readonly #deleter: Deleter;
  readonly #stop: () => void;
  readonly #later: Later;
  /** Who refers to an owner, by its uid: keys of storage, namespace and name. */
  readonly #dependents = new Map<string, Map<string, readonly [storage: string, namespace: string, name: string]>>();

  constructor(world: World, deleter: Deleter) {
    this.#world = world;
    this.#deleter = deleter;
    this.#later = new Later(world.clock);
    this.#stop = world.store.listen((collection, change) => this.#see(collection, change));
  }

  stop(): void {
    this.#stop();
    this.#later.stop();
  }

  #see(collection: string, change: Change): void {
    this.#index(collection, change);
    const { object } = change.stored;
    const uid = textAt(object, 'metadata', 'uid');
    const isOwned = listAt(object, 'metadata', 'ownerReferences').length > 0;
    if (change.type === 'DELETED') {
      if (this.#dependents.has(uid)) this.#later.do(() => this.#ownerGone(uid));
      if (isOwned) this.#later.do(() => this.#checkOwners(change));
      return;
    }
    if (isOwned && change.type === 'ADDED')
      this.#later.do(() => this.#collect(collection, change.namespace, change.name));
    if (textAt(object, 'metadata', 'deletionTimestamp') === '') return;
    if (isOwned) this.#later.do(() => this.#checkOwners(change));
    if (listAt(object, 'metadata', 'finalizers').some((each) => each === 'orphan' || each === 'foregroundDeletion')) {
      this.#later.do(() => this.#continueDeletion(collection, change.namespace, change.name));
    }
  }

  #index(collection: string, { type, stored, previous, namespace, name }: Change): void {
    const key = `${collection}/${namespace}/${name}`;
    for (const uid of ownersOf(previous?.object)) this.#dependents.get(uid)?.delete(key);
    if (type === 'DELETED') return;
    for (const uid of ownersOf(stored.object)) {
      const known = this.#dependents.get(uid) ?? new Map<string, readonly [string, string, string]>();
      known.set(key, [collection, namespace, name]);
      this.#dependents.set(uid, known);
    }
  }

  #dependentsOf(uid: string): Owned[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])].flatMap(([storage, namespace, name]) =>
      this.#find(storage, namespace, name),
    );
  }

  #find(storage: string, namespace: string, name: string): Owned[] {
    const definition = this.#world.kinds.findStored(storage);
    const stored = this.#world.store.collection(storage).get(namespace, name);
    return definition === undefined || stored === undefined ? [] : [{ definition, stored }];
  }

  #ownerGone(uid: string): void {
    for (const { definition, stored } of this.#dependentsOf(uid)) {
      this.#collect(
        definition.storage,
        textAt(stored.object, 'metadata', 'namespace'),
        textAt(stored.object, 'metadata', 'name'),
      );
    }
    if (this.#dependents.get(uid)?.size === 0) this.#dependents.delete(uid);
  }

  /** Deletes an object all of whose owners are gone. */
  #collect(storage: string, namespace: string, name: string): void {
    for (const owned of this.#find(storage, namespace, name)) {
      const owners = listAt(owned.stored.object, 'metadata', 'ownerReferences');
      if (owners.length === 0 || owners.some((owner) => this.#exists(owner, namespace))) continue;
      if (textAt(owned.stored.object, 'metadata', 'deletionTimestamp') !== '') continue;
      this.#deleter.remove(owned.definition, owned.stored, { ...plainDelete, propagation: 'Background' });
    }
  }

  #exists(owner: JsonObject[string], namespace: string): boolean {
    const found = this.#owner(owner, namespace);
    return found !== undefined && textAt(found.stored.object, 'metadata', 'uid') === textAt(owner, 'uid');
  }

  #owner(owner: JsonObject[string], namespace: string): Owned | undefined {
    const definition = this.#world.kinds.findKind(textAt(owner, 'apiVersion'), textAt(owner, 'kind'));
    if (definition === undefined) return undefined;
    return this.#find(definition.storage, definition.namespaced ? namespace : '', textAt(owner, 'name'))[0];
  }

  /** An owner that waits for its dependents may be free now. */
  #checkOwners({ stored, namespace }: Change): void {
    for (const reference of listAt(stored.object, 'metadata', 'ownerReferences')) {
      const owner = this.#owner(reference, namespace);
      if (owner === undefined) continue;
      this.#continueDeletion(
        owner.definition.storage,
        textAt(owner.stored.object, 'metadata', 'namespace'),
        textAt(owner.stored.object, 'metadata', 'name'),
      );
    }
  }

  #continueDeletion(storage: string, namespace: string, name: string): void {
    for (const { definition, stored } of this.#find(storage, namespace, name)) {
      const finalizers = listAt(stored.object, 'metadata', 'finalizers');
      if (finalizers.includes('orphan')) this.#orphan(definition, stored);
      else if (finalizers.includes('foregroundDeletion')) this.#deleteForeground(definition, stored);
    }
  }

  #orphan(definition: ResourceDefinition, stored: Stored): void {
    const uid = textAt(stored.object, 'metadata', 'uid');
    for (const dependent of this.#dependentsOf(uid)) {
      const next = clone(dependent.stored.object);
      const left = listAt(next, 'metadata', 'ownerReferences').filter((each) => textAt(each, 'uid') !== uid);
      if (left.length === 0) delete metadataOf(next)['ownerReferences'];
      else metadataOf(next)['ownerReferences'] = left;
      this.#world.store.put(dependent.definition.storage, next, dependent.stored);
    }
    this.#dropFinalizer(definition, stored, 'orphan');
  }

  #deleteForeground(definition: ResourceDefinition, stored: Stored): void {
    const uid = textAt(stored.object, 'metadata', 'uid');
    const dependents = this.#dependentsOf(uid);
    const blocking = dependents.filter(({ stored: { object } }) =>
      listAt(object, 'metadata', 'ownerReferences').some(
        (each) => textAt(each, 'uid') === uid && objectAt(each)['blockOwnerDeletion'] === true,
      ),
    );
    for (const dependent of dependents) {
      if (textAt(dependent.stored.object, 'metadata', 'deletionTimestamp') !== '') continue;
      this.#deleter.remove(dependent.definition, dependent.stored, { ...plainDelete, propagation: 'Foreground' });
    }
    if (blocking.length === 0) this.#dropFinalizer(definition, stored, 'foregroundDeletion');
  }

  #dropFinalizer(definition: ResourceDefinition, stored: Stored, finalizer: string): void {
    const next = clone(stored.object);
    const left = listAt(next, 'metadata', 'finalizers').filter((each) => each !== finalizer);
    if (left.length === 0) delete metadataOf(next)['finalizers'];
    else metadataOf(next)['finalizers'] = left;
    if (isFinished(definition, next, stored.object)) this.#world.store.remove(definition.storage, stored);
    else this.#world.store.put(definition.storage, next, stored);
  }
}

function ownersOf(object: JsonObject | undefined): string[] {
  return listAt(object, 'metadata', 'ownerReferences')
    .filter(isObject)
    .map((owner) => textAt(owner, 'uid'));
}
