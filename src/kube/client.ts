import { backoffDelay } from './backoff.ts';
import type {
  CallOptions,
  ClientOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Patch,
  WatchOptions,
  WriteOptions,
} from './client-options.ts';
import type { Clock, Millis } from './clock.ts';
import { deadline, elapsed, millis, seconds, sleep } from './clock.ts';
import type { Codec, ListPage, WatchEvent } from './codec.ts';
import type { RequestName } from './errors.ts';
import { isNotFound, KubeApiError, RequestTimeout } from './errors.ts';
import type { ExecOptions, ExecResult } from './exec.ts';
import { execPath, execProtocols, execResult } from './exec.ts';
import type { LastAnswer } from './last-answer.ts';
import type { KubeObject, ObjectKey } from './object.ts';
import { keyOf } from './object.ts';
import type { Resource } from './resource.ts';
import { apiVersionOf, collectionPath, objectPath } from './resource.ts';
import { pods } from './resources.ts';
import { apiError, parseJson, readBody } from './response.ts';
import { mayTryAgain } from './retry.ts';
import { TokenBucket } from './token-bucket.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

const patchContentTypes: Record<Patch['type'], string> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml', // JSON is YAML
};

/**
 * The Kubernetes API over raw JSON: strings stay strings and fields that we do not know survive.
 *
 * Every call ends: with the answer, with a `KubeApiError`, with `ConnectionLost`, `RequestTimeout` or `MalformedAnswer`, or with the reason of
 * its signal. Reads are tried again, with back-off, after a 429, a 5xx or a lost connection. Writes are tried again only where the server
 * certainly did nothing (429, or the connection never stood): after that the outcome of a write is unknown, and whoever acts must look again.
 */
