import type { Clock, Millis, MonotonicMillis } from './clock.ts';
import { elapsed } from './clock.ts';
import type { KeyText } from './object.ts';

/** What the cache must know of the objects that it keeps. */
export interface CacheOptions<T, IndexName extends string> {
  readonly clock: Clock;
  readonly key: (object: T) => KeyText;
  readonly version: (object: T) => string;
  /** Named look-ups: each gives the values under which an object is found. */
  readonly indexes: Readonly<Record<IndexName, (object: T) => readonly string[]>>;
  /** Hears of a handler that threw; the others were called all the same. */
  readonly onHandlerError: (error: unknown) => void;
}

/** Told of every change, in order, after the cache has taken it in. Must return at once: add a key to a queue and go. */
export interface ChangeHandler<T> {
  added?(object: T): void;
  updated?(object: T, before: T): void;
  deleted?(object: T): void;
}

/** How far a view can be trusted. */
export interface ViewAge {
  /** False until the whole collection was read once. An unsynced view proves nothing by what it lacks. */
  readonly synced: boolean;
  /** Since the API server was last heard of: an event, a bookmark (about one a minute) or a list. Grows while the connection is down. */
  readonly age: Millis;
}

interface Index<T> {
  readonly values: (object: T) => readonly string[];
  readonly keys: Map<string, Set<KeyText>>;
}

/**
 * The objects of one kind as the API server last told us, projected to what is read. Reads are synchronous and never throw; what they
 * return must not be changed and never be written back, because it is not the whole object. Only a reflector writes.
 */
export class Cache<T, IndexName extends string = never> {
  readonly #options: CacheOptions<T, IndexName>;
  readonly #objects = new Map<KeyText, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #handlers = new Set<ChangeHandler<T>>();
  #listedAt: MonotonicMillis | undefined;
  #heard: MonotonicMillis;

  constructor(options: CacheOptions<T, IndexName>) {
    this.#options = options;
    this.#heard = options.clock.monotonic();
    for (const [name, values] of Object.entries<Index<T>['values']>(options.indexes)) {
      this.#indexes.set(name, { values, keys: new Map() });
    }
  }

  get(key: KeyText): T | undefined {
    return this.#objects.get(key);
  }

  keyOf(object: T): KeyText {
    return this.#options.key(object);
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The objects that the index finds under `value`, in no particular order. */
  find(index: IndexName, value: string): readonly T[] {
    const found: T[] = [];
    for (const key of this.#indexes.get(index)?.keys.get(value) ?? []) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  view(): ViewAge {
    return { synced: this.hasSynced, age: elapsed(this.#options.clock, this.#heard) };
  }

  get hasSynced(): boolean {
    return this.#listedAt !== undefined;
  }

  /** When the whole collection was last taken: what came and went before that, nobody saw. Undefined: not yet. */
  get listedAt(): MonotonicMillis | undefined {
    return this.#listedAt;
  }

  /** Adds a handler. It hears at once, as added, of everything that is there. Call the result to stop. */
  subscribe(handler: ChangeHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#objects.values()) this.#call(() => handler.added?.(object));
    return () => void this.#handlers.delete(handler);
  }

  /** The API server gave a sign of life. */
  heard(): void {
    this.#heard = this.#options.clock.monotonic();
  }

  /** Takes the whole collection; what it lacks was deleted while nobody looked, and handlers are told so. */
  replace(objects: Iterable<T>): void {
    const present = new Set<KeyText>();
    for (const object of objects) {
      present.add(this.#options.key(object));
      this.put(object);
    }
    for (const [key, object] of this.#objects) if (!present.has(key)) this.remove(object);
    this.#listedAt = this.#options.clock.monotonic();
    this.heard();
  }

  /** Takes one object, new or changed. The same version again is no news. */
  put(object: T): void {
    const key = this.#options.key(object);
    const before = this.#objects.get(key);
    if (before !== undefined && this.#options.version(before) === this.#options.version(object)) return;
    if (before !== undefined) this.#unindex(key, before);
    this.#objects.set(key, object);
    this.#index(key, object);
    for (const handler of this.#handlers) {
      this.#call(() => (before === undefined ? handler.added?.(object) : handler.updated?.(object, before)));
    }
  }

  /** Forgets one object. Handlers get it as it was last seen. */
  remove(object: T): void {
    const key = this.#options.key(object);
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#unindex(key, before);
    this.#objects.delete(key);
    for (const handler of this.#handlers) this.#call(() => handler.deleted?.(before));
  }

  #index(key: KeyText, object: T): void {
    for (const index of this.#indexes.values()) {
      for (const value of index.values(object)) {
        const keys = index.keys.get(value);
        if (keys === undefined) index.keys.set(value, new Set([key]));
        else keys.add(key);
      }
    }
  }

  #unindex(key: KeyText, object: T): void {
    for (const index of this.#indexes.values()) {
      for (const value of index.values(object)) {
        const keys = index.keys.get(value);
        keys?.delete(key);
        if (keys?.size === 0) index.keys.delete(value);
      }
    }
  }

  #call(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#options.onHandlerError(error);
    }
  }
}
