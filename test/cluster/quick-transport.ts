import { fromTimestamp } from '../../src/kube/clock.ts';
import type { Transport, TransportResponse } from '../../src/kube/transport.ts';
import type { QuickClock } from './quick-clock.ts';

/** As the API server writes times, by the machine's clock: without fractions. Drover's own have some, and are of the quick clock already. */
const stamp = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g;
/** The end of a chunk that may be the beginning of one. */
const begun = /"[\d\-T:]{0,19}Z?$/;

const unhurried = new AbortController().signal;

/** What the API server says, with its times by the quick clock: pods and deletions are as old as they would be if everything were that quick. */
export function quickTransport(direct: Transport, clock: QuickClock): Transport {
  const translate = (text: string) =>
    text.replace(stamp, (quoted) => {
      const moment = fromTimestamp(quoted.slice(1, -1));
      return moment === undefined ? quoted : `"${new Date(clock.of(moment)).toISOString().replace(/\.\d+/, '')}"`;
    });
  return {
    close: () => direct.close(),
    async send(request, signal) {
      // On a busy machine a tenth of an event's usual time is too little, and an event that was given up five times is dropped.
      const response = await direct.send(request, request.path.includes('/events') ? unhurried : signal);
      // A lease is written back as it was read, or made.
      return /\/leases\b/.test(request.path) ? response : { ...response, body: translated(response.body, translate) };
    },
  };
}

async function* translated(
  body: TransportResponse['body'],
  translate: (text: string) => string,
): AsyncGenerator<Uint8Array> {
  let rest = '';
  for await (const chunk of body) {
    const text = rest + Buffer.from(chunk).toString('latin1');
    rest = begun.exec(text)?.[0] ?? '';
    yield Buffer.from(translate(text.slice(0, text.length - rest.length)), 'latin1');
  }
  if (rest !== '') yield Buffer.from(rest, 'latin1');
}