export class KubeClient {
  readonly #options: ClientOptions;
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#bucket = new TokenBucket(options.clock, options.rateLimit ?? { perSecond: 50, burst: 100 });
  }

  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options: GetOptions<T>): Promise<T> {
    return this.#json({ method: 'GET', path: objectPath(resource, key) }, options, {}, options.last);
  }

  /** The object, or undefined where there is none. */
  async find<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: GetOptions<T>,
  ): Promise<T | undefined> {
    try {
      return await this.get(resource, key, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** One page; go on with `continueToken`. A 410 in the middle means: start again. */
  async listPage<T>(
    resource: Resource<KubeObject>,
    codec: Codec<T>,
    options: ListOptions,
    continueToken?: string,
  ): Promise<ListPage<T>> {
    const path = withQuery(collectionPath(resource, options.namespace), {
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      limit: String(options.limit ?? 500),
      continue: continueToken,
    });
    return codec.list(await this.#bytes({ method: 'GET', path }, options, { accept: codec.accept }));
  }

  /** The whole collection, page by page. */
  async list<T>(
    resource: Resource<KubeObject>,
    codec: Codec<T>,
    options: ListOptions,
  ): Promise<{ readonly items: readonly T[]; readonly resourceVersion: string }> {
    const items: T[] = [];
    let page = await this.listPage(resource, codec, options);
    for (;;) {
      for (const item of page.items) items.push(item);
      if (page.continue === undefined) return { items, resourceVersion: page.resourceVersion };
      page = await this.listPage(resource, codec, options, page.continue);
    }
  }

  /**
   * Changes as they come, in batches as the network delivered them. Not retried: ends when the server ends it and throws when the
   * connection breaks. The call's deadline covers the time until the server accepts the watch; from then on the signal rules alone.
   */
  async watch<T>(
    resource: Resource<KubeObject>,
    codec: Codec<T>,
    options: WatchOptions,
  ): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
    const path = withQuery(collectionPath(resource, options.namespace), {
      watch: 'true',
      allowWatchBookmarks: 'true',
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      resourceVersion: options.resourceVersion,
      timeoutSeconds: String(Math.ceil(options.timeout / 1000)),
      ...(options.sendInitialEvents === true && { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }),
    });
    const request = { method: 'GET', path } as const;
    const response = await this.#head(request, options, { accept: codec.acceptWatch });
    return decodeWatch(response, codec);
  }

  create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions): Promise<T> {
    const path = withQuery(collectionPath(resource, object.metadata.namespace), writeQuery(options));
    return this.#json({ method: 'POST', path, body: this.#encode(resource, object) }, options);
  }

  /** Replaces the object, or the part of it that the subresource names. Conflicts when it carries a stale `resourceVersion`. */
  update<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions): Promise<T> {
    const path = withQuery(objectPath(resource, keyOf(object), options.subresource), writeQuery(options));
    return this.#json({ method: 'PUT', path, body: this.#encode(resource, object) }, options);
  }

  /** Changes part of an object. Put `resourceVersion` and `uid` into the patch's metadata to make it conditional. */
  patch<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, patch: Patch, options: WriteOptions): Promise<T> {
    const path = withQuery(objectPath(resource, key, options.subresource), {
      ...writeQuery(options),
      ...(patch.type === 'apply' && { force: String(patch.force) }),
    });
    const body = JSON.stringify(patch.type === 'json' ? patch.operations : patch.body);
    return this.#json({ method: 'PATCH', path, body }, options, { 'content-type': patchContentTypes[patch.type] });
  }

  async delete(resource: Resource<KubeObject>, key: ObjectKey, options: DeleteOptions): Promise<void> {
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: options.preconditions,
      gracePeriodSeconds: options.gracePeriodSeconds,
      propagationPolicy: options.propagationPolicy,
      dryRun: options.dryRun === true ? ['All'] : undefined,
    });
    await this.#bytes({ method: 'DELETE', path: objectPath(resource, key), body }, options);
  }

  /**
   * Asks the API server to evict a pod. A 429 is an answer, not a hiccup, so it is never retried here: read `isTooManyRequests`.
   * With `uid` set, a pod that was replaced in the meantime gives a conflict instead of being evicted.
   */
  async evict(pod: ObjectKey, options: DeleteOptions): Promise<void> {
    const body = JSON.stringify({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: pod,
      deleteOptions: {
        preconditions: options.preconditions,
        gracePeriodSeconds: options.gracePeriodSeconds,
        dryRun: options.dryRun === true ? ['All'] : undefined,
      },
    });
    await this.#bytes(
      { method: 'POST', path: objectPath(pods, pod, 'eviction'), body },
      { ...options, retry: 'never' },
    );
  }

  /**
   * Runs a program in a container of a pod, to its end. Never tried again: what it has done when the connection breaks is not known. An exit code
   * is an answer, whatever it is; a program that could not be run is a `KubeApiError`.
   */
  async exec(pod: ObjectKey, options: ExecOptions): Promise<ExecResult> {
    const request = { method: 'GET', path: execPath(pod, options), webSocket: execProtocols } as const;
    return this.#withRetries(request, { ...options, retry: 'never' }, async (signal) => {
      const { body } = await this.#once(request, options, signal);
      return execResult(body, nameOf(request), options.mostBytes);
    });
  }

  /** An answer that is no object of a kind: `/version`, `/apis`. */
  read<Shape>(path: string, options: CallOptions): Promise<Shape> {
    return this.#json({ method: 'GET', path }, options);
  }

  #encode(resource: Resource<KubeObject>, object: KubeObject): string {
    return JSON.stringify({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...object });
  }

  async #json<Shape>(
    request: Omit<TransportRequest, 'headers'>,
    options: CallOptions,
    headers?: Readonly<Record<string, string>>,
    last?: LastAnswer<Shape>,
  ): Promise<Shape> {
    const bytes = await this.#bytes(request, options, headers);
    const parse = () => parseJson<Shape>(bytes, nameOf(request));
    return last === undefined ? parse() : last.read(bytes, parse);
  }

  async #bytes(
    request: Omit<TransportRequest, 'headers'>,
    options: CallOptions,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Uint8Array> {
    return this.#withRetries(request, options, async (signal) =>
      readBody((await this.#once(request, options, signal, headers)).body),
    );
  }

  #head(
    request: Omit<TransportRequest, 'headers'>,
    options: CallOptions,
    headers: Readonly<Record<string, string>>,
  ): Promise<TransportResponse> {
    return this.#withRetries(request, { ...options, retry: 'never' }, () =>
      this.#once(request, options, options.signal, headers),
    );
  }

  /** Tries until it works, until trying again would not be safe, or until the time is up. */
  async #withRetries<Result>(
    request: RequestName,
    options: CallOptions,
    attempt: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const limit = options.deadline ?? this.#options.deadline ?? seconds(30);
    const retries = options.retry === 'never' ? 0 : (this.#options.retries ?? 4);
    let last: unknown;
    const whole = deadline(this.#clock, limit, options.signal, () => new RequestTimeout(nameOf(request), limit, last));
    try {
      for (let failures = 0; ; ) {
        try {
          await this.#bucket.take(whole.signal);
          return await untilAborted(attempt(whole.signal), whole.signal);
        } catch (error) {
          if (whole.signal.aborted) throw whole.signal.reason;
          last = error;
          if (++failures > retries || !mayTryAgain(request.method, error)) throw error;
          await sleep(this.#clock, this.#pause(error, failures), whole.signal);
        }
      }
    } finally {
      whole.dispose();
    }
  }

  #pause(error: unknown, failures: number): Millis {
    const asked = error instanceof KubeApiError ? error.retryAfter : undefined;
    const backoff = this.#options.backoff ?? { first: millis(200), most: seconds(5), factor: 2, jitter: 0.5 };
    return asked ?? backoffDelay(backoff, failures, this.#options.random);
  }

  async #once(
    request: Omit<TransportRequest, 'headers'>,
    options: CallOptions,
    signal: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TransportResponse> {
    const started = this.#clock.monotonic();
    let status = 0;
    try {
      const response = await this.#options.transport.send(
        {
          ...request,
          headers: {
            accept: 'application/json',
            'user-agent': this.#options.userAgent ?? 'drover',
            ...(request.body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        signal,
      );
      status = response.status;
      const hear = options.onWarning ?? this.#options.onWarning;
      if (hear !== undefined) for (const warning of response.warnings) hear(warning);
      if (request.webSocket === undefined ? status >= 200 && status < 300 : status === 101) return response;
      throw await apiError(nameOf(request), response);
    } finally {
      this.#options.onRequest?.({ method: request.method, status, duration: elapsed(this.#clock, started) });
    }
  }
}

async function* decodeWatch<T>(response: TransportResponse, codec: Codec<T>): AsyncGenerator<readonly WatchEvent<T>[]> {
  const decoder = codec.watch();
  for await (const chunk of response.body) {
    const events = decoder.push(chunk);
    if (events.length > 0) yield events;
  }
}

function writeQuery(options: WriteOptions): Record<string, string | undefined> {
  return {
    dryRun: options.dryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
  };
}

function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** Without the query: selectors and continue tokens have no place in a message. */
function nameOf(request: RequestName): RequestName {
  return { method: request.method, path: request.path.split('?', 1)[0] ?? request.path };
}

/** A transport may take its time to notice an abort; the caller does not wait for that. */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) {
    work.catch(() => {});
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
