import { describe, expect, test } from 'vitest';
import { ConnectionLost } from '../../kube/errors.ts';
import type { Transport, TransportRequest } from '../../kube/transport.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { anyPod } from './any-pod.ts';

/** What each pod does: answers with a status, breaks the connection, or hangs until it is given up. */
type Behaviour = number | 'broken' | 'hangs';

function given(behaviour: Record<string, Behaviour>, notReady: readonly string[] = []) {
  const asked: string[] = [];
  const pods = Object.keys(behaviour).map((address) => ({
    name: address,
    group: name<ProcessGroupId>(address),
    addresses: [address],
    ready: !notReady.includes(address),
  }));
  const to = (address: string): Transport => ({
    async send(_, signal) {
      asked.push(address);
      const does = behaviour[address] ?? 'broken';
      if (does === 'hangs') return new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
      if (does === 'broken') throw new ConnectionLost(`${address} is gone`, { sent: true });
      return { status: does, headers: {}, warnings: [], body: nothing() };
    },
    close() {},
  });
  const transport = anyPod(() => pods, to);
  const send = async (method: TransportRequest['method'] = 'GET', signal = new AbortController().signal) => {
    asked.length = 0;
    const ended = await transport.send({ method, path: '/', headers: {} }, signal).then(
      ({ status }) => String(status),
      () => 'no answer',
    );
    return `${asked.join(' ')}: ${ended}`;
  };
  return { send, behaviour };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

describe('whichever pod answers', () => {
  test('a question goes from one to the next, and the next one to whoever answered', async () => {
    const { send } = given({ a: 'broken', b: 200, c: 200 });
    expect(await send()).toBe('a b: 200');
    expect(await send()).toBe('b: 200');
  });

  test('a command goes to one only, and the next one elsewhere', async () => {
    const { send } = given({ a: 'broken', b: 202 });
    expect(await send('POST')).toBe('a: no answer');
    expect(await send('POST')).toBe('b: 202');
  });

  test('one that is not ready is asked last', async () => {
    const { send } = given({ a: 200, b: 'broken' }, ['a']);
    expect(await send()).toBe('b a: 200');
  });

  test('one that answers with trouble of its own is not asked first again', async () => {
    const { send } = given({ a: 500, b: 200 });
    expect(await send()).toBe('a: 500');
    expect(await send()).toBe('b: 200');
  });

  test('one that hangs takes all the time once, and not again', async () => {
    const { send } = given({ a: 'hangs', b: 200 });
    const end = new AbortController();
    const waiting = send('GET', end.signal);
    end.abort();
    expect(await waiting).toBe('a: no answer');
    expect(await send()).toBe('b: 200');
  });

  test('where nobody answers all are tried in the same order each time', async () => {
    const { send } = given({ a: 'broken', b: 'broken', c: 'broken' });
    expect(await send()).toBe('a b c: no answer');
    expect(await send()).toBe('a b c: no answer');
  });
});
