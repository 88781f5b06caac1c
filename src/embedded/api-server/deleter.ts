import { epochMillis, toTimestamp } from '../../kube/clock.ts';
import type { DeleteOptions } from './delete-options.ts';
import { clone, equal, isString, type JsonObject, listAt, numberAt, objectAt, textAt } from './json.ts';
import { metadataOf } from './object-meta.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { conflict, forbidden, notFound } from './status-error.ts';
import type { Stored } from './store.ts';
import type { World } from './world.ts';
import type { Admit, WriteRequest } from './write-request.ts';

/** What a deletion left behind. */
export interface Deleted {
  readonly object: JsonObject;
  /** False while grace or finalizers keep the object. */
  readonly gone: boolean;
}

const orphan = 'orphan';
const foreground = 'foregroundDeletion';
const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** Deletes objects by the rules of the real registry: preconditions, grace, finalizers, and only then the end. */
export class Deleter {
  readonly #world: World;
  readonly #admit: Admit;

  constructor(world: World, admit: Admit) {
    this.#world = world;
    this.#admit = admit;
  }

  async delete(write: WriteRequest, options: DeleteOptions): Promise<Deleted> {
    const { definition, namespace, name } = write;
    const collection = this.#world.store.collection(definition.storage);
    if (definition.storage === 'namespaces' && immortal.has(name)) {
      throw forbidden(definition, name, 'this namespace may not be deleted');
    }
    const first = collection.get(namespace, name);
    if (first === undefined) throw notFound(definition, name);
    checkPreconditions(definition, first, options);
    const pending = this.#admit('DELETE', { ...write, dryRun: options.dryRun }, undefined, first.object);
    if (pending === undefined) return this.remove(definition, first, options);
    await pending;
    const current = collection.get(namespace, name);
    if (current === undefined) throw notFound(definition, name);
    checkPreconditions(definition, current, options);
    return this.remove(definition, current, options);
  }

  /** The deletion itself, without asking anybody. */
  remove(definition: ResourceDefinition, current: Stored, options: DeleteOptions): Deleted {
    if (definition.storage === 'namespaces') {
      const kept = this.#terminateNamespace(definition, current, options);
      if (kept !== undefined) return kept;
    }
    const next = clone(current.object);
    const metadata = metadataOf(next);
    const grace = this.#grace(definition, next, options);
    if (grace === 'pending') return { object: current.object, gone: false };
    const updatedFinalizers = setFinalizers(definition, metadata, options);
    const waits = listAt(metadata, 'finalizers').length > 0;
    if (grace === undefined && !waits && !updatedFinalizers) return this.#end(definition, current, options);
    if (grace === undefined) {
      if (!waits) return this.#end(definition, current, options);
      this.#markDeleting(metadata, 0);
    }
    const stored = this.#put(definition, next, current, options);
    if (waits || (grace ?? 0) > 0) return { object: stored.object, gone: false };
    const end = this.#end(definition, stored, options);
    return { object: end.object, gone: true };
  }

