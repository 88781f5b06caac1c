import { ConnectionLost } from '../errors.ts';
import type { KubeObject } from '../object.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';

type Change = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly version: number;
};

/** What goes wrong with one request. `break`: the stream is cut after that many events. */
export type Fault =
  | { readonly kind: 'none' | 'refuse' | 'half-open' | 'duplicate' | 'expired-in-stream' | 'garbage' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'break'; readonly after: number };

interface Watcher {
  push(line: string): void;
  end(): void;
  fail(error: Error): void;
}

/** One collection of the API, in memory: paged lists, watches with streaming list and bookmarks, 410, and faults on demand. */
export class CollectionServer implements Transport {
  readonly objects = new Map<string, KubeObject>();
  readonly requests: string[] = [];
  /** Asked for every request. */
  fault: (request: TransportRequest) => Fault = () => ({ kind: 'none' });
  /** False: answers the parameters of a streaming list with 422, as older servers do. */
  streamingLists = true;
  #version = 100;
  #history: Change[] = [];
  /** Versions up to here are gone: going on from them is a 410. */
  #compacted = 100;
  readonly #watchers = new Set<Watcher>();

  put(name: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const version = ++this.#version;
    const type = this.objects.has(name) ? 'MODIFIED' : 'ADDED';
    const object = { metadata: { name, resourceVersion: String(version) }, ...fields };
    this.objects.set(name, object);
    this.#publish({ type, object, version });
  }

  remove(name: string): void {
    const before = this.objects.get(name);
    if (before === undefined) return;
    const version = ++this.#version;
    this.objects.delete(name);
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } };
    this.#publish({ type: 'DELETED', object, version });
  }

  bookmark(): void {
    for (const watcher of this.#watchers) watcher.push(bookmark(this.#version));
  }

  /** Forgets history: whoever resumes from before now gets a 410. */
  compact(): void {
    this.#history = [];
    this.#compacted = this.#version;
  }

  /** Ends every watch in good order. */
  endWatches(): void {
    for (const watcher of this.#watchers) watcher.end();
  }

  /** Breaks every watch. */
  breakWatches(): void {
    for (const watcher of this.#watchers) watcher.fail(lost());
  }

  send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    const url = new URL(request.path, 'http://server');
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    const fault = this.fault(request);
    if (fault.kind === 'refuse') return Promise.reject(new ConnectionLost('refused', { sent: false }));
    if (fault.kind === 'status') return Promise.resolve(answer(fault.status, status(fault.status, 'injected')));
    return Promise.resolve(
      url.searchParams.get('watch') === 'true' ? this.#watch(url, fault, signal) : this.#list(url, fault),
    );
  }

  close(): void {}

  #list(url: URL, fault: Fault): TransportResponse {
    const all = [...this.objects.values()];
    const start = Number(url.searchParams.get('continue') ?? 0);
    const limit = Number(url.searchParams.get('limit') ?? all.length);
    const more = start + limit < all.length;
    const body = JSON.stringify({
      metadata: { resourceVersion: String(this.#version), continue: more ? String(start + limit) : '' },
      items: all.slice(start, start + limit),
    });
    if (fault.kind === 'garbage') return answer(200, body.slice(0, body.length / 2));
    if (fault.kind === 'break') return answer(200, body.slice(0, 10), lost());
    return answer(200, body);
  }

  #watch(url: URL, fault: Fault, signal: AbortSignal): TransportResponse {
    const streaming = url.searchParams.get('sendInitialEvents') === 'true';
    const from = Number(url.searchParams.get('resourceVersion') ?? this.#version);
    if (streaming && !this.streamingLists) return answer(422, status(422, 'Invalid'));
    if (!streaming && from < this.#compacted) return answer(410, status(410, 'Expired'));
    if (from > this.#version) {
      const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
      return answer(504, JSON.stringify({ kind: 'Status', reason: 'Timeout', details: { causes } }));
    }
    const lines = new LineStream(fault);
    const watcher: Watcher = {
      push: (line) => lines.push(line),
      end: () => lines.end(),
      fail: (error) => lines.end(error),
    };
    if (streaming) {
      for (const object of this.objects.values()) watcher.push(event('ADDED', object));
      watcher.push(bookmark(this.#version, true));
    }
    for (const change of this.#history) if (change.version > from) watcher.push(event(change.type, change.object));
    this.#watchers.add(watcher);
    signal.addEventListener('abort', () => lines.end(signal.reason), { once: true });
    lines.onEnd = () => void this.#watchers.delete(watcher);
    return { status: 200, headers: {}, warnings: [], body: lines };
  }

  #publish(change: Change): void {
    this.#history.push(change);
    for (const watcher of this.#watchers) watcher.push(event(change.type, change.object));
  }
}

/** Lines as they are pushed, spoiled as the fault says. */
class LineStream implements AsyncIterable<Uint8Array> {
  readonly #fault: Fault;
  readonly #waiting: string[] = [];
  #events = 0;
  /** The line before this one: what comes twice comes late. */
  #before = '';
  #ended: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};
  onEnd: () => void = () => {};

  constructor(fault: Fault) {
    this.#fault = fault;
  }

  push(line: string): void {
    if (this.#ended !== undefined || (this.#fault.kind === 'half-open' && this.#events > 0)) return;
    this.#events += 1;
    if (this.#fault.kind === 'break' && this.#events > this.#fault.after) return this.end(lost());
    this.#waiting.push(line);
    if (this.#fault.kind === 'duplicate') this.#waiting.push(this.#before);
    this.#before = line;
    if (this.#fault.kind === 'garbage' && this.#events === 3) this.#waiting.push('{"type":\n');
    if (this.#fault.kind === 'expired-in-stream' && this.#events === 3) {
      this.#waiting.push(`${JSON.stringify({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })}\n`);
    }
    this.#wake();
  }

  end(error?: unknown): void {
    this.#ended ??= { error };
    this.onEnd();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const text = this.#waiting.splice(0).join('');
        if (text !== '') {
          // Chunks end where they like, also inside a line.
          const bytes = Buffer.from(text);
          const cut = Math.floor(bytes.length / 2);
          yield bytes.subarray(0, cut);
          yield bytes.subarray(cut);
        } else if (this.#ended === undefined) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        } else if (this.#ended.error === undefined) {
          return;
        } else {
          throw this.#ended.error;
        }
      }
    } finally {
      this.end();
    }
  }
}

const lost = () => new ConnectionLost('reset', { sent: true });
const event = (type: string, object: KubeObject) => `${JSON.stringify({ type, object })}\n`;
const status = (code: number, reason: string) => JSON.stringify({ kind: 'Status', code, reason, message: reason });

function bookmark(version: number, initialEventsEnd = false): string {
  const annotations = initialEventsEnd ? { 'k8s.io/initial-events-end': 'true' } : {};
  return `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version), annotations } } })}\n`;
}

function answer(code: number, body: string, broken?: Error): TransportResponse {
  const chunks = async function* () {
    yield Buffer.from(body);
    if (broken !== undefined) throw broken;
  };
  return { status: code, headers: {}, warnings: [], body: chunks() };
}
