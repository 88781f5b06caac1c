import type { CacheOptions } from './cache.ts';
import { Cache } from './cache.ts';
import type { Clock } from './clock.ts';
import type { ReflectorOptions } from './reflector.ts';
import { Reflector } from './reflector.ts';
import { resourceName } from './resource.ts';

export interface InformerOptions<T, IndexName extends string>
  extends Omit<ReflectorOptions<T>, 'cache'>,
    Omit<CacheOptions<T, IndexName>, 'clock'> {
  readonly clock: Clock;
}

/** An informer of whatever kind, for those who only run it and watch over it. */
export type Readable = Pick<Informer<unknown>, 'name' | 'trouble' | 'run' | 'synced' | 'renewed'> & {
  readonly cache: Pick<Cache<unknown>, 'hasSynced' | 'size' | 'view'>;
};

/** A cache and the reflector that keeps it: what controllers read a kind through. */
export class Informer<T, IndexName extends string = never> {
  /** `statefulclusters.drover.dev` */
  readonly name: string;
  readonly cache: Cache<T, IndexName>;
  readonly #reflector: Reflector<T>;
  #trouble: unknown;
  readonly #synced = Promise.withResolvers<void>();
  readonly #tried = Promise.withResolvers<void>();

  constructor(options: InformerOptions<T, IndexName>) {
    this.name = resourceName(options.resource);
    this.cache = new Cache(options);
    this.#reflector = new Reflector<T>({
      ...options,
      cache: this.cache,
      onHealth: (trouble) => {
        this.#trouble = trouble;
        if (this.cache.hasSynced) this.#synced.resolve();
        this.#tried.resolve();
        options.onHealth?.(trouble);
      },
    });
  }

  /** Why the view is not being kept up to date just now, or undefined while it is. */
  get trouble(): unknown {
    return this.#trouble;
  }

  /** Resolves once the whole collection was read; rejects only when aborted. */
  synced(signal: AbortSignal): Promise<void> {
    return unlessAborted(this.#synced.promise, signal);
  }

  /** Resolves once the whole collection was read by a list that began after this call; rejects only when aborted. */
  renewed(signal: AbortSignal): Promise<void> {
    return unlessAborted(this.#reflector.renew(signal), signal);
  }

  /** Resolves once the whole collection was read, or could not be for the first time: see `trouble`. Rejects only when aborted. */
  tried(signal: AbortSignal): Promise<void> {
    return unlessAborted(this.#tried.promise, signal);
  }

  /** Resolves when the signal is aborted; never rejects. */
  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }
}

function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
  });
}
