import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KubeClient } from './client.ts';
import type { Patch } from './client-options.ts';
import { millis, seconds } from './clock.ts';
import { jsonCodec } from './codec.ts';
import {
  ConnectionLost,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isOutcomeUnknown,
  isTooManyRequests,
  isUnauthorized,
  KubeApiError,
  MalformedAnswer,
  RequestTimeout,
} from './errors.ts';
import type { KubeObject } from './object.ts';
import { seededRandom } from './random.ts';
import { VirtualClock } from './testing/virtual-clock.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const sets = { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true };
const pod: KubeObject = { metadata: { namespace: 'db', name: 'db-0', resourceVersion: '7' } };

type Answer =
  | { status: number; body?: unknown; headers?: Record<string, string>; warnings?: string[] }
  | Error
  | 'hang';

let clock: VirtualClock;
let sent: TransportRequest[];
let answers: Answer[];
let never: AbortController;

beforeEach(() => {
  clock = new VirtualClock();
  sent = [];
  answers = [];
  never = new AbortController();
});
afterEach(() => never.abort());

function client(options: { deadline?: number; burst?: number } = {}): KubeClient {
  const send = async (request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> => {
    sent.push(request);
    const answer = answers.shift() ?? { status: 200, body: pod };
    if (answer === 'hang') {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    }
    if (answer instanceof Error) throw answer;
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    async function* body() {
      yield Buffer.from(text);
    }
    return { status: answer.status, headers: answer.headers ?? {}, warnings: answer.warnings ?? [], body: body() };
  };
  return new KubeClient({
    transport: { send, close: () => {} },
    clock,
    random: seededRandom(1),
    deadline: seconds(options.deadline ?? 30),
    rateLimit: { perSecond: 10, burst: options.burst ?? 100 },
  });
}

/** The call's end, with as much virtual time as it likes. */
async function outcome(call: Promise<unknown>, time = 120): Promise<unknown> {
  let result: unknown = 'still waiting';
  call.then(
    (value) => (result = value ?? 'done'),
    (error: unknown) => (result = error),
  );
  await clock.pass(seconds(time));
  return result;
}

const signal = () => never.signal;
const read = () => client().get(pods, pod.metadata, { signal: signal() });
const write = () => client().update(pods, pod, { signal: signal() });
const status = (code: number, reason: string, extra: object = {}) => ({
  status: code,
  body: { kind: 'Status', code, reason, message: `because ${reason}`, ...extra },
});

describe('every call is the request that the API documents', () => {
  const call = (run: (client: KubeClient) => Promise<unknown>) => run(client());
  const options = {
    get signal() {
      return signal();
    },
  };
  const patches: Record<string, Patch> = {
    merge: { type: 'merge', body: { a: 1 } },
    json: { type: 'json', operations: [{ op: 'test', path: '/a', value: 1 }] },
    strategic: { type: 'strategic', body: { a: 1 } },
    apply: { type: 'apply', body: { a: 1 }, force: true },
  };
  const key = { namespace: 'db', name: 'db-0' };
  test.each<[string, (client: KubeClient) => Promise<unknown>, string, string?]>([
    ['get', (c) => c.get(pods, key, options), 'GET /api/v1/namespaces/db/pods/db-0'],
    ['get of a group', (c) => c.get(sets, key, options), 'GET /apis/apps/v1/namespaces/db/statefulsets/db-0'],
    [
      'create',
      (c) => c.create(pods, pod, { ...options, dryRun: true, fieldManager: 'me' }),
      'POST /api/v1/namespaces/db/pods?dryRun=All&fieldManager=me',
      'application/json',
    ],
    [
      'update of a subresource',
      (c) => c.update(pods, pod, { ...options, subresource: 'status', fieldValidation: 'Strict' }),
      'PUT /api/v1/namespaces/db/pods/db-0/status?fieldValidation=Strict',
      'application/json',
    ],
    [
      'scale',
      (c) => c.patch(sets, key, { type: 'merge', body: {} }, { ...options, subresource: 'scale' }),
      'PATCH /apis/apps/v1/namespaces/db/statefulsets/db-0/scale',
      'application/merge-patch+json',
    ],
    [
      'merge patch',
      (c) => c.patch(pods, key, patches['merge'] ?? fail(), options),
      'PATCH /api/v1/namespaces/db/pods/db-0',
      'application/merge-patch+json',
    ],
    [
      'JSON patch',
      (c) => c.patch(pods, key, patches['json'] ?? fail(), options),
      'PATCH /api/v1/namespaces/db/pods/db-0',
      'application/json-patch+json',
    ],
    [
      'strategic patch',
      (c) => c.patch(pods, key, patches['strategic'] ?? fail(), options),
      'PATCH /api/v1/namespaces/db/pods/db-0',
      'application/strategic-merge-patch+json',
    ],
    [
      'server-side apply',
      (c) => c.patch(pods, key, patches['apply'] ?? fail(), { ...options, fieldManager: 'me' }),
      'PATCH /api/v1/namespaces/db/pods/db-0?fieldManager=me&force=true',
      'application/apply-patch+yaml',
    ],
    [
      'delete',
      (c) => c.delete(pods, key, { ...options, preconditions: { uid: 'u' } }),
      'DELETE /api/v1/namespaces/db/pods/db-0',
      'application/json',
    ],
    [
      'evict',
      (c) => c.evict(key, { ...options, preconditions: { uid: 'u' } }),
      'POST /api/v1/namespaces/db/pods/db-0/eviction',
      'application/json',
    ],
  ])('%s', async (_, run, line, contentType) => {
    await outcome(call(run));
    expect(`${sent[0]?.method} ${sent[0]?.path}`).toBe(line);
    expect(sent[0]?.headers['content-type']).toBe(contentType);
  });

  test('an eviction pins the pod by uid and asks for dry run in the body, where the API server looks for it', async () => {
    await outcome(
      client().evict(key, { ...options, dryRun: true, gracePeriodSeconds: 5, preconditions: { uid: 'u-1' } }),
    );
    expect(JSON.parse(sent[0]?.body ?? '')).toMatchObject({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: key,
      deleteOptions: { dryRun: ['All'], gracePeriodSeconds: 5, preconditions: { uid: 'u-1' } },
    });
  });

  test('a list follows its pages to the end', async () => {
    const page = (names: string[], next: string) => ({
      status: 200,
      body: {
        metadata: { resourceVersion: '9', continue: next },
        items: names.map((name) => ({ metadata: { name } })),
      },
    });
    answers = [page(['a', 'b'], 'more'), page(['c'], '')];
    const codec = jsonCodec<KubeObject, string>(({ metadata }) => metadata.name);
    const list = await outcome(
      client().list(pods, codec, { ...options, namespace: 'db', labelSelector: 'app=x', limit: 2 }),
    );
    expect(list).toEqual({ items: ['a', 'b', 'c'], resourceVersion: '9' });
    expect(sent.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/db/pods?labelSelector=app%3Dx&limit=2',
      '/api/v1/namespaces/db/pods?labelSelector=app%3Dx&limit=2&continue=more',
    ]);
  });

  test('warnings reach whoever listens', async () => {
    answers = [{ status: 200, body: pod, warnings: ['v1beta1 is deprecated'] }];
    const heard: string[] = [];
    await outcome(client().get(pods, key, { ...options, onWarning: (warning) => heard.push(warning) }));
    expect(heard).toEqual(['v1beta1 is deprecated']);
  });
});

