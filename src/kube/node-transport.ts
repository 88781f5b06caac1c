import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import { Agent, request as httpsRequest } from 'node:https';
import type { Connection, Credentials } from './connection.ts';
import { ConfigurationError, ConnectionLost } from './errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Refusals of TLS that no retry mends: a person has to change the trust or the certificate. */
const trustFailures: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet; compare the clocks',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is not signed by the CA that we were given',
  SELF_SIGNED_CERT_IN_CHAIN: 'is not signed by the CA that we were given',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'is not signed by the CA that we were given',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'is not signed by the CA that we were given',
  UNABLE_TO_GET_ISSUER_CERT: 'is not signed by the CA that we were given',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name',
};

/**
 * node:https with connections kept alive: a quarter of the CPU of `fetch` (see bench/). Credentials that the server refuses are read again
 * once, and the request is repeated with the new ones if they differ: a 401 means that nothing was done.
 */
export function nodeTransport(connection: Connection): Transport {
  const agent = new Agent({
    keepAlive: true,
    keepAliveMsecs: 30_000,
    maxSockets: 256,
    maxFreeSockets: 32,
    scheduling: 'lifo',
  });
  return {
    async send(request, signal) {
      const credentials = await connection.credentials();
      const response = await exchange(connection, credentials, agent, request, signal);
      if (response.status !== 401) return response;
      const renewed = await connection.credentials(true);
      if (renewed.headers['authorization'] === credentials.headers['authorization']) return response;
      await drain(response);
      return exchange(connection, renewed, agent, request, signal);
    },
    close: () => agent.destroy(),
  };
}

function exchange(
  connection: Connection,
  credentials: Credentials,
  agent: Agent,
  request: TransportRequest,
  signal: AbortSignal,
): Promise<TransportResponse> {
  const { server } = connection;
  const secure = server.protocol === 'https:';
  const body = request.body === undefined ? undefined : Buffer.from(request.body);
  const options: RequestOptions = {
    method: request.method,
    host: server.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: server.port === '' ? (secure ? 443 : 80) : server.port,
    path: server.pathname.replace(/\/$/, '') + request.path,
    headers: {
      ...request.headers,
      ...credentials.headers,
      ...(body !== undefined && { 'content-length': String(body.length) }),
    },
    signal,
    ...(secure && credentials.tls),
    ...(secure && { agent: credentials.agent ?? agent }),
  };
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let sent = false;
    const fail = (cause: unknown) => reject(signal.aborted ? signal.reason : explain(cause, connection, sent));
    const outgoing = secure ? httpsRequest(options) : httpRequest(options);
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) sent = true;
      else socket.once(secure ? 'secureConnect' : 'connect', () => (sent = true));
    });
    outgoing.once('error', fail);
    outgoing.once('response', (incoming) => {
      outgoing.off('error', fail);
      // After the head, errors belong to the body; without a listener they would end the process.
      outgoing.on('error', () => {});
      resolve(toResponse(incoming, connection, signal));
    });
    outgoing.end(body);
  });
}

function toResponse(incoming: IncomingMessage, connection: Connection, signal: AbortSignal): TransportResponse {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = Array.isArray(value) ? value[0] : value;
  return {
    status: incoming.statusCode ?? 0,
    headers,
    warnings: (incoming.headersDistinct['warning'] ?? []).flatMap(warningTexts),
    body: readAll(incoming, connection, signal),
  };
}

async function* readAll(
  incoming: IncomingMessage,
  connection: Connection,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of incoming) yield chunk;
  } catch (cause) {
    throw signal.aborted ? signal.reason : explain(cause, connection, true);
  }
  if (!incoming.complete) throw explain(undefined, connection, true);
}

async function drain(response: TransportResponse): Promise<void> {
  for await (const _ of response.body);
}

function explain(cause: unknown, connection: Connection, sent: boolean): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  const trust = code === undefined ? undefined : trustFailures[code];
  if (trust !== undefined) {
    return new ConfigurationError(
      `the certificate of ${connection.server.origin} ${trust}; check certificate-authority in ${connection.source}`,
      cause,
    );
  }
  const what = sent ? 'the connection broke before the answer was complete' : 'no connection';
  return new ConnectionLost(`${connection.server.origin}: ${what} (${code ?? 'closed'})`, { sent, cause });
}

/** `299 - "text with \"quotes\""`, possibly several in one header line. */
function warningTexts(header: string): string[] {
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) =>
    (match[1] ?? '').replace(/\\(.)/g, '$1'),
  );
}
