import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { WebSocket } from 'ws';
import type { Connection, Credentials } from './connection.ts';
import { answerOf, troubleWith } from './node-answer.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** What the server sends in one message at most: it cuts the output of programs into pieces of 32 KiB. */
const longestMessage = 16 * 1024 * 1024;

/** The code of a connection that was closed and not cut off. */
const closedAsItShould = 1000;

/**
 * Asks the server to go on as a WebSocket. Where it agrees, the body of the answer (101) is its messages, one chunk each; a body that is not read to
 * its end closes the connection. Where it does not, this is its answer to the request.
 */
export function openWebSocket(
  connection: Connection,
  credentials: Credentials,
  { path, headers, webSocket = [] }: TransportRequest,
  signal: AbortSignal,
): Promise<TransportResponse> {
  const { protocol, host, pathname } = connection.server;
  const secure = protocol === 'https:';
  const url = `${secure ? 'wss' : 'ws'}://${host}${pathname.replace(/\/$/, '')}${path}`;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let sent = false;
    const socket = new WebSocket(url, webSocket, {
      headers: { ...headers, ...credentials.headers },
      ...(secure && credentials.tls),
      ...(secure && credentials.agent !== undefined && { agent: credentials.agent }),
      perMessageDeflate: false,
      maxPayload: longestMessage,
      finishRequest: (request) => {
        whenConnected(request, secure, () => (sent = true));
        request.end();
      },
    });
    const body = messagesOf(socket, connection, signal);
    const onAbort = () => socket.terminate();
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', onAbort));
    socket.once('open', () => resolve({ status: 101, headers: {}, warnings: [], body }));
    socket.once('unexpected-response', (_: ClientRequest, incoming: IncomingMessage) => {
      resolve(answerOf(incoming, connection, signal));
    });
    socket.on('error', (cause) => reject(signal.aborted ? signal.reason : troubleWith(connection, cause, sent)));
  });
}

function whenConnected(request: ClientRequest, secure: boolean, tell: () => void): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) tell();
    else socket.once(secure ? 'secureConnect' : 'connect', tell);
  });
}

/** Its messages, taken from the network as fast as they are read. */
function messagesOf(socket: WebSocket, connection: Connection, signal: AbortSignal): Readable {
  const body = new Readable({
    objectMode: true,
    read: () => socket.resume(),
    destroy: (error, done) => {
      socket.terminate();
      done(error);
    },
  });
  // Where it was never opened, the one who asked hears of that, and nobody reads this.
  body.on('error', () => {});
  socket.on('message', (data) => {
    if (!body.push(data)) socket.pause();
  });
  socket.once('close', (code) => {
    if (code === closedAsItShould) return void body.push(null);
    body.destroy(signal.aborted ? signal.reason : troubleWith(connection, undefined, true));
  });
  return body;
}
