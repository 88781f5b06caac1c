/** The least that a webhook in Node can do, as the rival in Go does it: what is more than this is ours. Prints its port. */
import { readFileSync } from 'node:fs';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { createSecureServer } from 'node:http2';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const [cert = '', key = ''] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
const status = { status: 'Failure', code: 429, reason: 'TooManyRequests', message: 'it stays' };
const reviewSchema = z.object({ request: z.object({ uid: z.string() }) });
const server = createSecureServer(
  // Longer than the API server keeps a connection: who closes one first breaks a request that is on its way.
  { cert, key, allowHTTP1: true, http1Options: { keepAliveTimeout: 120_000 } },
  (request, response) => void answer(request, response),
);

async function answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
  const { uid } = reviewSchema.parse(await json(request)).request;
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: false, status },
  };
  const body = JSON.stringify(review);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
