import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { connect as connectHttp2 } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import type { AdmissionAnswer } from '../admission-review.ts';
import type { AdmissionRoute } from '../admission-route.ts';
import type { AdmissionServerOptions } from '../admission-server.ts';
import { AdmissionServer } from '../admission-server.ts';
import type { KeyedCertificate } from '../certificates.ts';
import { seconds } from '../clock.ts';
import type { ServingCertificate } from '../serving-certificate.ts';
import { testAuthority, testCertificate } from './test-certificates.ts';
import { VirtualClock } from './virtual-clock.ts';

/** A server, what it told its observer, and everything that has to be closed in the end. */
export class AdmissionWorld {
  readonly authority: KeyedCertificate;
  readonly certificate: ServingCertificate;
  readonly clock = new VirtualClock();
  readonly seen: string[] = [];
  readonly failures: unknown[] = [];
  readonly open: { close(): void }[] = [];
  server: AdmissionServer | undefined;

  private constructor(authority: KeyedCertificate, certificate: ServingCertificate) {
    this.authority = authority;
    this.certificate = certificate;
  }

  static async create(): Promise<AdmissionWorld> {
    const authority = await testAuthority();
    return new AdmissionWorld(authority, await testCertificate(authority));
  }

  async start(
    handle: AdmissionRoute['handle'],
    options: Partial<AdmissionServerOptions> = {},
  ): Promise<AdmissionServer> {
    const route: AdmissionRoute = {
      handle,
      onError: (_, error) => denied(500, `error: ${String(error)}`),
      onTimeout: () => denied(429, 'no answer in time'),
    };
    this.server = await AdmissionServer.start({
      clock: this.clock,
      host: '127.0.0.1',
      port: 0,
      routes: new Map([['/ask', route]]),
      certificate: this.certificate,
      observer: {
        started: (webhook) => this.seen.push(`started ${webhook}`),
        ended: (webhook, status) => this.seen.push(`ended ${webhook} ${status}`),
        failed: (_, request, error) => this.failures.push(`${request.uid}: ${String(error)}`),
        timedOut: (_, request, limit) => this.seen.push(`timed out ${request.uid} after ${limit} ms`),
        handshakeFailed: (error) => this.failures.push(error),
      },
      ...options,
    });
    return this.server;
  }

  http2(): ClientHttp2Session {
    const session = connectHttp2(`https://localhost:${this.port}`, { ca: this.authority.certificate });
    session.on('error', () => {});
    this.open.push({ close: () => session.destroy() });
    return session;
  }

  async tls(protocol: 'http/1.1' | 'h2' = 'http/1.1'): Promise<TLSSocket> {
    const options = { ca: this.authority.certificate, servername: 'localhost', ALPNProtocols: [protocol] };
    const socket = connectTls(this.port, '127.0.0.1', options);
    socket.on('error', () => {});
    this.open.push({ close: () => socket.destroy() });
    await once(socket, 'secureConnect');
    return socket;
  }

  get port(): number {
    return this.server?.address.port ?? 0;
  }

  async askHttp1({
    path = '/ask',
    method = 'POST',
    type = 'application/json',
    body = review(),
  }: Question = {}): Promise<Heard> {
    const sent = httpsRequest({
      port: this.port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: this.authority.certificate,
      agent: false,
      path,
      method,
      headers: { 'content-type': type },
    });
    sent.end(body);
    const [answer] = await once(sent, 'response');
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    return { status: answer.statusCode, headers: answer.headers, text };
  }

  async askHttp2(question: Question = {}): Promise<Heard> {
    const session = this.http2();
    const heard = await hear(post(session, question));
    session.close();
    return heard;
  }

  async end(): Promise<void> {
    for (const each of this.open) each.close();
    const stopped = this.server?.stop(seconds(1));
    await this.clock.pass(seconds(1));
    await stopped;
  }
}

const denied = (code: 429 | 500, message: string): AdmissionAnswer => ({
  allowed: false,
  code,
  reason: 'Test',
  message,
});
export const allow = (): AdmissionAnswer => ({ allowed: true, warnings: ['all\nwell'] });

export function review(uid = 'u1', padding = ''): string {
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid,
      operation: 'CREATE',
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      userInfo: {},
      object: { padding },
    },
  });
}

export interface Question {
  readonly path?: string;
  readonly method?: string;
  readonly type?: string;
  readonly body?: string | Uint8Array;
}

export interface Heard {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function post(session: ClientHttp2Session, { path = '/ask', method = 'POST', type, body = review() }: Question) {
  const headers = { ':path': path, ':method': method, 'content-type': type ?? 'application/json' };
  const stream = session.request(headers, { endStream: false });
  stream.on('error', () => {});
  stream.end(body);
  return stream;
}

export function hear(stream: ClientHttp2Stream): Promise<Heard> {
  return new Promise((resolve, reject) => {
    let headers: IncomingHttpHeaders | undefined;
    let text = '';
    stream.on('response', (head) => {
      headers = head;
    });
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
    stream.on('close', () => {
      if (headers === undefined) reject(new Error('closed without an answer'));
      else resolve({ status: Number(headers[':status']), headers, text });
    });
  });
}

/** Unlike `once`, an error on the way is not the end. */
export function closed(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}
