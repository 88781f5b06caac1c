import type { Millis } from './clock.ts';

/** The longest text of the API server that we repeat: long enough for every real message, too short for a body. */
const longestMessage = 1000;

/** What was asked, for messages: never with query, headers or body, because those may carry secrets. */
export interface RequestName {
  readonly method: string;
  readonly path: string;
}

/** A Kubernetes `Status`, as far as we read it. */
export interface ApiStatus {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly field?: string; readonly reason?: string; readonly message?: string }[];
  };
}

/** The API server answered, and the answer is no. */
export class KubeApiError extends Error {
  override readonly name = 'KubeApiError';
  readonly code = 'ApiError';
  readonly status: number;
  readonly reason: string;
  readonly details: ApiStatus['details'];
  /** How long the server asked us to wait before the next try, if it said so. */
  readonly retryAfter: Millis | undefined;
  readonly request: RequestName;

  constructor(request: RequestName, status: number, answer: ApiStatus, retryAfter?: Millis) {
    super(
      `${request.method} ${request.path}: ${shorten(answer.message ?? answer.reason ?? 'no explanation')} (${status})`,
    );
    this.status = status;
    this.reason = answer.reason ?? '';
    this.details = answer.details;
    this.retryAfter = retryAfter;
    this.request = request;
  }
}

/** What the server said, without what was asked: for people who did not ask. */
export const wordsOf = ({ message, request: { method, path } }: KubeApiError): string =>
  message.replace(`${method} ${path}: `, '');

/** No answer, or half of one. A write may or may not have happened, unless `sent` is false. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly code = 'ConnectionLost';
  /** False when the request certainly never reached the server. */
  readonly sent: boolean;

  constructor(what: string, options: { readonly sent: boolean; readonly cause?: unknown }) {
    super(what, { cause: options.cause });
    this.sent = options.sent;
  }
}

/** The answer did not come in time. A write may or may not have happened. */
export class RequestTimeout extends Error {
  override readonly name = 'RequestTimeout';
  readonly code = 'RequestTimeout';

  constructor(request: RequestName, limit: Millis, cause?: unknown) {
    super(`${request.method} ${request.path}: no answer within ${limit / 1000} s`, { cause });
  }
}

/** The server sent something that is not what the API promises. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
  readonly code = 'MalformedAnswer';

  constructor(what: string, cause?: unknown) {
    super(what, { cause });
  }
}

/** No usable credentials or server address: a person has to change something. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code = 'Configuration';

  constructor(what: string, cause?: unknown) {
    super(what, { cause });
  }
}

const isApi =
  (status: number) =>
  (error: unknown): error is KubeApiError =>
    error instanceof KubeApiError && error.status === status;

export const isNotFound = isApi(404);
export const isForbidden = isApi(403);
export const isUnauthorized = isApi(401);
export const isInvalid = isApi(422);
export const isTooManyRequests = isApi(429);
/** The resource version is too old to go on from: list again. */
export const isGone = (error: unknown): error is KubeApiError =>
  error instanceof KubeApiError && (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone');
/** Someone else changed the object, or a precondition did not hold. */
export const isConflict = (error: unknown): error is KubeApiError =>
  isApi(409)(error) && error.reason !== 'AlreadyExists';
export const isAlreadyExists = (error: unknown): error is KubeApiError =>
  isApi(409)(error) && error.reason === 'AlreadyExists';

/** The write may or may not have happened: look before acting again. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof ConnectionLost) return error.sent;
  if (error instanceof RequestTimeout || error instanceof MalformedAnswer) return true;
  return error instanceof KubeApiError && error.status >= 500;
}

function shorten(text: string): string {
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage)}… (${text.length} characters)`;
}