function fail(): never {
  throw new Error('no such patch');
}

describe('a failed call is sent again only where that is safe', () => {
  const refused = new ConnectionLost('refused', { sent: false });
  const broken = new ConnectionLost('broken', { sent: true });
  test.each<[string, Answer, number, number]>([
    ['429', status(429, 'TooManyRequests'), 2, 2],
    ['500', status(500, 'InternalError'), 2, 1],
    ['502 that is a proxy page', { status: 502, body: '<html>bad gateway</html>' }, 2, 1],
    ['503', status(503, 'ServiceUnavailable'), 2, 1],
    ['504', status(504, 'Timeout'), 2, 1],
    ['connection refused', refused, 2, 2],
    ['connection broken after sending', broken, 2, 1],
    ['half an answer', { status: 200, body: '{"metadata":' }, 1, 1],
    ['404', status(404, 'NotFound'), 1, 1],
    ['403', status(403, 'Forbidden'), 1, 1],
    ['409', status(409, 'Conflict'), 1, 1],
    ['422', status(422, 'Invalid'), 1, 1],
  ])('%s', async (_, answer, reads, writes) => {
    answers = [answer];
    await outcome(read());
    expect(sent).toHaveLength(reads);
    sent = [];
    answers = [answer];
    await outcome(write());
    expect(sent).toHaveLength(writes);
  });

  test('an eviction that is refused with 429 is an answer, not a hiccup', async () => {
    answers = [status(429, 'TooManyRequests')];
    const error = await outcome(client().evict({ namespace: 'db', name: 'db-0' }, { signal: signal() }));
    expect(isTooManyRequests(error)).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test('after four more tries the last error stands', async () => {
    answers = Array.from({ length: 9 }, () => status(500, 'InternalError'));
    expect(await outcome(read())).toBeInstanceOf(KubeApiError);
    expect(sent).toHaveLength(5);
  });

  test('the wait that the server asks for is kept', async () => {
    answers = [{ ...status(429, 'TooManyRequests'), headers: { 'retry-after': '7' } }];
    const call = outcome(read(), 6.9);
    await call;
    expect(sent).toHaveLength(1);
    await clock.pass(seconds(0.1));
    expect(sent).toHaveLength(2);
  });
});

describe('every call ends', () => {
  test('a server that says nothing is left at the deadline', async () => {
    answers = ['hang'];
    const error = await outcome(client({ deadline: 10 }).get(pods, pod.metadata, { signal: signal() }), 10);
    expect(error).toBeInstanceOf(RequestTimeout);
    expect(String(error)).toContain('GET /api/v1/namespaces/db/pods/db-0: no answer within 10 s');
    expect(clock.pending).toBe(0);
  });

  test('the deadline covers all tries together, and names the last trouble as its cause', async () => {
    answers = [...Array.from({ length: 3 }, () => status(500, 'InternalError')), 'hang'];
    const error = await outcome(client({ deadline: 10 }).get(pods, pod.metadata, { signal: signal() }), 10);
    expect(error).toBeInstanceOf(RequestTimeout);
    expect(error).toHaveProperty('cause.status', 500);
  });

  test('an aborted call ends at once, with the reason of its signal', async () => {
    answers = ['hang'];
    const stop = new AbortController();
    const call = client().get(pods, pod.metadata, { signal: stop.signal });
    stop.abort(new Error('shutting down'));
    await expect(call).rejects.toThrow('shutting down');
  });

  test('calls beyond the rate limit wait their turn', async () => {
    const limited = client({ burst: 2 });
    for (let i = 0; i < 6; i++) void limited.get(pods, pod.metadata, { signal: signal() });
    await clock.pass(millis(0));
    expect(sent).toHaveLength(2);
    await clock.pass(millis(200));
    expect(sent).toHaveLength(4);
    await clock.pass(millis(200));
    expect(sent).toHaveLength(6);
  });
});

test('finds what is there, and nothing where nothing is; any other answer is an error', async () => {
  const find = () => client().find(pods, pod.metadata, { signal: signal() });
  answers = [{ status: 200, body: pod }, status(404, 'NotFound'), status(403, 'Forbidden')];
  expect(await outcome(find())).toEqual(pod);
  expect(await outcome(find())).toBe('done');
  expect(isForbidden(await outcome(find()))).toBe(true);
});

describe('errors', () => {
  test.each<[number, string, (error: unknown) => boolean]>([
    [401, 'Unauthorized', isUnauthorized],
    [403, 'Forbidden', isForbidden],
    [404, 'NotFound', isNotFound],
    [409, 'Conflict', isConflict],
    [409, 'AlreadyExists', isAlreadyExists],
    [410, 'Gone', isGone],
    [410, 'Expired', isGone],
    [422, 'Invalid', isInvalid],
    [429, 'TooManyRequests', isTooManyRequests],
  ])('%i %s', async (code, reason, is) => {
    answers = [status(code, reason)];
    const error = await outcome(client().evict({ namespace: 'db', name: 'db-0' }, { signal: signal() }));
    const all = [
      isUnauthorized,
      isForbidden,
      isNotFound,
      isConflict,
      isAlreadyExists,
      isGone,
      isInvalid,
      isTooManyRequests,
    ];
    expect(all.filter((predicate) => predicate(error))).toEqual([is]);
    expect(error).toHaveProperty('reason', reason);
  });

  test('carry neither query nor token nor whole bodies', async () => {
    answers = [
      status(403, 'Forbidden', { message: 'x'.repeat(50_000) }),
      status(403, 'Forbidden', { message: 'x'.repeat(50_000) }),
    ];
    const codec = jsonCodec<KubeObject, KubeObject>((object) => object);
    const error = await outcome(client().list(pods, codec, { signal: signal(), labelSelector: 'secret=hunter2' }));
    expect(String(error)).not.toContain('hunter2');
    expect(String(error).length).toBeLessThan(1200);
  });

  test.each<[string, unknown, boolean]>([
    ['a broken connection', new ConnectionLost('x', { sent: true }), true],
    ['a refused connection', new ConnectionLost('x', { sent: false }), false],
    ['no answer in time', new RequestTimeout({ method: 'PUT', path: '/' }, seconds(1)), true],
    ['an unreadable answer', new MalformedAnswer('x'), true],
    ['an internal error', new KubeApiError({ method: 'PUT', path: '/' }, 500, {}), true],
    ['a gateway timeout', new KubeApiError({ method: 'PUT', path: '/' }, 504, {}), true],
    ['unavailable', new KubeApiError({ method: 'PUT', path: '/' }, 503, {}), true],
    ['a conflict', new KubeApiError({ method: 'PUT', path: '/' }, 409, {}), false],
  ])('after %s the outcome of a write is unknown: %s', (_, error, unknown) => {
    expect(isOutcomeUnknown(error)).toBe(unknown);
  });
});
