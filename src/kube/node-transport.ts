import { request as httpRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import { Agent, request as httpsRequest } from 'node:https';
import type { Connection, Credentials } from './connection.ts';
import { answerOf, troubleWith } from './node-answer.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { openWebSocket } from './web-socket.ts';

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
  if (request.webSocket !== undefined) return openWebSocket(connection, credentials, request, signal);
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
    const fail = (cause: unknown) => reject(signal.aborted ? signal.reason : troubleWith(connection, cause, sent));
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
      resolve(answerOf(incoming, connection, signal));
    });
    outgoing.end(body);
  });
}

async function drain(response: TransportResponse): Promise<void> {
  for await (const _ of response.body);
}
