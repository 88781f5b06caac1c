import type { Millis } from './clock.ts';
import { seconds } from './clock.ts';
import type { ApiStatus, RequestName } from './errors.ts';
import { KubeApiError, MalformedAnswer } from './errors.ts';
import type { TransportResponse } from './transport.ts';

/** The whole body. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** Trusts the API server for the shape of its own kinds, but not for being JSON. */
export function parseJson<Shape>(bytes: Uint8Array, request: RequestName): Shape {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch (cause) {
    throw new MalformedAnswer(`${request.method} ${request.path}: the answer is not JSON`, cause);
  }
}

/** The error that an answer outside 2xx means. Bodies that are no Status (a proxy's page) are not repeated. */
export async function apiError(request: RequestName, response: TransportResponse): Promise<KubeApiError> {
  const status = parseStatus(await readBody(response.body));
  return new KubeApiError(request, response.status, status, retryAfter(response, status));
}

function parseStatus(body: Uint8Array): ApiStatus {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return isStatus(value) ? value : {};
  } catch {
    return {};
  }
}

function isStatus(value: unknown): value is ApiStatus {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
}

function retryAfter(response: TransportResponse, status: ApiStatus): Millis | undefined {
  const header = Number(response.headers['retry-after']);
  if (Number.isFinite(header) && header > 0) return seconds(header);
  const detail = status.details?.retryAfterSeconds;
  return detail !== undefined && detail > 0 ? seconds(detail) : undefined;
}
