import type { BackoffOptions } from './backoff.ts';
import { backoffDelay } from './backoff.ts';
import type { Cache } from './cache.ts';
import type { KubeClient } from './client.ts';
import type { ListOptions } from './client-options.ts';
import type { Clock, Millis } from './clock.ts';
import { elapsed, millis, seconds, sleep } from './clock.ts';
import type { Codec, WatchEvent } from './codec.ts';
import { ConnectionLost, isGone, KubeApiError, MalformedAnswer } from './errors.ts';
import type { KeyText, KubeObject } from './object.ts';
import type { Random } from './random.ts';
import { randomInteger } from './random.ts';
import type { Resource } from './resource.ts';
import { collectionPath, resourceName } from './resource.ts';
import { notNewer } from './resource-version.ts';
import { Watchdog } from './watchdog.ts';

export interface ReflectorOptions<T> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly resource: Resource<KubeObject>;
  readonly codec: Codec<T>;
  readonly cache: Cache<T, string>;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** A connection that says nothing for so long is taken for dead. @default 150 s: two bookmarks and a half */
  readonly silence?: Millis;
  /** @default 0.8 s doubling to 30 s, jitter 1, as client-go */
  readonly backoff?: BackoffOptions;
  /** Hears why the view is not being kept up to date just now, and undefined when it is again. */
  readonly onHealth?: (trouble: unknown) => void;
  /** Hears of every list and every watch, for metrics. */
  readonly onRead?: (kind: 'list' | 'watch') => void;
}

