import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { millis, seconds } from './clock.ts';
import { AdmissionWorld, allow, hear, post } from './testing/admission-world.ts';

let world: AdmissionWorld;
beforeEach(async () => {
  world = await AdmissionWorld.create();
});
afterEach(() => world.end());

const pending = (count: number) => expect.poll(() => world.clock.pending).toBe(count);
const seenBy = () => expect.poll(() => world.seen);

describe('stopping', () => {
  test.each(['askHttp1', 'askHttp2'] as const)(
    '%s: what is under way is answered, and nothing new is taken',
    async (how) => {
      const gate = Promise.withResolvers<void>();
      const server = await world.start(() => gate.promise.then(allow));
      const answer = world[how]();
      await pending(1);
      const stopped = server.stop(seconds(2));
      await expect(world.askHttp1()).rejects.toThrow('ECONNREFUSED');
      gate.resolve();
      expect((await answer).status).toBe(200);
      await stopped;
      expect(world.clock.pending).toBe(0);
    },
  );

  test('HTTP/2 callers are told to go away, and finish', async () => {
    const gate = Promise.withResolvers<void>();
    const server = await world.start(() => gate.promise.then(allow));
    const session = world.http2();
    const answer = hear(post(session, {}));
    await pending(1);
    const goaway = once(session, 'goaway');
    const stopped = server.stop(seconds(2));
    await goaway;
    gate.resolve();
    expect((await answer).status).toBe(200);
    await stopped;
  });

  test('connections that wait for nothing are closed at once', async () => {
    const server = await world.start(allow);
    const unused = await world.tls();
    const session = world.http2();
    await hear(post(session, {}));
    await server.stop(seconds(60));
    await expect.poll(() => unused.closed && session.closed).toBe(true);
  });

  test.each(['askHttp1', 'askHttp2'] as const)('%s: what does not finish within the limit is cut off', async (how) => {
    let told = false;
    const server = await world.start((_request, signal) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      return new Promise(() => {});
    });
    const answer = expect(world[how]()).rejects.toThrow();
    await pending(1);
    const stopped = server.stop(seconds(2));
    await world.clock.pass(seconds(1.999));
    expect(told).toBe(false);
    await world.clock.pass(millis(1));
    await stopped;
    await answer;
    expect(told).toBe(true);
    await seenBy().toContain('ended /ask 499');
  });
});
