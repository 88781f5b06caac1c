import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AdmissionAnswer, AdmissionRequest } from './admission-review.ts';
import type { AdmissionRoute } from './admission-route.ts';
import { AdmissionServer } from './admission-server.ts';
import { millis, seconds } from './clock.ts';
import { ConfigurationError } from './errors.ts';
import type { Question } from './testing/admission-world.ts';
import { AdmissionWorld, allow, hear, post, review } from './testing/admission-world.ts';

let world: AdmissionWorld;
beforeEach(async () => {
  world = await AdmissionWorld.create();
});
afterEach(() => world.end());

const pending = (count: number) => expect.poll(() => world.clock.pending).toBe(count);
const seenBy = () => expect.poll(() => world.seen);

describe.each(['askHttp1', 'askHttp2'] as const)('%s', (how) => {
  const ask = (question?: Question) => world[how](question);

  test('a review is answered by a review with the same uid', async () => {
    const asked: AdmissionRequest[] = [];
    await world.start((request) => {
      asked.push(request);
      return allow();
    });
    const { status, headers, text } = await ask({ path: '/ask?timeout=3s', body: review('u7') });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(text)).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u7', allowed: true, warnings: ['all well'] },
    });
    expect(asked).toMatchObject([{ uid: 'u7', resource: { resource: 'pods' } }]);
    await seenBy().toEqual(['started /ask', 'ended /ask 200']);
    expect(world.clock.pending).toBe(0);
  });

  test.each<[string, Question, number, string]>([
    ['another path', { path: '/other' }, 404, 'there is no webhook at this path'],
    ['a path below', { path: '/ask/more' }, 404, 'there is no webhook at this path'],
    ['another method', { method: 'PUT' }, 405, 'PUT is not allowed here, only POST'],
    ['another content type', { type: 'text/yaml' }, 415, 'the content type is "text/yaml", expected application/json'],
    ['nothing', { body: '' }, 400, 'the body is empty'],
    ['no JSON', { body: 'hello' }, 400, 'the body is not JSON'],
    ['wrong UTF-8', { body: Uint8Array.of(0x22, 0xc3, 0x28, 0x22) }, 400, 'the body is not UTF-8'],
    ['another version', { body: review().replace('/v1', '/v1beta1') }, 400, 'of "admission.k8s.io/v1beta1"'],
    ['another kind', { body: review().replace('AdmissionReview', 'Pod') }, 400, 'got "Pod"'],
  ])('%s: %s', async (_, question, status, says) => {
    await world.start(() => {
      throw new Error('must not be asked');
    });
    const heard = await ask(question);
    expect(heard).toMatchObject({ status, text: expect.stringContaining(says) });
    expect(heard.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(world.failures).toEqual([]);
  });

  test('the content type may carry a charset', async () => {
    await world.start(allow);
    expect((await ask({ type: 'Application/JSON; charset=utf-8' })).status).toBe(200);
  });

  test('a body of exactly the limit is read, one byte more is not', async () => {
    const empty = review('u1').length;
    await world.start(allow, { bodyLimit: empty + 1000 });
    expect((await ask({ body: review('u1', 'x'.repeat(1000)) })).status).toBe(200);
    expect((await ask({ body: review('u1', 'x'.repeat(1001)) })).status).toBe(413);
  });

  test('large bodies at once are refused beyond the budget, and held no longer than needed', async () => {
    const gate = Promise.withResolvers<void>();
    await world.start(() => gate.promise.then(allow), { bodyBudget: 150_000 });
    const body = review('u1', 'x'.repeat(90_000));
    const first = ask({ body });
    await pending(1);
    expect((await ask({ body })).status).toBe(413);
    gate.resolve();
    expect((await first).status).toBe(200);
    expect((await ask({ body })).status).toBe(200);
  });

  test.each<[string, AdmissionRoute['handle']]>([
    [
      'throws',
      () => {
        throw new TypeError('boom');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('boom'))],
  ])('a handler that %s is answered as the route says, and heard of', async (_, handle) => {
    await world.start(handle);
    const { status, text } = await ask();
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      response: { uid: 'u1', allowed: false, status: { code: 500, message: 'error: TypeError: boom' } },
    });
    expect(world.failures).toEqual(['u1: TypeError: boom']);
  });

  test('where the route has no answer to an error either, the caller is told that the webhook failed', async () => {
    const broken = () => {
      throw new Error('broken');
    };
    const routes = new Map([['/ask', { handle: broken, onError: broken, onTimeout: broken }]]);
    await world.start(allow, { routes });
    expect(await ask()).toMatchObject({ status: 500, text: 'the webhook failed\n' });
    expect(world.failures).toHaveLength(2);
  });

  test.each`
    timeout             | deadline      | limit
    ${'?timeout=3s'}    | ${undefined}  | ${2750}
    ${'?timeout=1m0s'}  | ${undefined}  | ${30_000}
    ${'?timeout=9999h'} | ${undefined}  | ${30_000}
    ${'?timeout=100ms'} | ${undefined}  | ${50}
    ${''}               | ${undefined}  | ${5000}
    ${''}               | ${seconds(1)} | ${1000}
    ${'?timeout=never'} | ${undefined}  | ${5000}
    ${'?timeout=-3s'}   | ${undefined}  | ${5000}
    ${'?timeout=0s'}    | ${undefined}  | ${5000}
  `('no answer: "$timeout" is over after $limit ms', async ({ timeout, deadline, limit }) => {
    let told: unknown;
    const never = (_: AdmissionRequest, signal: AbortSignal) =>
      new Promise<AdmissionAnswer>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          told = signal.reason;
          reject(signal.reason);
        });
      });
    await world.start(never, deadline === undefined ? {} : { deadline });
    const answer = ask({ path: `/ask${timeout}` });
    await pending(1);
    await world.clock.pass(millis(limit - 1));
    expect(told).toBeUndefined();
    await world.clock.pass(millis(1));
    const { status, text } = await answer;
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ response: { status: { code: 429, message: 'no answer in time' } } });
    expect(told).toMatchObject({ code: 'AnswerOverdue' });
    expect(world.failures).toEqual([]);
    expect(world.seen).toContain(`timed out u1 after ${limit} ms`);
  });

  test('a handler that fails after its time is heard of, and harms nobody', async () => {
    const gate = Promise.withResolvers<AdmissionAnswer>();
    await world.start(() => gate.promise);
    const answer = ask();
    await pending(1);
    await world.clock.pass(seconds(5));
    expect((await answer).status).toBe(200);
    gate.reject(new Error('too late'));
    await expect.poll(() => world.failures).toEqual(['u1: Error: too late']);
  });

  test('an observer that throws harms nobody', async () => {
    const broken = () => {
      throw new Error('broken observer');
    };
    await world.start(broken, { observer: { started: broken, ended: broken, failed: broken, timedOut: broken } });
    expect((await ask()).status).toBe(200);
  });
});

