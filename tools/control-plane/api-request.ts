import { Agent, request } from 'node:https';
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

/** A handshake costs both sides more than all the rest of a question, and tests that wait ask all the time. */
const kept = new Agent({ keepAlive: true });

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
  const signal = options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]);
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
      // What changes something goes over a connection of its own: where one breaks it is not sent twice.
      agent: method === 'GET' ? kept : false,
      signal,
    },
    (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      incoming.once('error', reject);
      incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, body: parse(text) }));
    },
  );
  outgoing.once('error', (error) => {
    // A server that died has taken the connections along that nobody used at the time.
    if (method === 'GET' && outgoing.reusedSocket && !signal.aborted)
      resolve(requestApi(access, method, path, options));
    else reject(error);
  });
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
