import type { Clock } from '../../kube/clock.ts';
import { seconds, sleep } from '../../kube/clock.ts';
import { ConnectionLost } from '../../kube/errors.ts';
import type { Random } from '../../kube/random.ts';
import { randomInteger } from '../../kube/random.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../kube/transport.ts';
import type { WireFault } from './happenings.ts';

/** The faults that hold at the moment, with their rates. */
export type WireState = ReadonlyMap<WireFault, number>;

export interface FaultyTransportOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly state: () => WireState;
  /** Called before a write reaches the API server, and after. Throws where the one who sent it is dead by then. */
  readonly onWrite: (request: TransportRequest, moment: 'before' | 'after') => void;
}

/** A way to the API server on which everything may go wrong that can go wrong between two machines. */
export function faultyTransport(direct: Transport, options: FaultyTransportOptions): Transport {
  const { clock, random, state, onWrite } = options;
  const strikes = (fault: WireFault): boolean => {
    const rate = state().get(fault);
    return rate !== undefined && random.next() < rate;
  };
  /** Collections of which an event was dropped: whoever watches them has to list again before he can be right. */
  const gaps = new Set<string>();
  return {
    close: () => direct.close(),
    async send(request, signal) {
      if (strikes('slow')) await sleep(clock, seconds(randomInteger(random, 1, 20)), signal);
      if (isWatch(request)) {
        const [collection = ''] = request.path.split('?', 1);
        if (isResumed(request) && (strikes('watch-expired') || gaps.delete(collection))) return refusal(410);
        return faultyWatch(await direct.send(request, signal), options, () => gaps.add(collection));
      }
      if (strikes('refused')) return refusal(random.next() < 0.5 ? 429 : 500);
      if (request.method === 'GET') {
        if (strikes('request-lost')) throw new ConnectionLost('the request was lost', { sent: true });
        return direct.send(request, signal);
      }
      if (strikes('conflict')) return refusal(409);
      if (strikes('request-lost')) throw new ConnectionLost('the request was lost', { sent: true });
      onWrite(request, 'before');
      const response = await direct.send(request, signal);
      onWrite(request, 'after');
      if (strikes('answer-lost')) throw new ConnectionLost('the answer was lost', { sent: true });
      return response;
    },
  };
}

const isWatch = ({ method, path }: TransportRequest): boolean => method === 'GET' && /[?&]watch=true/.test(path);

/** It goes on from a version, instead of beginning with a list. */
const isResumed = ({ path }: TransportRequest): boolean => !/[?&]sendInitialEvents=true/.test(path);

/**
 * Events come late, twice, or not at all, and the stream breaks. An event that is dropped is followed by a 410, at the latest when the watch is
 * taken up again: a real API server never leaves one out without saying that the client must list again.
 */
function faultyWatch(
  response: TransportResponse,
  options: FaultyTransportOptions,
  onDrop: () => void,
): TransportResponse {
  if (response.status !== 200) return response;
  return { ...response, body: mangled(response.body, options, onDrop) };
}

async function* mangled(
  body: AsyncIterable<Uint8Array>,
  { clock, random, state }: FaultyTransportOptions,
  onDrop: () => void,
): AsyncGenerator<Uint8Array> {
  let hasDropped = false;
  const endless = new AbortController().signal;
  for await (const chunk of body) {
    const rate = (fault: WireFault): number => state().get(fault) ?? 0;
    const lag = rate('watch-lag');
    if (lag > 0) await sleep(clock, seconds(Math.ceil(lag * 30)), endless);
    if (random.next() < rate('watch-drops')) {
      hasDropped = true;
      onDrop();
      continue;
    }
    if (hasDropped && rate('watch-drops') === 0) {
      yield Buffer.from(`${JSON.stringify({ type: 'ERROR', object: statusOf(410) })}\n`);
      return;
    }
    if (random.next() < rate('watch-cut')) {
      yield chunk.subarray(0, Math.floor(chunk.length / 2));
      throw new ConnectionLost('the watch was cut', { sent: true });
    }
    yield chunk;
    if (random.next() < rate('watch-repeats')) yield chunk;
  }
}

const reasons: Readonly<Record<number, string>> = {
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
};

const statusOf = (code: number): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason: reasons[code],
  message: 'drawn by the simulation',
});

function refusal(status: number): TransportResponse {
  const text = JSON.stringify(statusOf(status));
  return {
    status,
    headers: { 'content-type': 'application/json' },
    warnings: [],
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  };
}
