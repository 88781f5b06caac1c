import type { Http2SecureServer, Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Millis } from './clock.ts';

/**
 * The connections of a server that speaks HTTP/2 and HTTP/1.1, so that it can stop. Node's own `close` waits for every HTTP/1.1 connection
 * that never sent a request, and for handshakes, for as long as they please.
 */
export class TlsConnections {
  readonly #server: Http2SecureServer;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<Http2Session>();
  /** Those that speak HTTP/1.1, each with the number of requests that it waits for. */
  readonly #http1 = new Map<object, { readonly socket: TLSSocket; busy: number }>();
  #closing = false;

  constructor(server: Http2SecureServer, idleTimeout: Millis) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      if (this.#closing) socket.destroy();
      if (socket.alpnProtocol === 'h2') return;
      this.#http1.set(socket, { socket, busy: 0 });
      socket.once('close', () => this.#http1.delete(socket));
    });
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      session.setTimeout(idleTimeout, () => session.close());
    });
  }

  /** A request came on this connection; call what is returned when its answer is out. */
  busy(socket: object): () => void {
    const connection = this.#http1.get(socket);
    if (connection === undefined) return () => {};
    connection.busy++;
    return () => void connection.busy--;
  }

  /** Takes no new connections and requests: closes what is idle, and tells the rest that it is the last time. Resolves when all are closed. */
  close(): Promise<void> {
    this.#closing = true;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    // Says GOAWAY and lets streams finish. Twice does no harm: newer releases of Node do it in `close` already.
    for (const session of this.#sessions) session.close();
    for (const { socket, busy } of this.#http1.values()) if (busy === 0) socket.destroy();
    return closed;
  }

  /** Whether what is answered now is the last answer on its connection. */
  get closing(): boolean {
    return this.#closing;
  }

  /** Ends every connection at once. */
  cut(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}
