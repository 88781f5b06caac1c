/** The least that a webhook in Node can do, as the rival in Go does it: what is more than this is ours. Prints its port. */
import { readFileSync } from 'node:fs';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { createSecureServer } from 'node:http2';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const [cert = '', key = ''] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
const reviewSchema = z.object({ request: z.object({ uid: z.string() }) });
const server = createSecureServer(
  { cert, key, allowHTTP1: true },
  (request, response) => void answer(request, response),
);

async function answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
  const { uid } = reviewSchema.parse(await json(request)).request;
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
  const body = JSON.stringify(review);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
