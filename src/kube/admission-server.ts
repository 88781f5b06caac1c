import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { constants, createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ExchangeLimits, Reply } from './admission-exchange.ts';
import { exchange, plain } from './admission-exchange.ts';
import type { AdmissionObserver, AdmissionRoute } from './admission-route.ts';
import type { Clock, Millis } from './clock.ts';
import { elapsed, millis, seconds } from './clock.ts';
import { harmlessly } from './harmlessly.ts';
import { listen } from './listen.ts';
import type { ServingCertificate } from './serving-certificate.ts';
import { TlsConnections } from './tls-connections.ts';

const mebibyte = 1024 * 1024;
const idleTimeout = seconds(120);

export interface AdmissionServerOptions {
  readonly clock: Clock;
  /** @default '0.0.0.0' */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** By path: `/validate-pods`. */
  readonly routes: ReadonlyMap<string, AdmissionRoute>;
  readonly certificate: ServingCertificate;
  readonly observer?: AdmissionObserver;
  /** Of one body, in bytes. @default 8 MiB: two objects of the largest size that etcd takes, with room */
  readonly bodyLimit?: number;
  /** Of all bodies that are held at once, in bytes. @default 64 MiB */
  readonly bodyBudget?: number;
  /** For an answer, where the caller names no time of its own. @default 5 s */
  readonly deadline?: Millis;
  /** How much earlier than the caller's deadline we answer. @default 250 ms */
  readonly margin?: Millis;
  /** In which a caller must have finished its handshake, and then the headers of a request. @default 5 s */
  readonly headersTimeout?: Millis;
  /** After which an unused connection is closed. @default 120 s: longer than the API server keeps one, so that it is the one to close */
  readonly idleTimeout?: Millis;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

/** The status that stands in metrics for a caller who did not wait. */
const callerGone = 499;

/**
 * Answers `AdmissionReview` v1 over TLS, by HTTP/2 or HTTP/1.1 as the caller likes.
 *
 * The certificate can be changed at any time: handshakes from then on see the new one, connections that stand are not touched. No caller
 * can make it hold more than a bounded amount of memory, or hold a connection without using it.
 */
export class AdmissionServer {
  readonly address: AddressInfo;
  readonly #options: AdmissionServerOptions;
  readonly #observer: AdmissionObserver;
  readonly #limits: ExchangeLimits;
  readonly #server: Http2SecureServer;
  readonly #connections: TlsConnections;
  /** What is under way, to be aborted when the time to finish is over. */
  readonly #underWay = new Set<AbortController>();
  /** Bytes of all bodies that are in memory. */
  #held = 0;

  private constructor(options: AdmissionServerOptions, server: Http2SecureServer, address: AddressInfo) {
    this.address = address;
    this.#options = options;
    this.#observer = options.observer ?? {};
    this.#limits = {
      body: options.bodyLimit ?? 8 * mebibyte,
      time: options.deadline ?? seconds(5),
      margin: options.margin ?? millis(250),
    };
    this.#server = server;
    this.#connections = new TlsConnections(this.#server, options.idleTimeout ?? idleTimeout);
    this.#server.on('request', (request: Request, response: Response) => {
      this.#serve(request, response).catch(() => request.destroy());
    });
    const noRequest = (error: Error) => harmlessly(() => this.#observer.handshakeFailed?.(error));
    this.#server.on('tlsClientError', noRequest);
    // Such as: no file descriptor left for a connection. Without a listener it would end the process.
    this.#server.on('error', noRequest);
  }

  /** Rejects with `ConfigurationError` when the port cannot be had. */
  static async start(options: AdmissionServerOptions): Promise<AdmissionServer> {
    const server = createServer(options);
    const host = options.host ?? '0.0.0.0';
    const address = await listen(server, { name: 'the admission server', host, port: options.port });
    // No connection can have come yet: that takes a turn of the event loop, and this is still the one in which the port was opened.
    return new AdmissionServer(options, server, address);
  }

  get port(): number {
    return this.address.port;
  }

  /** Takes a certificate into service, without a restart and without an interruption. */
  use(certificate: ServingCertificate): void {
    this.#server.setSecureContext(tlsOptions(certificate));
  }

  /**
   * Takes no new connections and no new requests, lets those under way finish within `limit`, then cuts them off. Resolves when every
   * connection is closed.
   */
  async stop(limit: Millis = seconds(5)): Promise<void> {
    const timer = this.#options.clock.after(limit, () => {
      for (const exchange of this.#underWay) exchange.abort(new Error('the admission server was stopped'));
      this.#connections.cut();
    });
    await this.#connections.close();
    timer.cancel();
  }

  async #serve(request: Request, response: Response): Promise<void> {
    const [webhook = ''] = (request.url ?? '').split('?', 1);
    const route = this.#options.routes.get(webhook);
    if (route === undefined) return this.#send(request, response, plain(404, 'there is no webhook at this path'));

    const { clock } = this.#options;
    const started = clock.monotonic();
    const done = this.#connections.busy(request.socket);
    const end = new AbortController();
    this.#underWay.add(end);
    const onClose = () => end.abort(new Error('the caller has gone'));
    response.once('close', onClose);
    harmlessly(() => this.#observer.started?.(webhook));
    const reply = await this.#exchange(webhook, route, request, end);
    response.off('close', onClose);
    this.#underWay.delete(end);
    done();
    if (reply !== undefined) this.#send(request, response, reply);
    const status = reply?.status ?? callerGone;
    harmlessly(() => this.#observer.ended?.(webhook, status, elapsed(clock, started)));
  }

  async #exchange(
    webhook: string,
    route: AdmissionRoute,
    request: Request,
    end: AbortController,
  ): Promise<Reply | undefined> {
    let held = 0;
    const mayHold = (bytes: number) => {
      held += bytes;
      this.#held += bytes;
      return this.#held <= (this.#options.bodyBudget ?? 64 * mebibyte);
    };
    const { clock } = this.#options;
    const context = { webhook, route, request, mayHold, limits: this.#limits, clock, observer: this.#observer, end };
    try {
      return await exchange(context);
    } finally {
      this.#held -= held;
    }
  }

  #send(request: Request, response: Response, { status, contentType, body, headers }: Reply): void {
    const unread = !request.readableEnded;
    const head = { 'content-type': contentType, 'content-length': Buffer.byteLength(body), ...headers };
    if ('stream' in response) {
      const { stream } = response;
      response.writeHead(status, head);
      // Half a body that nobody reads would hold the stream; the code says that the answer stands all the same.
      response.end(body, () => unread && stream.close(constants.NGHTTP2_NO_ERROR));
    } else {
      const last = unread || this.#connections.closing;
      response.writeHead(status, { ...head, ...(last && { connection: 'close' }) });
      response.end(body);
    }
  }
}

function createServer(options: AdmissionServerOptions): Http2SecureServer {
  const patience = options.headersTimeout ?? seconds(5);
  const http1Options = {
    headersTimeout: patience,
    // The exchange's own deadline comes first; this is for requests that never become one.
    requestTimeout: patience + seconds(30),
    connectionsCheckingInterval: Math.min(1_000, patience),
    keepAliveTimeout: options.idleTimeout ?? idleTimeout,
  };
  return createSecureServer({
    ...tlsOptions(options.certificate),
    allowHTTP1: true,
    handshakeTimeout: patience,
    http1Options,
    settings: { maxConcurrentStreams: 250 },
  });
}

function tlsOptions({ certificate, key }: ServingCertificate) {
  return { cert: certificate, key, minVersion: 'TLSv1.2' } as const;
}