describe('many at once', () => {
  test('on one HTTP/2 connection, each gets its own answer', async () => {
    await world.start(async ({ uid }) => ({ allowed: true, warnings: [uid] }));
    const session = world.http2();
    const uids = Array.from({ length: 200 }, (_, index) => `u${index}`);
    const answers = await Promise.all(uids.map((uid) => hear(post(session, { body: review(uid) }))));
    expect(answers.map(({ text }) => JSON.parse(text).response)).toEqual(
      uids.map((uid) => ({ uid, allowed: true, warnings: [uid] })),
    );
  });

  test('on one HTTP/1.1 connection, one after another', async () => {
    await world.start(allow);
    const agent = new Agent({
      keepAlive: true,
      maxSockets: 1,
      ca: world.authority.certificate,
      servername: 'localhost',
    });
    const ports = new Set<number | undefined>();
    for (let round = 0; round < 5; round++) {
      const sent = httpsRequest({
        port: world.port,
        host: '127.0.0.1',
        agent,
        path: '/ask',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      sent.end(review());
      const [answer] = await once(sent, 'response');
      ports.add(answer.socket.localPort);
      answer.resume();
      await once(answer, 'end');
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });
});

describe('the port', () => {
  test('taken: one sentence', async () => {
    const { port } = (await world.start(allow)).address;
    const second = AdmissionServer.start({
      clock: world.clock,
      host: '127.0.0.1',
      port,
      routes: new Map(),
      certificate: world.certificate,
    });
    await expect(second).rejects.toThrow(ConfigurationError);
    await expect(second).rejects.toThrow(
      `the admission server cannot listen on 127.0.0.1:${port}: another process has this port; stop that process or choose another port`,
    );
  });
});
