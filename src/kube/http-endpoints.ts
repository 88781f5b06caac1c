import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock, Millis } from './clock.ts';
import { seconds } from './clock.ts';
import type { HealthCheck } from './health.ts';
import { runChecks } from './health.ts';
import { listen } from './listen.ts';

export interface HttpEndpointsOptions {
  readonly clock: Clock;
  /** @default '0.0.0.0': the kubelet asks from outside */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Failing means: restart this process. */
  readonly healthz: readonly HealthCheck[];
  /** Failing means: send no requests here now. */
  readonly readyz: readonly HealthCheck[];
  readonly metrics: MetricsText;
  /** Hears of a failure to answer, which is a defect of ours: the asker gets a 500 that gives nothing away. */
  readonly onError: (error: unknown) => void;
}

/** What `/metrics` says. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

interface Page {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const paths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
const plainText = { 'content-type': 'text/plain; charset=utf-8' };

/**
 * Plain HTTP for machines that look after this one: `/healthz`, `/readyz` and `/metrics`.
 *
 * The two checks answer `ok`, or 500 with the list of what was asked; `?verbose` shows the list also when all is well. Anything else gets a
 * 404, any method but GET and HEAD a 405. Nobody can make it hold memory: it reads no bodies, and headers must arrive within 5 s.
 */
export class HttpEndpoints {
  readonly address: AddressInfo;
  readonly #server: Server;
  readonly #clock: Clock;

  private constructor(server: Server, address: AddressInfo, clock: Clock) {
    this.#server = server;
    this.address = address;
    this.#clock = clock;
  }

  /** Rejects with `ConfigurationError` when the port cannot be had. */
  static async start(options: HttpEndpointsOptions): Promise<HttpEndpoints> {
    const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 });
    server.on('request', (request, response) => {
      answer(options, request).then(
        (page) => send(request, response, page),
        (error: unknown) => {
          options.onError(error);
          send(request, response, { status: 500, body: 'internal error\n' });
        },
      );
    });
    const name = 'the server for health checks and metrics';
    const address = await listen(server, { name, host: options.host ?? '0.0.0.0', port: options.port });
    server.on('error', options.onError);
    return new HttpEndpoints(server, address, options.clock);
  }

  /** Takes no new connections, lets answers under way finish within `limit`, then cuts them off. Resolves when all are closed. */
  close(limit: Millis = seconds(1)): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.after(limit, () => this.#server.closeAllConnections());
      // Idle connections are closed by this as well.
      this.#server.close(() => {
        timer.cancel();
        resolve();
      });
    });
  }
}

async function answer(options: HttpEndpointsOptions, request: IncomingMessage): Promise<Page> {
  const [path = '/', query] = (request.url ?? '/').split('?', 2);
  if (!paths.has(path)) return { status: 404, body: `not found; here are ${[...paths].join(', ')}\n` };
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { status: 405, body: `${request.method} is not allowed here\n`, headers: { allow: 'GET, HEAD' } };
  }
  if (path === '/metrics') {
    const headers = { 'content-type': options.metrics.contentType };
    return { status: 200, body: await options.metrics.text(), headers };
  }
  const verbose = new URLSearchParams(query).has('verbose');
  return path === '/healthz'
    ? checked('healthz', options.healthz, verbose, options.clock)
    : checked('readyz', options.readyz, verbose, options.clock);
}

async function checked(name: string, checks: readonly HealthCheck[], verbose: boolean, clock: Clock): Promise<Page> {
  const { healthy, lines } = await runChecks(checks, clock);
  if (healthy && !verbose) return { status: 200, body: 'ok' };
  const verdict = `${name} check ${healthy ? 'passed' : 'failed'}`;
  return { status: healthy ? 200 : 500, body: `${[...lines, verdict].join('\n')}\n` };
}

function send(request: IncomingMessage, response: ServerResponse, { status, body, headers }: Page): void {
  // A body that nobody reads would otherwise keep the connection from being used again.
  const unread = !request.complete && request.headers['content-length'] !== undefined;
  response.writeHead(status, {
    ...plainText,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
    'content-length': Buffer.byteLength(body),
    ...(unread && { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
