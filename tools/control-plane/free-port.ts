import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range from which systems take ports for outgoing connections: a port there could be taken by any client while its server
// restarts.
const lowest = 20_000;
const highest = 29_999;

/** A port on 127.0.0.1 that nobody listens on now. Somebody may take it before you do: be ready to ask again. */
export async function pickFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(lowest, highest + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${lowest} and ${highest} in 100 tries; stop what listens there`);
}

/** Whether a server could listen on the port now. */
export function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}