interface Renewal {
  /** On whose account it is listed anew. */
  readonly account: AbortSignal;
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** A stream that lived so long was healthy: what follows is a new trouble, not the old one. */
const healthyAfter = seconds(30);

/**
 * Keeps a cache equal to a collection of the API server, for as long as `run` is not aborted.
 *
 * Begins with a streaming list where the server has it, else with a paged list, and goes on with a watch from there. A watch that ends, breaks or
 * falls silent is taken up again after the last version seen; when the server no longer has that version, everything is listed again and
 * what disappeared is reported as deleted. Events that come twice are taken once. Whatever happens is answered by another try, with back-off: it
 * never gives up and never spins. Whoever must know what was done by others up to now has it list anew.
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T>;
  /** The newest version that the cache has. Undefined: list first. */
  #version: string | undefined;
  #streamingList = true;
  /** The connection at work, and what it is ended for before its time: a list that begins now. */
  #connection = new AbortController();
  #renewal: Renewal | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
  }

  /** Resolves when the signal is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const backoff = this.#options.backoff ?? { first: millis(800), most: seconds(30), factor: 2, jitter: 1 };
    let failures = 0;
    while (!signal.aborted) {
      const started = clock.monotonic();
      this.#connection = new AbortController();
      const ended = AbortSignal.any([signal, this.#connection.signal]);
      if (this.#renewal !== undefined) this.#version = undefined;
      const trouble = await this.#keepUp(ended);
      if (ended.aborted) continue;
      if (trouble !== undefined) this.#options.onHealth?.(trouble);
      failures = elapsed(clock, started) >= healthyAfter ? 0 : failures + 1;
      if (failures > 0 || trouble !== undefined) {
        await sleep(clock, backoffDelay(backoff, Math.max(1, failures), random), ended).catch(() => {});
      }
    }
  }

  /**
   * Resolves once the cache holds a list that began after this call: a watch may be behind, and nobody knows by how much. The cache stays as it is
   * until then. Asked for twice on one account, it lists once.
   */
  renew(account: AbortSignal): Promise<void> {
    if (this.#renewal?.account !== account) {
      const before = this.#renewal;
      const { promise, resolve } = Promise.withResolvers<void>();
      void promise.then(before?.resolve);
      this.#renewal = { account, promise, resolve };
      this.#connection.abort();
    }
    return this.#renewal.promise;
  }

  #listed(items: Iterable<T>, resourceVersion: string): void {
    this.#options.cache.replace(items);
    this.#version = resourceVersion;
    this.#renewal?.resolve();
    this.#renewal = undefined;
    this.#options.onHealth?.(undefined);
  }

  /** One connection's worth of work. Gives what went wrong, or undefined when the server ended the watch in good order. */
  async #keepUp(signal: AbortSignal): Promise<unknown> {
    try {
      if (this.#version === undefined && !this.#streamingList) await this.#listPaged(signal);
      await this.#watch(signal);
      return undefined;
    } catch (error) {
      if (this.#version === undefined && this.#streamingList && refusesStreamingList(error)) {
        this.#streamingList = false;
        return this.#keepUp(signal);
      }
      if (isGone(error) || isVersionFromTheFuture(error)) this.#version = undefined;
      return error;
    }
  }

  async #listPaged(signal: AbortSignal): Promise<void> {
    const { client, resource, codec } = this.#options;
    this.#options.onRead?.('list');
    const { items, resourceVersion } = await client.list(resource, codec, { ...this.#scope(), signal });
    signal.throwIfAborted();
    this.#listed(items, resourceVersion);
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, clock, random, resource, codec, cache } = this.#options;
    const resume = this.#version;
    this.#options.onRead?.('watch');

    const silence = this.#options.silence ?? seconds(150);
    const silent = new AbortController();
    const watchdog = new Watchdog(clock, silence, () =>
      silent.abort(
        new ConnectionLost(`${resourceName(resource)}: nothing heard for ${silence / 1000} s`, { sent: true }),
      ),
    );
    try {
      const batches = await client.watch(resource, codec, {
        ...this.#scope(),
        signal: AbortSignal.any([signal, silent.signal]),
        timeout: seconds(randomInteger(random, 300, 600)),
        ...(resume === undefined ? { sendInitialEvents: true } : { resourceVersion: resume }),
      });
      if (resume !== undefined) this.#options.onHealth?.(undefined);
      const initial = new Map<KeyText, T>();
      for await (const events of batches) {
        signal.throwIfAborted();
        watchdog.feed();
        for (const event of events) this.#take(event, initial);
        cache.heard();
      }
    } finally {
      watchdog.dispose();
    }
    if (this.#version === undefined) throw new MalformedAnswer('the streaming list ended before it was complete');
  }

  /** Takes one event: into `initial` as long as the streaming list goes on, then into the cache. */
  #take(event: WatchEvent<T>, initial: Map<KeyText, T>): void {
    const { cache, resource, namespace } = this.#options;
    if (event.type === 'ERROR') {
      const request = { method: 'WATCH', path: collectionPath(resource, namespace) };
      throw new KubeApiError(request, event.status.code ?? 500, event.status);
    }
    if (this.#version === undefined) return this.#takeInitial(event, initial);
    // One stream comes in the order of versions, so what is not newer came twice.
    if (notNewer(event.resourceVersion, this.#version) === true) return;
    if (event.type === 'DELETED') cache.remove(event.object);
    else if (event.type !== 'BOOKMARK') cache.put(event.object);
    this.#version = event.resourceVersion;
  }

  #takeInitial(event: Exclude<WatchEvent<T>, { type: 'ERROR' }>, initial: Map<KeyText, T>): void {
    const { cache } = this.#options;
    if (event.type === 'DELETED') initial.delete(cache.keyOf(event.object));
    else if (event.type !== 'BOOKMARK') initial.set(cache.keyOf(event.object), event.object);
    else if (event.initialEventsEnd) {
      this.#listed(initial.values(), event.resourceVersion);
      initial.clear();
    }
  }

  #scope(): Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'> {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return {
      ...(namespace !== undefined && { namespace }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
  }
}

/** Servers before 1.34 refuse the parameter, or do not know it and send no end. */
function refusesStreamingList(error: unknown): boolean {
  return error instanceof MalformedAnswer || (error instanceof KubeApiError && [400, 422].includes(error.status));
}

/** The server was put back to an older state: it has never heard of the version that we have. */
function isVersionFromTheFuture(error: unknown): boolean {
  return (
    error instanceof KubeApiError &&
    error.details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge') === true
  );
}
