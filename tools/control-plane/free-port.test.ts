import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { isFree, pickFreePort } from './free-port.ts';

test('a picked port can be listened on, and is not free while somebody does', async () => {
  const port = await pickFreePort();
  expect(port).toBeGreaterThanOrEqual(20_000);
  expect(port).toBeLessThan(30_000);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(await isFree(port)).toBe(false);
  server.close();
  await once(server, 'close');
  expect(await isFree(port)).toBe(true);
});
