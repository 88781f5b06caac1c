import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Connection, Credentials } from './connection.ts';
import { ConnectionLost } from './errors.ts';
import { nodeTransport } from './node-transport.ts';
import { readBody } from './response.ts';
import type { TransportResponse } from './transport.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serving(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<URL> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${portOf(server)}/base`);
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
}

function connection(server: URL, tokens: string[] = ['t']): Connection {
  let given = 0;
  const credentials = (renew = false): Promise<Credentials> => {
    if (renew) given += 1;
    const token = tokens[Math.min(given, tokens.length - 1)] ?? '';
    return Promise.resolve({ headers: { authorization: `Bearer ${token}` }, tls: {} });
  };
  return { server, source: 'a test', credentials };
}

const get = { method: 'GET', path: '/api/v1/pods?limit=1', headers: { accept: 'application/json' } } as const;
const signal = () => new AbortController().signal;
const text = async (response: TransportResponse) => Buffer.from(await readBody(response.body)).toString();

describe('the transport', () => {
  test('sends path, query, headers, body and credentials below the base path of the server', async () => {
    const seen: unknown[] = [];
    const server = await serving((request, response) => {
      request.setEncoding('utf8').on('data', (body) => seen.push(body));
      request.on('end', () => {
        seen.push(
          `${request.method} ${request.url} ${request.headers.authorization} ${request.headers['content-length']}`,
        );
        response.end('{}');
      });
    });
    const response = await nodeTransport(connection(server)).send(
      { ...get, method: 'POST', body: '{"ä":1}' },
      signal(),
    );
    expect(await text(response)).toBe('{}');
    expect(seen).toEqual(['{"ä":1}', 'POST /base/api/v1/pods?limit=1 Bearer t 8']);
  });

  test('reads every warning, also several in one header and with quotes inside', async () => {
    const server = await serving((_, response) => {
      response.setHeader('Warning', [
        '299 - "first, with comma"',
        String.raw`299 - "second \"quoted\"", 299 kube "third"`,
      ]);
      response.end('{}');
    });
    const response = await nodeTransport(connection(server)).send(get, signal());
    expect(response.warnings).toEqual(['first, with comma', 'second "quoted"', 'third']);
  });

  test('a refused connection certainly sent nothing', async () => {
    const server = await serving(() => {});
    servers.splice(0).forEach((listening) => void listening.close());
    const error = await nodeTransport(connection(server))
      .send(get, signal())
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConnectionLost);
    expect(error).toHaveProperty('sent', false);
    expect(String(error)).toContain('no connection (ECONNREFUSED)');
  });

  test('a connection that is reset before the answer may have carried the request', async () => {
    const server = await serving((request) => request.socket.resetAndDestroy());
    const error = await nodeTransport(connection(server))
      .send(get, signal())
      .catch((caught: unknown) => caught);
    expect(error).toHaveProperty('sent', true);
  });

  test.each([
    ['with a length', { 'content-length': '100' }],
    ['in chunks', {}],
  ])('half an answer %s is never taken for a whole one', async (_, headers) => {
    const server = await serving((request, response) => {
      response.writeHead(200, headers);
      response.write('{"items":[', () => request.socket.destroy());
    });
    const response = await nodeTransport(connection(server)).send(get, signal());
    await expect(text(response)).rejects.toThrow('the connection broke before the answer was complete');
  });

  test('an abort ends a request that hangs, and a body that hangs, with the reason of the signal', async () => {
    const server = await serving((request, response) => {
      if (request.url?.includes('stream')) response.write('first');
    });
    const stop = new AbortController();
    const transport = nodeTransport(connection(server));
    const hanging = transport.send(get, stop.signal);
    const streaming = await transport.send({ ...get, path: '/stream' }, stop.signal);
    const body = text(streaming);
    stop.abort(new Error('enough'));
    await expect(hanging).rejects.toThrow('enough');
    await expect(body).rejects.toThrow('enough');
  });

  test('a refused token is read again once, and the request repeated with the new one', async () => {
    const seen: (string | undefined)[] = [];
    const server = await serving((request, response) => {
      seen.push(request.headers.authorization);
      response.statusCode = request.headers.authorization === 'Bearer new' ? 200 : 401;
      response.end('{}');
    });
    const response = await nodeTransport(connection(server, ['old', 'new'])).send(get, signal());
    expect([response.status, seen]).toEqual([200, ['Bearer old', 'Bearer new']]);
  });

  test('a token that stays the same is not tried twice', async () => {
    let requests = 0;
    const server = await serving((_, response) => {
      requests += 1;
      response.writeHead(401).end('{}');
    });
    const response = await nodeTransport(connection(server)).send(get, signal());
    expect([response.status, requests]).toEqual([401, 1]);
  });
});
