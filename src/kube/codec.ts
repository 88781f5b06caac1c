import type { ApiStatus } from './errors.ts';
import { MalformedAnswer } from './errors.ts';
import type { KubeObject } from './object.ts';

/** One page of a collection. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Set while more pages follow. */
  readonly continue: string | undefined;
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T; readonly resourceVersion: string }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: ApiStatus & { readonly code?: number } };

/** Cuts a watch stream into events, wherever the chunks happen to end. */
export interface WatchDecoder<T> {
  /** The events that are complete with this chunk. Throws `MalformedAnswer` on what is no event. */
  push(chunk: Uint8Array): readonly WatchEvent<T>[];
}

/**
 * How the bytes of a collection become what the cache keeps: the one seam between wire format and memory. A codec reads only what its
 * projection keeps, so a protobuf codec can skip the rest by length.
 */
export interface Codec<T> {
  readonly accept: string;
  readonly acceptWatch: string;
  list(body: Uint8Array): ListPage<T>;
  watch(): WatchDecoder<T>;
}

/** The annotation on the bookmark that ends the initial events of a streaming list. */
const initialEventsEnd = 'k8s.io/initial-events-end';

const newline = 0x0a;
const text = new TextDecoder('utf-8');

/** Raw JSON, projected object by object so that whole objects are garbage as soon as they were read. */
export function jsonCodec<Raw extends KubeObject, T>(project: (raw: Raw) => T): Codec<T> {
  return {
    accept: 'application/json',
    acceptWatch: 'application/json',
    list(body) {
      const list = parse<RawList<Raw>>(body, 'a list');
      if (!Array.isArray(list.items) || typeof list.metadata?.resourceVersion !== 'string') {
        throw new MalformedAnswer('the answer to a list has no items or no resourceVersion');
      }
      return {
        items: list.items.map(project),
        resourceVersion: list.metadata.resourceVersion,
        continue: list.metadata.continue === '' ? undefined : list.metadata.continue,
      };
    },
    watch: () => jsonWatchDecoder(project),
  };
}

interface RawList<Raw> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly Raw[] | null;
}

function jsonWatchDecoder<Raw extends KubeObject, T>(project: (raw: Raw) => T): WatchDecoder<T> {
  let rest: Uint8Array[] = [];
  return {
    push(chunk) {
      const events: WatchEvent<T>[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        const tail = chunk.subarray(start, end);
        const line = rest.length === 0 ? tail : Buffer.concat([...rest, tail]);
        rest = [];
        start = end + 1;
        if (line.length > 0) events.push(decodeEvent(parse<RawEvent<Raw>>(line, 'a watch event'), project));
      }
      if (start < chunk.length) rest.push(chunk.subarray(start));
      return events;
    },
  };
}

interface RawEvent<Raw> {
  readonly type?: string;
  readonly object?: Raw & ApiStatus & { readonly code?: number };
}

function decodeEvent<Raw extends KubeObject, T>(event: RawEvent<Raw>, project: (raw: Raw) => T): WatchEvent<T> {
  const { type, object } = event;
  if (object === undefined || object === null) throw new MalformedAnswer('a watch event has no object');
  if (type === 'ERROR') return { type, status: object };
  const resourceVersion = object.metadata?.resourceVersion;
  if (typeof resourceVersion !== 'string') throw new MalformedAnswer('a watch event has no resourceVersion');
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: project(object), resourceVersion };
    case 'BOOKMARK':
      return { type, resourceVersion, initialEventsEnd: object.metadata.annotations?.[initialEventsEnd] === 'true' };
    default:
      throw new MalformedAnswer(`a watch event has the unknown type ${JSON.stringify(type)}`);
  }
}

function parse<Shape>(bytes: Uint8Array, what: string): Shape {
  try {
    const value: Shape = JSON.parse(text.decode(bytes));
    if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
    return value;
  } catch (cause) {
    throw new MalformedAnswer(`the API server's answer is not ${what} in JSON`, cause);
  }
}