  /** Sets the time of deletion where the kind is deleted with grace. Undefined: it is not, or it is over. */
  #grace(definition: ResourceDefinition, next: JsonObject, options: DeleteOptions): number | 'pending' | undefined {
    const period = definition.strategy.gracePeriod;
    if (period === undefined) return undefined;
    const metadata = metadataOf(next);
    const before = numberAt(metadata, 'deletionGracePeriodSeconds');
    if (metadata['deletionTimestamp'] === undefined) {
      const grace = period(next, options.gracePeriodSeconds);
      this.#markDeleting(metadata, grace);
      return grace;
    }
    if (before === undefined || before === 0) return undefined;
    // Only a shorter period may follow a longer one.
    const asked = options.gracePeriodSeconds;
    if (asked === undefined || asked >= before) return 'pending';
    const since = Date.parse(textAt(metadata, 'deletionTimestamp')) - before * 1000;
    metadata['deletionTimestamp'] = toTimestamp(epochMillis(since + asked * 1000)).replace(/\.\d+Z$/, 'Z');
    metadata['deletionGracePeriodSeconds'] = asked;
    return asked;
  }

  #markDeleting(metadata: JsonObject, grace: number): void {
    if (metadata['deletionTimestamp'] === undefined) {
      const end = this.#world.clock.now() + grace * 1000;
      metadata['deletionTimestamp'] = toTimestamp(epochMillis(end)).replace(/\.\d+Z$/, 'Z');
      const generation = numberAt(metadata, 'generation') ?? 0;
      if (generation > 0) metadata['generation'] = generation + 1;
    }
    metadata['deletionGracePeriodSeconds'] = grace;
  }

  #put(definition: ResourceDefinition, next: JsonObject, current: Stored, options: DeleteOptions): Stored {
    // Who deletes once more what waits for its finalizers changes nothing, and nobody hears of it.
    if (equal(next, current.object)) return current;
    return options.dryRun
      ? { object: next, version: current.version }
      : this.#world.store.put(definition.storage, next, current);
  }

  #end(definition: ResourceDefinition, current: Stored, options: DeleteOptions): Deleted {
    if (options.dryRun) return { object: current.object, gone: true };
    return { object: this.#world.store.remove(definition.storage, current).object, gone: true };
  }

  /** A namespace first becomes Terminating; it goes when its own finalizers are gone. */
  #terminateNamespace(definition: ResourceDefinition, current: Stored, options: DeleteOptions): Deleted | undefined {
    const { object } = current;
    if (textAt(object, 'metadata', 'deletionTimestamp') === '') {
      const next = clone(object);
      metadataOf(next)['deletionTimestamp'] = this.#world.now();
      next['status'] = { ...objectAt(next, 'status'), phase: 'Terminating' };
      setFinalizers(definition, metadataOf(next), options);
      return { object: this.#put(definition, next, current, options).object, gone: false };
    }
    return listAt(object, 'spec', 'finalizers').length > 0 ? { object, gone: false } : undefined;
  }
}

/** Throws the API server's conflicts. */
export function checkPreconditions(definition: ResourceDefinition, { object }: Stored, options: DeleteOptions): void {
  const name = textAt(object, 'metadata', 'name');
  const uid = textAt(object, 'metadata', 'uid');
  const version = textAt(object, 'metadata', 'resourceVersion');
  if (definition.storage === 'namespaces') return checkNamespacePreconditions(definition, object, options);
  // Messages name the kind here, where everything else names the resource.
  const subject = { group: definition.group, plural: definition.kind };
  if (options.uid !== undefined && options.uid !== uid) {
    throw conflict(
      subject,
      name,
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== version) {
    throw conflict(
      subject,
      name,
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`,
    );
  }
}

/** Namespaces have words of their own. */
function checkNamespacePreconditions(definition: ResourceDefinition, object: JsonObject, options: DeleteOptions): void {
  const name = textAt(object, 'metadata', 'name');
  for (const [what, asked, found] of [
    ['UID', options.uid, textAt(object, 'metadata', 'uid')],
    ['ResourceVersion', options.resourceVersion, textAt(object, 'metadata', 'resourceVersion')],
  ] as const) {
    if (asked === undefined || asked === found) continue;
    throw conflict(
      definition,
      name,
      `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${found}`,
    );
  }
}

/** Adds or takes away the two finalizers that ask the garbage collector for help. Says whether anything changed. */
function setFinalizers(definition: ResourceDefinition, metadata: JsonObject, { propagation }: DeleteOptions): boolean {
  if (!definition.strategy.collectsGarbage) return false;
  const before = listAt(metadata, 'finalizers').filter(isString);
  const wants = (name: string, policy: string) =>
    propagation === undefined ? before.includes(name) : propagation === policy;
  const after = before.filter((each) => each !== orphan && each !== foreground);
  if (wants(orphan, 'Orphan')) after.push(orphan);
  if (wants(foreground, 'Foreground')) after.push(foreground);
  const isSame = after.length === before.length && after.every((each) => before.includes(each));
  if (isSame) return false;
  if (after.length === 0) delete metadata['finalizers'];
  else metadata['finalizers'] = after;
  return true;
}
