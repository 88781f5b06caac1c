import { type JsonObject, textAt, without } from './json.ts';

/** One object at one version. Shared by everyone: never changed. */
export interface Stored {
  readonly object: JsonObject;
  readonly version: number;
}

/** What happened to one object. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** After the change; for a deletion, the last state, with the version of the deletion. */
  readonly stored: Stored;
  readonly previous: Stored | undefined;
  readonly namespace: string;
  readonly name: string;
}

export type ChangeListener = (change: Change) => void;

/** How many changes of a collection are kept for watches that start in the past. */
const historyLimit = 20_000;

/** All objects of one kind, with their recent history. */
export class Collection {
  readonly #namespaces = new Map<string, Map<string, Stored>>();
  readonly #sorted = new Map<string, readonly string[]>();
  readonly #listeners = new Set<ChangeListener>();
  #history: Change[] = [];
  /** Watches cannot start before this. */
  oldest: number;

  constructor(oldest: number) {
    this.oldest = oldest;
  }

  get(namespace: string, name: string): Stored | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  /** Objects in the order of etcd's keys: by namespace, then by name. An undefined namespace means all. */
  *entries(namespace?: string): Generator<Stored> {
    const names = namespace === undefined ? this.#sort('', this.#namespaces) : [namespace];
    for (const each of names) {
      const objects = this.#namespaces.get(each);
      if (objects === undefined) continue;
      for (const name of this.#sort(`/${each}`, objects)) {
        const stored = objects.get(name);
        if (stored !== undefined) yield stored;
      }
    }
  }

  /** Changes after a version, oldest first. */
  since(version: number): readonly Change[] {
    let [low, high] = [0, this.#history.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#history[middle]?.stored.version ?? 0) > version) high = middle;
      else low = middle + 1;
    }
    return this.#history.slice(low);
  }

  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Forgets history up to a version, so that watches from there get a 410. */
  compact(version: number): void {
    this.oldest = Math.max(this.oldest, version);
    this.#history = this.#history.filter((change) => change.stored.version > version);
  }

  apply(change: Change): void {
    const { namespace, name, stored } = change;
    let objects = this.#namespaces.get(namespace);
    if (objects === undefined) {
      objects = new Map();
      this.#namespaces.set(namespace, objects);
      this.#sorted.delete('');
    }
    if (change.type === 'DELETED') objects.delete(name);
    else objects.set(name, stored);
    if (change.type !== 'MODIFIED') this.#sorted.delete(`/${namespace}`);
    this.#history.push(change);
    if (this.#history.length > historyLimit * 1.5) this.#trim();
    for (const listener of this.#listeners) listener(change);
  }

  #trim(): void {
    const cut = this.#history.length - historyLimit;
    this.oldest = this.#history[cut - 1]?.stored.version ?? this.oldest;
    this.#history = this.#history.slice(cut);
  }

  #sort(key: string, from: ReadonlyMap<string, unknown>): readonly string[] {
    const known = this.#sorted.get(key);
    if (known !== undefined) return known;
    const sorted = [...from.keys()].sort((a, b) => (a < b ? -1 : 1));
    this.#sorted.set(key, sorted);
    return sorted;
  }
}

/** Every object of the world, in collections, under one count of versions, as etcd has it. */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<(collection: string, change: Change) => void>();
  /** The version of the newest change. */
  version = 1;

  collection(name: string): Collection {
    let found = this.#collections.get(name);
    if (found === undefined) {
      found = new Collection(this.version);
      this.#collections.set(name, found);
    }
    return found;
  }

  /** Writes an object, with a new version in its metadata. Gives what was stored. */
  put(collection: string, object: JsonObject, previous: Stored | undefined): Stored {
    return this.#commit(collection, previous === undefined ? 'ADDED' : 'MODIFIED', object, previous);
  }

  /** Takes an object away. Gives its last state, with the version of its end. */
  remove(collection: string, previous: Stored): Stored {
    return this.#commit(collection, 'DELETED', previous.object, previous);
  }

  /** Hears of every change of every collection, after the watches. */
  listen(listener: (collection: string, change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Makes every watch that starts at or before the present version fail with 410, as etcd's compaction does. */
  compact(): void {
    for (const collection of this.#collections.values()) collection.compact(this.version);
  }

  /** Forgets a collection whose kind is gone. */
  drop(collection: string): void {
    for (const stored of Array.from(this.collection(collection).entries())) this.remove(collection, stored);
  }

  #commit(collection: string, type: Change['type'], object: JsonObject, previous: Stored | undefined): Stored {
    this.version += 1;
    const stored = withVersion(object, this.version);
    const { metadata } = object;
    const change: Change = {
      type,
      stored,
      previous,
      namespace: textAt(metadata, 'namespace'),
      name: textAt(metadata, 'name'),
    };
    this.collection(collection).apply(change);
    for (const listener of this.#listeners) listener(collection, change);
    return stored;
  }
}

/** The order in which the API server writes metadata; only matters to people who read it. */
const metadataOrder = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'] as const;

function withVersion(object: JsonObject, version: number): Stored {
  const { kind, apiVersion, metadata, ...rest } = object;
  const given: JsonObject =
    typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? metadata : {};
  const ordered: JsonObject = {};
  for (const key of metadataOrder) {
    if (key === 'resourceVersion') ordered[key] = String(version);
    else if (given[key] !== undefined) ordered[key] = given[key];
  }
  Object.assign(ordered, without(given, ...metadataOrder));
  return { object: { kind, apiVersion, metadata: ordered, ...rest }, version };
}
