import type { BackoffOptions } from './backoff.ts';
import type { Clock, Millis } from './clock.ts';
import type { LastAnswer } from './last-answer.ts';
import type { Random } from './random.ts';
import type { RateLimit } from './token-bucket.ts';
import type { Transport } from './transport.ts';

export interface ClientOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** @default 'drover' */
  readonly userAgent?: string;
  /** Of all requests together; watches count once, when they start. @default 50 per second, bursts of 100 */
  readonly rateLimit?: RateLimit;
  /** For one call with all its retries, unless the call says otherwise. @default 30 s */
  readonly deadline?: Millis;
  /** How often a call is tried again at most. @default 4 */
  readonly retries?: number;
  /** Between tries, where the server names no time itself. @default 0.2 s doubling to 5 s, jitter 0.5 */
  readonly backoff?: BackoffOptions;
  /** Hears every warning that the API server sends along, unless the call listens itself. */
  readonly onWarning?: (warning: string) => void;
  /** Hears of every answer, for metrics. Status 0: none came. */
  readonly onRequest?: (request: RequestReport) => void;
}

export interface RequestReport {
  readonly method: string;
  readonly status: number;
  readonly duration: Millis;
}

/** What every call takes. */
export interface CallOptions {
  /** The context of the call: aborted means nobody waits any more. */
  readonly signal: AbortSignal;
  /** For this call with all its retries. */
  readonly deadline?: Millis;
  /** Hears the warnings of this call. */
  readonly onWarning?: (warning: string) => void;
  /** `never`: the first answer is the answer, also a 429. @default 'safe' */
  readonly retry?: 'safe' | 'never';
}

export interface GetOptions<T> extends CallOptions {
  /** Where the same object is read again and again: it is parsed only when it is another one. */
  readonly last?: LastAnswer<T>;
}

export interface WriteOptions extends CallOptions {
  /** The server does everything but the writing. */
  readonly dryRun?: boolean;
  /** Who owns the written fields. Needed for server-side apply. */
  readonly fieldManager?: string;
  /** What the server does about fields that it does not know. @default the server's own: Warn */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly subresource?: string;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  /** The delete fails with a conflict unless the object is still this one. */
  readonly preconditions?: Preconditions;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface ListOptions extends CallOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Objects on one page. @default 500, as client-go: larger pages stall the event loop */
  readonly limit?: number;
}

export interface WatchOptions extends CallOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Go on after this version; absent together with `sendInitialEvents` starts from the newest state. */
  readonly resourceVersion?: string;
  /** A streaming list: everything that exists as ADDED, then a bookmark that says so, then changes. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this. */
  readonly timeout: Millis;
}

/** A change to part of an object. */
export type Patch =
  | { readonly type: 'merge'; readonly body: object }
  | { readonly type: 'strategic'; readonly body: object }
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'apply'; readonly body: object; readonly force: boolean };

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };
