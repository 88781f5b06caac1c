import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { seconds } from './clock.ts';
import { ConfigurationError } from './errors.ts';
import type { HealthCheck } from './health.ts';
import type { HttpEndpointsOptions } from './http-endpoints.ts';
import { HttpEndpoints } from './http-endpoints.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

const clock = new VirtualClock();
const open: HttpEndpoints[] = [];
const errors: unknown[] = [];

async function start(options: Partial<HttpEndpointsOptions> = {}): Promise<HttpEndpoints> {
  const endpoints = await HttpEndpoints.start({
    clock,
    host: '127.0.0.1',
    port: 0,
    healthz: [],
    readyz: [],
    metrics: { contentType: 'text/plain; version=0.0.4', text: async () => 'up 1\n' },
    onError: (error) => errors.push(error),
    ...options,
  });
  open.push(endpoints);
  return endpoints;
}

afterEach(async () => {
  errors.length = 0;
  await Promise.all(open.splice(0).map((endpoints) => endpoints.close()));
});

const agent = new Agent();

async function ask(endpoints: HttpEndpoints, path: string, method = 'GET', body?: string) {
  const sent = request({ port: endpoints.address.port, host: '127.0.0.1', path, method, agent });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode, headers: answer.headers, text };
}

const well = (name: string): HealthCheck => ({ name, check: () => undefined });
const ill = (name: string, why: string): HealthCheck => ({ name, check: () => why });

describe('checks answer as the API server does', () => {
  test.each<[string, readonly HealthCheck[], string, number, string]>([
    ['nothing to check', [], '/readyz', 200, 'ok'],
    ['all well', [well('cache-sync')], '/readyz', 200, 'ok'],
    [
      'all well, verbose',
      [well('cache-sync'), well('lease')],
      '/readyz?verbose',
      200,
      '[+]cache-sync ok\n[+]lease ok\nreadyz check passed\n',
    ],
    [
      'one failed: always verbose',
      [well('cache-sync'), ill('lease', 'not renewed for 12 s')],
      '/readyz',
      500,
      '[+]cache-sync ok\n[-]lease failed: not renewed for 12 s\nreadyz check failed\n',
    ],
    [
      'one threw',
      [
        {
          name: 'lease',
          check: () => {
            throw new Error('line one\nline two');
          },
        },
      ],
      '/readyz?verbose=1',
      500,
      '[-]lease failed: line one line two\nreadyz check failed\n',
    ],
    [
      'one rejected',
      [{ name: 'lease', check: async () => Promise.reject(new Error('gone')) }],
      '/readyz',
      500,
      '[-]lease failed: gone\nreadyz check failed\n',
    ],
  ])('%s', async (_, readyz, path, status, text) => {
    const answer = await ask(await start({ readyz }), path);
    expect(answer).toMatchObject({ status, text });
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test('alive and ready are two questions', async () => {
    const endpoints = await start({ healthz: [well('loop')], readyz: [ill('cache-sync', 'still listing')] });
    expect((await ask(endpoints, '/healthz')).status).toBe(200);
    expect((await ask(endpoints, '/readyz')).status).toBe(500);
  });

  test('a check that does not answer within 2 s has failed, and is told to stop', async () => {
    let stopped = false;
    const check = (signal: AbortSignal) =>
      new Promise<undefined>(() => {
        signal.addEventListener('abort', () => {
          stopped = true;
        });
      });
    const endpoints = await start({ readyz: [{ name: 'slow', check }] });
    const answer = ask(endpoints, '/readyz');
    await expect.poll(() => clock.pending).toBe(1);
    await clock.pass(seconds(1.999));
    expect(stopped).toBe(false);
    await clock.pass(seconds(0.001));
    expect(await answer).toMatchObject({ status: 500, text: expect.stringContaining('no answer within 2 s') });
    expect(stopped).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('other requests', () => {
  test('metrics come with their own content type', async () => {
    const answer = await ask(await start(), '/metrics');
    expect(answer).toMatchObject({ status: 200, text: 'up 1\n' });
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4');
  });

  test('a failure to collect is a 500 that gives nothing away, and is heard of', async () => {
    const failure = new Error('the inside');
    const metrics = { contentType: 'text/plain', text: () => Promise.reject(failure) };
    const answer = await ask(await start({ metrics }), '/metrics');
    expect(answer).toMatchObject({ status: 500, text: 'internal error\n' });
    expect(errors).toEqual([failure]);
  });

  test.each`
    method      | path                  | status
    ${'GET'}    | ${'/'}                | ${404}
    ${'GET'}    | ${'/metrics/'}        | ${404}
    ${'GET'}    | ${'/__proto__'}       | ${404}
    ${'GET'}    | ${'/constructor'}     | ${404}
    ${'GET'}    | ${'//healthz'}        | ${404}
    ${'POST'}   | ${'/nothing'}         | ${404}
    ${'POST'}   | ${'/metrics'}         | ${405}
    ${'DELETE'} | ${'/healthz'}         | ${405}
    ${'HEAD'}   | ${'/healthz'}         | ${200}
    ${'GET'}    | ${'/healthz?a=b?c=d'} | ${200}
  `('$method $path: $status', async ({ method, path, status }) => {
    const answer = await ask(await start(), path, method, method === 'POST' ? 'a body' : undefined);
    expect(answer.status).toBe(status);
    if (status === 405) expect(answer.headers['allow']).toBe('GET, HEAD');
    if (method === 'HEAD') expect(answer.text).toBe('');
  });
});

describe('the port', () => {
  test('taken: one sentence that says by whom and what to do', async () => {
    const { port } = (await start()).address;
    const error = await start({ port }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toBe(
      `ConfigurationError: the server for health checks and metrics cannot listen on 127.0.0.1:${port}: another process has this port; stop that process or choose another port`,
    );
  });

  test.each`
    host            | port     | says
    ${'192.0.2.1'}  | ${0}     | ${'does not have the address'}
    ${'127.0.0.1'}  | ${70000} | ${'port'}
    ${'no.invalid'} | ${0}     | ${'the host name is unknown'}
  `('$host:$port: $says', async ({ host, port, says }) => {
    await expect(start({ host, port })).rejects.toThrow(ConfigurationError);
    await expect(start({ host, port })).rejects.toThrow(says);
  });
});

describe('closing', () => {
  test('lets an answer under way finish, and takes no new connection', async () => {
    const { promise: slow, resolve: finish } = Promise.withResolvers<undefined>();
    const endpoints = await start({ readyz: [{ name: 'slow', check: () => slow }] });
    const answer = ask(endpoints, '/readyz');
    await expect.poll(() => clock.pending).toBe(1);
    const closed = endpoints.close(seconds(5));
    await expect(ask(endpoints, '/healthz')).rejects.toThrow('ECONNREFUSED');
    finish(undefined);
    expect((await answer).text).toBe('ok');
    await closed;
    expect(clock.pending).toBe(0);
  });

  test('cuts off whoever holds it up for longer than the limit', async () => {
    const endpoints = await start();
    const socket = connect(endpoints.address.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /healthz HT');
    socket.on('error', () => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    const closed = endpoints.close(seconds(1));
    const gone = once(socket, 'close');
    await clock.pass(seconds(1));
    await closed;
    await gone;
  });
});
