import { request } from 'node:https';
import type { Access } from './kubeconfig.ts';

/** What the API server answered. */
export interface ApiAnswer {
  readonly status: number;
  /** Parsed where it was JSON, else the text. */
  readonly body: unknown;
}

export interface ApiRequestOptions {
  readonly body?: unknown;
  /** `application/json` unless told; a patch needs its own. */
  readonly contentType?: string | undefined;
  /** Whom the API server is to take the sender for; with all rights, whoever it is. */
  readonly as?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One request to the API server, which is trusted by its own authority alone. Rejects only when there was no answer within 10 s. */
export function requestApi(
  access: Access,
  method: string,
  path: string,
  options: ApiRequestOptions = {},
): Promise<ApiAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>();
  const body = options.body === undefined ? '' : JSON.stringify(options.body);
  const timeout = AbortSignal.timeout(10_000);
  const outgoing = request(
    new URL(path, access.url),
    {
      method,
      ca: access.authority,
      headers: {
        authorization: `Bearer ${access.token}`,
        'content-type': options.contentType ?? 'application/json',
        // Node announces no body with DELETE by itself, and the server would not read it.
        'content-length': Buffer.byteLength(body),
        ...(options.as !== undefined && { 'impersonate-user': options.as, 'impersonate-group': 'system:masters' }),
      },
      agent: false,
      signal: options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]),
    },
    (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      incoming.once('error', reject);
      incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, body: parse(text) }));
    },
  );
  outgoing.once('error', reject);
  outgoing.end(body);
  return promise;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
