import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { listen } from '../../kube/listen.ts';
import { httpsWebhookCaller } from './https-webhook-caller.ts';
import type { WebhookCall } from './webhook-call.ts';

const { signal } = new AbortController();
const call = (more: Partial<WebhookCall>): WebhookCall => ({
  name: 'evict.drover.dev',
  url: undefined,
  service: undefined,
  caBundle: '',
  timeoutSeconds: 3,
  review: { request: { uid: 'u' } },
  ...more,
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function server(status: number, body: string): Promise<string> {
  const http = createServer((_, response) => response.writeHead(status).end(body));
  closing.push(() => http.close());
  const { port } = await listen(http, { name: 'a webhook', host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${port}/evict`;
}

describe('a webhook behind a URL', () => {
  test('is sent the review and answers with one', async () => {
    const url = await server(200, '{"response":{"uid":"u","allowed":true}}');
    expect(await httpsWebhookCaller()(call({ url }), signal)).toEqual({ response: { uid: 'u', allowed: true } });
  });

  test.each([
    [500, '{}', 'the server answered 500'],
    [200, 'hello', 'no AdmissionReview'],
  ])('%i %s is a failure', async (status, body, message) => {
    const url = await server(status, body);
    await expect(httpsWebhookCaller()(call({ url }), signal)).rejects.toThrow(message);
  });

  test('that nobody serves is a failure that names it', async () => {
    await expect(httpsWebhookCaller()(call({ url: 'http://127.0.0.1:1/x' }), signal)).rejects.toThrow(
      'Post "http://127.0.0.1:1/x?timeout=3s"',
    );
  });
});

describe('a webhook behind a service', () => {
  const service = { namespace: 'drover', name: 'webhook', path: '/evict', port: 443 };

  test('that nobody knows is a failure', async () => {
    await expect(async () => httpsWebhookCaller()(call({ service }), signal)).rejects.toThrow(
      'service "webhook" not found',
    );
  });

  test('is found where the world says', async () => {
    const asked: string[] = [];
    const caller = httpsWebhookCaller({
      resolveService: ({ name }) => {
        asked.push(name);
        return { host: '127.0.0.1', port: 1 };
      },
    });
    await expect(caller(call({ service }), signal)).rejects.toThrow('https://127.0.0.1:1/evict?timeout=3s');
    expect(asked).toEqual(['webhook']);
  });
});
