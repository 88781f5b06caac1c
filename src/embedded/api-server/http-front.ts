import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Server } from 'node:net';
import { makeAuthority, makeServingCertificate } from '../../kube/certificates.ts';
import { type Clock, epochMillis } from '../../kube/clock.ts';
import { listen } from '../../kube/listen.ts';
import { readRequestBody } from '../../kube/request-body.ts';
import { type Answer, errorAnswer } from './answer.ts';
import type { EmbeddedApiServer } from './api-server.ts';
import { protobufToJson, protobufType } from './protobuf.ts';
import { StatusError } from './status-error.ts';
import { userOf } from './user.ts';
import { WatchStream } from './watch-stream.ts';

export interface HttpFrontOptions {
  /** Real time, by which callers judge the certificate; the server's own clock may stand anywhere. */
  readonly clock: Clock;
  /** @default 0, any free port */
  readonly port?: number;
  /** @default true: kubectl sends its token only over TLS */
  readonly tls?: boolean;
}

/** The server on a port of 127.0.0.1, for kubectl and everything else that speaks to a Kubernetes. */
export interface HttpFront {
  readonly url: string;
  /** The authority that signed the certificate, PEM; undefined without TLS. */
  readonly authority: string | undefined;
  /** A kubeconfig for this server, as YAML. The user's name is its token. */
  kubeconfig(user?: string): string;
  /** Ends all connections. */
  close(): Promise<void>;
}

const largestBody = 3 * 1024 * 1024;

/** Serves on loopback only: there is no password. */
export async function serveHttp(server: EmbeddedApiServer, options: HttpFrontOptions): Promise<HttpFront> {
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    handle(server, request, response).catch(() => response.destroy());
  };
  const tls = options.tls === false ? undefined : await certificate(options.clock);
  const http: Server & { closeAllConnections(): void } =
    tls === undefined
      ? createHttpServer(onRequest)
      : createHttpsServer({ cert: tls.certificate, key: tls.key }, onRequest);
  const { port } = await listen(http, { name: 'the embedded API server', host: '127.0.0.1', port: options.port ?? 0 });
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  return {
    url,
    authority: tls?.authority,
    kubeconfig: (user = 'system:admin') => renderKubeconfig(url, tls?.authority, user),
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}

async function certificate(clock: Clock) {
  const day = 24 * 3600 * 1000;
  const life = { notBefore: epochMillis(clock.now() - day), notAfter: epochMillis(clock.now() + 365 * day) };
  const authority = await makeAuthority('drover embedded API server', life);
  const leaf = await makeServingCertificate(authority, ['127.0.0.1', 'localhost'], life);
  return { certificate: leaf.certificate, key: leaf.key, authority: authority.certificate };
}

async function handle(server: EmbeddedApiServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const body = await readRequestBody(request, mayKeep(), gone.signal);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  await write(await answerTo(server, request, headers, body), response, gone.signal);
}

async function answerTo(
  server: EmbeddedApiServer,
  { method = 'GET', url = '/' }: IncomingMessage,
  headers: Readonly<Record<string, string | undefined>>,
  body: Uint8Array,
): Promise<Answer> {
  const user = userOf(headers['authorization']);
  const isProtobuf = headers['content-type']?.startsWith(protobufType) === true && body.length > 0;
  try {
    const text = isProtobuf ? protobufToJson(body) : Buffer.from(body).toString('utf8');
    return await server.answer({ method, path: url, headers, body: text }, user);
  } catch (error) {
    if (error instanceof StatusError) return errorAnswer(error);
    throw error;
  }
}

function mayKeep(): (bytes: number) => boolean {
  let kept = 0;
  return (bytes) => {
    kept += bytes;
    return kept <= largestBody;
  };
}

async function write(answer: Answer, response: ServerResponse, gone: AbortSignal): Promise<void> {
  for (const warning of answer.warnings ?? []) {
    // Quotes and backslashes are escaped, as RFC 7234 has it; HTTP headers carry bytes, so the text is written as UTF-8 bytes.
    const quoted = Buffer.from(`299 - ${JSON.stringify(warning)}`).toString('latin1');
    response.appendHeader('warning', quoted);
  }
  const { body } = answer;
  response.writeHead(answer.status, { 'content-type': answer.contentType ?? 'application/json', ...answer.headers });
  if (!(body instanceof WatchStream)) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  const onGone = () => body.end();
  gone.addEventListener('abort', onGone, { once: true });
  for await (const chunk of body) {
    if (gone.aborted) break;
    if (!response.write(chunk)) await drained(response, gone);
  }
  response.end();
}

function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    gone.addEventListener('abort', () => resolve(), { once: true });
  });
}

function renderKubeconfig(url: string, authority: string | undefined, user: string): string {
  const trust =
    authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'drover',
      clusters: [{ name: 'drover', cluster: { server: url, ...trust } }],
      users: [{ name: user, user: { token: user } }],
      contexts: [{ name: 'drover', context: { cluster: 'drover', user } }],
    },
    null,
    2,
  )}\n`;
}
