import { expect, test } from 'vitest';
import { seconds } from '../../kube/clock.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';
import type { Transport } from '../../kube/transport.ts';
import { oneMoment } from './one-moment.ts';

const request = { method: 'GET', path: '/api/v1/pods', headers: {} } as const;
const { signal } = new AbortController();

function watched(clock: VirtualClock): { readonly transport: Transport; readonly circles: number[] } {
  const circles: number[] = [];
  const direct: Transport = {
    close: () => {},
    send: async () => ({ status: 200, headers: {}, warnings: [], body: (async function* () {})() }),
  };
  return { transport: oneMoment(direct, clock, (requests) => circles.push(requests)), circles };
}

test('one that never stops asking is noticed, and time goes on all the same', async () => {
  const clock = new VirtualClock();
  const { transport, circles } = watched(clock);
  const spin = new AbortController();
  const spinning = (async () => {
    while (!spin.signal.aborted) await transport.send(request, signal);
  })();
  await clock.pass(seconds(3));
  expect(circles.length).toBeGreaterThan(0);
  expect(circles[0]).toBe(2001);
  spin.abort();
  await clock.pass(seconds(1));
  await spinning;
});

test('as many requests over some time are nothing', async () => {
  const clock = new VirtualClock();
  const { transport, circles } = watched(clock);
  for (let sent = 0; sent < 5000; sent += 1) {
    if (sent % 1000 === 0) await clock.pass(seconds(1));
    await transport.send(request, signal);
  }
  expect(circles).toEqual([]);
});
