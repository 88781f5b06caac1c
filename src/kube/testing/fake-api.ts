import type { Clock, Millis } from '../clock.ts';
import type { KubeObject } from '../object.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';

/** What happens to one request on its way. Nothing given: it arrives, is served and answered at once. */
export interface Delivery {
  /** On its way to the server. It arrives even if the sender has given up by then. */
  readonly before?: Millis;
  /** On its way back. */
  readonly after?: Millis;
  /** Never arrives, or is done and never answered: the sender hears nothing until it gives up. */
  readonly lost?: 'request' | 'answer';
  /** The server answers this instead of serving it. */
  readonly refusal?: { readonly status: number; readonly reason: string };
}

type Json = { readonly [field: string]: unknown };

/**
 * An API server for tests of this folder: objects by path, resource versions with compare-and-swap, merge patches, lists by one label, and
 * the 404 and 409 that follow. No watch, no validation, no other patch. The clock is the server's and the network's.
 */
export class FakeApi implements Transport {
  /** What was served: method, path, and the status of the answer. */
  readonly served: string[] = [];
  /** Called for each request that has no delivery of its own. */
  deliver: (request: TransportRequest) => Delivery = () => ({});
  /** Called after each write that was done. */
  onWritten: (path: string) => void = () => {};
  readonly #clock: Clock;
  readonly #objects = new Map<string, Json>();
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The object as the server has it. */
  at<T extends KubeObject>(path: string): T | undefined {
    const object = this.#objects.get(path);
    return object === undefined ? undefined : JSON.parse(JSON.stringify(object));
  }

  paths(): readonly string[] {
    return [...this.#objects.keys()];
  }

  /** Puts an object there, past all preconditions, as somebody else would. */
  put(path: string, object: object): void {
    this.#store(path, { ...object });
  }

  remove(path: string): void {
    this.#objects.delete(path);
  }

  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    return this.sendBy(this.deliver(request), request, signal);
  }

  sendBy(delivery: Delivery, request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    const { before, after, lost, refusal } = delivery;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      if (lost === 'request') return;
      this.#in(before, () => {
        const answer = refusal === undefined ? this.#serve(request) : status(refusal.status, refusal.reason);
        this.served.push(`${request.method} ${request.path.split('?')[0]} ${answer.status}`);
        if (lost === 'answer') return;
        this.#in(after, () => {
          signal.removeEventListener('abort', onAbort);
          resolve(answer);
        });
      });
    });
  }

  close(): void {}

  #in(delay: Millis | undefined, act: () => void): void {
    if (delay === undefined) act();
    else this.#clock.after(delay, act);
  }

  #serve(request: TransportRequest): TransportResponse {
    const { pathname, searchParams } = new URL(request.path, 'https://fake');
    const body = request.body === undefined ? undefined : record(JSON.parse(request.body));
    if (request.method === 'POST') return this.#create(pathname, body ?? {});
    if (isCollection(pathname)) return this.#list(pathname, searchParams.get('labelSelector'));
    const stored = this.#objects.get(pathname);
    if (stored === undefined) return status(404, 'NotFound');
    if (request.method === 'GET') return json(200, stored);
    if (!holds(stored, request.method === 'DELETE' ? body?.['preconditions'] : body?.['metadata'])) {
      return status(409, 'Conflict');
    }
    if (request.method === 'DELETE') {
      this.#objects.delete(pathname);
      this.onWritten(pathname);
      return json(200, stored);
    }
    const changed = request.method === 'PUT' ? (body ?? {}) : record(mergePatch(stored, body));
    return this.#write(200, pathname, { ...changed, metadata: { ...meta(stored), ...meta(changed) } });
  }

  #create(collection: string, body: Json): TransportResponse {
    const path = `${collection}/${String(meta(body)['name'])}`;
    if (this.#objects.has(path)) return status(409, 'AlreadyExists');
    return this.#write(201, path, body);
  }

  #list(collection: string, selector: string | null): TransportResponse {
    const [key, value] = selector?.split('=') ?? [];
    const items = [...this.#objects].filter(([path, object]) => {
      if (!path.startsWith(`${collection}/`)) return false;
      const labels = record(meta(object)['labels']);
      return key === undefined || (value === undefined ? key in labels : labels[key] === value);
    });
    const metadata = { resourceVersion: String(this.#version) };
    return json(200, { kind: 'List', metadata, items: items.map(([, object]) => object) });
  }

  #write(code: number, path: string, object: Json): TransportResponse {
    const stored = this.#store(path, object);
    this.onWritten(path);
    return json(code, stored);
  }

  #store(path: string, object: Json): Json {
    const version = String(++this.#version);
    const stored = { ...object, metadata: { uid: `uid-${version}`, ...meta(object), resourceVersion: version } };
    this.#objects.set(path, stored);
    return stored;
  }
}

/** `/apis/group/version/namespaces/ns/plural` or `/apis/group/version/plural`, and the same under `/api/v1`. */
function isCollection(path: string): boolean {
  const parts = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
  return (parts[0] === 'namespaces' && parts.length > 2 ? parts.slice(2) : parts).length === 1;
}

function holds(stored: Json, preconditions: unknown): boolean {
  const wanted = record(preconditions);
  return ['uid', 'resourceVersion'].every((name) => wanted[name] === undefined || wanted[name] === meta(stored)[name]);
}

/** RFC 7396. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = { ...record(target) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

function meta(object: Json): Json {
  return record(object['metadata']);
}

function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function status(code: number, reason: string): TransportResponse {
  return json(code, { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason, message: reason, code });
}

function json(code: number, value: unknown): TransportResponse {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    status: code,
    headers: {},
    warnings: [],
    body: (async function* () {
      yield bytes;
    })(),
  };
}
