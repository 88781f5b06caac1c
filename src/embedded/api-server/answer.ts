import type { JsonObject, JsonValue } from './json.ts';
import type { StatusError } from './status-error.ts';
import type { WatchStream } from './watch-stream.ts';

/** What is sent back. */
export interface Answer {
  readonly status: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is. */
  readonly body: string | WatchStream;
  readonly warnings?: readonly string[];
}

export const jsonAnswer = (status: number, value: JsonValue, warnings: readonly string[] = []): Answer => ({
  status,
  body: JSON.stringify(value),
  warnings,
});

export const textAnswer = (status: number, body: string, warnings: readonly string[] = []): Answer => ({
  status,
  body,
  warnings,
});

/** The answer that carries a refusal. */
export function errorAnswer(error: StatusError, warnings: readonly string[] = []): Answer {
  const retry = error.details?.retryAfterSeconds ?? 0;
  return {
    status: error.code,
    body: JSON.stringify(error.toStatus()),
    warnings,
    ...(retry > 0 && { headers: { 'retry-after': String(retry) } }),
  };
}

/** What the server says of a path that it has never heard of. */
export const pageNotFound: Answer = {
  status: 404,
  contentType: 'text/plain; charset=utf-8',
  body: '404 page not found\n',
};

/** What a delete says when it does not show the object. */
export function successStatus(details?: JsonObject): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    ...(details !== undefined && { details }),
  };
}
