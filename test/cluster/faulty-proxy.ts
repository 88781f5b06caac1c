import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../src/kube/random.ts';
import { randomInteger } from '../../src/kube/random.ts';

/** What the proxy does to one request. */
const faults = [
  'none',
  'reset', // before any answer
  'delay',
  'truncate', // some of the body, then the connection breaks
  'end-early', // some whole lines of the body, then a proper end
  'duplicate', // every watch event twice, the second time after the next one
  'expired', // 410 in the answer's head
  'expired-in-stream', // 410 as a watch event
  'too-many', // 429
  'broken', // 500
  'half-open', // some of the body, then silence for ever
] as const;
type Fault = (typeof faults)[number];

export interface ProxyOptions {
  readonly target: URL;
  readonly ca: string;
  readonly token: string;
  readonly random: Random;
}

/** An API server as bad networks and bad days show it: between the client and the real one, as wicked as the seed says. */
export class FaultyProxy {
  readonly #options: ProxyOptions;
  readonly #server = createServer((request, response) => this.#answer(request, response));
  requests = 0;
  /** False: everything passes, also on connections that were spoiled before (they are cut). */
  #wicked = true;
  #subset: readonly Fault[] = faults;

  constructor(options: ProxyOptions) {
    this.#options = options;
    // Each run uses some of the faults, so that no common one hides a rare one.
    this.#subset = faults.filter((fault) => fault === 'none' || options.random.next() < 0.5);
  }

  async listen(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return new URL(`http://127.0.0.1:${address.port}`);
  }

  /** From now on a faithful proxy; connections that went silent stay silent, as in real life. */
  repent(): void {
    this.#wicked = false;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests += 1;
    const { random } = this.#options;
    const fault = this.#wicked ? (this.#subset[randomInteger(random, 0, this.#subset.length)] ?? 'none') : 'none';
    switch (fault) {
      case 'reset':
        request.socket.resetAndDestroy();
        return;
      case 'expired':
        return refuse(response, 410, 'Expired');
      case 'too-many':
        return refuse(response, 429, 'TooManyRequests');
      case 'broken':
        return refuse(response, 500, 'InternalError');
      default:
        this.#forward(request, response, fault);
    }
  }

  #forward(request: IncomingMessage, response: ServerResponse, fault: Fault): void {
    const { target, ca, token, random } = this.#options;
    const upstream = httpsRequest(new URL(request.url ?? '/', target), {
      method: request.method ?? 'GET',
      ca,
      headers: { ...request.headers, host: target.host, authorization: `Bearer ${token}` },
    });
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    upstream.on('response', (incoming) => {
      const { 'content-length': _, ...headers } = incoming.headers; // a spoiled body has another length
      response.writeHead(incoming.statusCode ?? 502, headers);
      incoming.on('error', () => response.destroy());
      const byLine = request.url?.includes('watch=true') === true;
      const spoil = spoiler(byLine || !lineFaults.has(fault) ? fault : 'none', response, random);
      incoming.on('data', (chunk: Buffer) => {
        if (!response.writableEnded) spoil(chunk);
      });
      incoming.on('end', () => {
        if (fault !== 'half-open') response.end();
      });
    });
    request.pipe(upstream);
  }
}

/** These need a body of lines. */
const lineFaults = new Set<Fault>(['duplicate', 'end-early', 'expired-in-stream']);

/** Passes chunks on, spoiled from a random place on. */
function spoiler(fault: Fault, response: ServerResponse, random: Random): (chunk: Buffer) => void {
  let left = randomInteger(random, 0, 6000);
  let before = '';
  switch (fault) {
    case 'delay':
      return inOrder(async (chunk) => {
        await pause(randomInteger(random, 1, 60));
        if (response.writable) response.write(chunk);
      });
    case 'truncate':
      return (chunk) => {
        response.write(chunk.subarray(0, left), () => left <= 0 && response.destroy());
        left -= chunk.length;
      };
    case 'half-open':
      return (chunk) => {
        if (left > 0) response.write(chunk.subarray(0, left));
        left -= chunk.length;
      };
    case 'duplicate':
      return lineByLine((line) => {
        response.write(`${line}\n${before}`);
        before = `${line}\n`;
      });
    case 'end-early':
      return lineByLine((line) => {
        left -= line.length;
        if (left > 0) response.write(`${line}\n`);
        else if (!response.writableEnded) response.end();
      });
    case 'expired-in-stream':
      return lineByLine((line) => {
        left -= line.length;
        if (left > 0) response.write(`${line}\n`);
        else if (!response.writableEnded)
          response.end(
            `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })}\n`,
          );
      });
    default:
      return (chunk) => void response.write(chunk);
  }
}

/** Late, but as TCP delivers: in order. */
function inOrder(take: (chunk: Buffer) => Promise<void>): (chunk: Buffer) => void {
  let before = Promise.resolve();
  return (chunk) => {
    before = before.then(() => take(chunk));
  };
}

function lineByLine(take: (line: string) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  };
}

function refuse(response: ServerResponse, code: number, reason: string): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ kind: 'Status', status: 'Failure', code, reason, message: `injected ${reason}` }));
}
