import { EngineUnreachable } from '../../engines/engine.ts';
import type { Exchange } from '../../engines/http/exchange.ts';
import type { Clock, Millis } from '../../kube/clock.ts';
import { deadline } from '../../kube/clock.ts';
import type { Transport } from '../../kube/transport.ts';

export interface ExchangeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** For a request with its whole answer. */
  readonly limit: Millis;
  /** More bytes than this are not read. @default 32 MiB: some 100,000 units */
  readonly largest?: number;
}

const mebibyte = 1024 * 1024;

/** Questions over a transport, each with a time limit and a limit to what is read. */
export function exchangeOver({ transport, clock, limit, largest = 32 * mebibyte }: ExchangeOptions): Exchange {
  return async (request, signal) => {
    const { method, path } = request;
    const tooLate = () =>
      new EngineUnreachable(
        `${method} ${path} was not answered within ${limit / 1000} s: the server is slow, or hangs`,
      );
    const due = deadline(clock, limit, signal, tooLate);
    try {
      // A connection that is kept may be closed by the server at the moment of the next request, and nobody would know whether a verb was heard.
      const headers = { ...request.headers, connection: 'close' };
      const response = await transport.send({ ...request, headers }, due.signal);
      const body = await textIn(response.body, largest, `${method} ${path}`);
      return { status: response.status, headers: response.headers, body };
    } finally {
      due.dispose();
    }
  };
}

async function textIn(body: AsyncIterable<Uint8Array>, largest: number, what: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > largest)
      throw new EngineUnreachable(
        `the answer to ${what} is longer than ${largest / mebibyte} MiB: nothing of it is used`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
