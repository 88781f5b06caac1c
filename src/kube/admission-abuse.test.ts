import { once } from 'node:events';
import { constants } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { millis, seconds } from './clock.ts';
import { AdmissionWorld, allow, closed, hear, post } from './testing/admission-world.ts';
import { testAuthority } from './testing/test-certificates.ts';

let world: AdmissionWorld;
beforeEach(async () => {
  world = await AdmissionWorld.create();
});
afterEach(() => world.end());

const pending = (count: number) => expect.poll(() => world.clock.pending).toBe(count);
const seenBy = () => expect.poll(() => world.seen);

/** By hand, because Node's own client ends a body properly before it resets the stream. */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const http2Preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0))]);

function headersFrame(path: string): Buffer {
  const fields = {
    ':method': 'POST',
    ':scheme': 'https',
    ':authority': 'localhost',
    ':path': path,
    'content-type': 'application/json',
  };
  const literals = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
  return frame(1, 4, 1, Buffer.concat(literals));
}

describe('callers that do not play by the rules', () => {
  const head = (length: number) =>
    `POST /ask HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

  test('a declared length over the limit is refused before the body comes', async () => {
    await world.start(allow);
    const socket = await world.tls();
    socket.write(head(8 * 1024 * 1024 + 1));
    const [data] = await once(socket, 'data');
    expect(String(data)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
    await closed(socket);
  });

  test('an endless body is cut off at the limit, not kept', async () => {
    await world.start(allow, { bodyLimit: 100_000 });
    const session = world.http2();
    const stream = session.request({ ':path': '/ask', ':method': 'POST', 'content-type': 'application/json' });
    stream.on('error', () => {});
    let sent = 0;
    const chunk = Buffer.alloc(16_384, 'x');
    const pump = () => {
      if (stream.destroyed || stream.closed) return;
      sent += chunk.length;
      stream.write(chunk, pump);
    };
    pump();
    expect((await hear(stream)).status).toBe(413);
    await expect.poll(() => stream.closed).toBe(true);
    expect(sent).toBeLessThan(1_000_000);
  });

  test('half a body, then gone: nobody is asked', async () => {
    await world.start(() => {
      throw new Error('must not be asked');
    });
    const socket = await world.tls();
    socket.write(`${head(1000)}{"half":`);
    await seenBy().toEqual(['started /ask']);
    socket.destroy();
    await seenBy().toEqual(['started /ask', 'ended /ask 499']);
    expect(world.failures).toEqual([]);
    expect(world.clock.pending).toBe(0);
  });

  test('half a body, then a reset stream: nobody is asked', async () => {
    await world.start(() => {
      throw new Error('must not be asked');
    });
    const socket = await world.tls('h2');
    socket.write(Buffer.concat([http2Preface, headersFrame('/ask'), frame(0, 0, 1, Buffer.from('{"half":'))]));
    await seenBy().toEqual(['started /ask']);
    socket.write(frame(3, 0, 1, Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL])));
    await seenBy().toEqual(['started /ask', 'ended /ask 499']);
    expect(world.failures).toEqual([]);
  });

  test('half a body, then a dead HTTP/2 connection: nobody is asked', async () => {
    await world.start(() => {
      throw new Error('must not be asked');
    });
    const session = world.http2();
    const stream = session.request({ ':path': '/ask', ':method': 'POST', 'content-type': 'application/json' });
    stream.on('error', () => {});
    stream.write('{"half":');
    await seenBy().toEqual(['started /ask']);
    session.destroy();
    await seenBy().toEqual(['started /ask', 'ended /ask 499']);
    expect(world.failures).toEqual([]);
  });

  test.each<['http/1.1' | 'h2']>([['http/1.1'], ['h2']])(
    'half a body, then silence (%s): 408 when time is up',
    async (protocol) => {
      await world.start(allow);
      let answer: Promise<unknown>;
      if (protocol === 'h2') {
        const stream = world
          .http2()
          .request({ ':path': '/ask', ':method': 'POST', 'content-type': 'application/json' });
        stream.on('error', () => {});
        stream.write('{"half":');
        answer = hear(stream).then(({ status }) => status);
      } else {
        const socket = await world.tls();
        socket.write(`${head(1000)}{"half":`);
        answer = once(socket, 'data').then(([data]) => Number(String(data).split(' ')[1]));
      }
      await pending(1);
      await world.clock.pass(seconds(5));
      expect(await answer).toBe(408);
      await seenBy().toContain('ended /ask 408');
    },
  );

  test('gone while the handler works: its signal says so, and nothing is answered', async () => {
    let told: unknown;
    await world.start((_, signal) => {
      signal.addEventListener('abort', () => {
        told = signal.reason;
      });
      return new Promise(() => {});
    });
    const stream = post(world.http2(), {});
    await pending(1);
    stream.close(constants.NGHTTP2_CANCEL);
    await seenBy().toEqual(['started /ask', 'ended /ask 499']);
    expect(String(told)).toBe('Error: the caller has gone');
    expect(world.clock.pending).toBe(0);
  });

  test('headers drop by drop: cut off', async () => {
    await world.start(allow, { headersTimeout: millis(200) });
    const socket = await world.tls();
    const drip = setInterval(() => socket.write('x'), 20);
    socket.write('POST /ask HTTP/1.1\r\nslow: ');
    socket.resume();
    await closed(socket);
    clearInterval(drip);
    expect(world.seen).toEqual([]);
  });

  test.each<['http/1.1' | 'h2']>([['http/1.1'], ['h2']])(
    'a connection that is not used (%s): closed',
    async (protocol) => {
      await world.start(allow, { headersTimeout: millis(200), idleTimeout: millis(200) });
      const socket = await world.tls(protocol);
      if (protocol === 'h2') socket.write(http2Preface);
      socket.resume();
      await closed(socket);
    },
  );

  test.each<[string, string]>([
    ['no HTTP at all', '\u0001\u0002\u0003 garbage\r\n\r\n'],
    ['two lengths', 'POST /ask HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['huge headers', `POST /ask HTTP/1.1\r\nbig: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('%s: a 4xx, and the connection is closed', async (_, text) => {
    await world.start(allow);
    const socket = await world.tls();
    let heard = '';
    socket.on('data', (data) => {
      heard += String(data);
    });
    socket.write(text);
    await closed(socket);
    expect(heard).toMatch(/^(HTTP\/1\.1 4|$)/);
    expect(world.seen).toEqual([]);
    expect((await world.askHttp1()).status).toBe(200);
  });

  test('a caller that does not trust us is heard of', async () => {
    await world.start(allow);
    const stranger = await testAuthority('someone else');
    const socket = connectTls({
      port: world.port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: stranger.certificate,
    });
    await expect(once(socket, 'secureConnect')).rejects.toThrow();
    await expect.poll(() => world.failures).toHaveLength(1);
  });

  test('old versions of TLS are refused', async () => {
    await world.start(allow);
    const options = {
      port: world.port,
      host: '127.0.0.1',
      ca: world.authority.certificate,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    } as const;
    await expect(once(connectTls({ ...options, ciphers: 'DEFAULT@SECLEVEL=0' }), 'secureConnect')).rejects.toThrow();
  });
});
