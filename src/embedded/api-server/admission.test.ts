import { describe, expect, test } from 'vitest';
import { seconds } from '../../kube/clock.ts';
import { at, isObject, type JsonObject, objectAt, textAt } from './json.ts';
import { configMap, runningPod, SmallWorld } from './testing/small-world.ts';
import type { WebhookCall } from './webhook-call.ts';

const pods = '/api/v1/namespaces/default/pods';
const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const evictions = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods/eviction'], operations: ['CREATE'] };

const webhook = (more: JsonObject = {}): JsonObject => ({
  metadata: { name: 'drover' },
  webhooks: [
    {
      name: 'evict.drover.dev',
      clientConfig: { url: 'https://127.0.0.1:1/evict' },
      rules: [evictions],
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 3,
      ...more,
    },
  ],
});

const answer = (call: WebhookCall, response: JsonObject): JsonObject => ({
  response: { uid: textAt(call.review, 'request', 'uid'), ...response },
});

const deny = (status: JsonObject) => (call: WebhookCall) => Promise.resolve(answer(call, { allowed: false, status }));
const never = () => new Promise<JsonObject>(() => {});
const down = () => Promise.reject(new Error('connect: connection refused'));

async function evict(callWebhook: (call: WebhookCall) => Promise<JsonObject>, more: JsonObject = {}) {
  const world = new SmallWorld({ callWebhook });
  await world.make(pods, runningPod('p'));
  await world.make(configurations, webhook(more));
  return { world, reply: await world.send('POST', `${pods}/p/eviction`, { metadata: { name: 'p' } }) };
}

describe('the answer to an eviction is that of the webhook', () => {
  test.each([
    [
      '429 with words',
      { code: 429, reason: 'TooManyRequests', message: 'held' },
      429,
      'admission webhook "evict.drover.dev" denied the request: held',
    ],
    [
      'a reason without a code',
      { reason: 'TooManyRequests' },
      400,
      'admission webhook "evict.drover.dev" denied the request: TooManyRequests',
    ],
    [
      'a code below 400',
      { code: 200 },
      400,
      'admission webhook "evict.drover.dev" denied the request without explanation',
    ],
    ['404', { code: 404, message: 'gone' }, 404, 'admission webhook "evict.drover.dev" denied the request: gone'],
  ])('%s', async (_, status, code, message) => {
    const { reply } = await evict(deny(status));
    expect(reply.status).toBe(code);
    expect(reply.body['message']).toBe(message);
  });

  test('warnings reach the client, unless they have a control character', async () => {
    const { reply } = await evict((call) =>
      Promise.resolve(answer(call, { allowed: true, warnings: ['10%', 'two\nlines'] })),
    );
    expect(reply.status).toBe(201);
    expect(reply.warnings).toEqual(['10%']);
  });
});

describe('a webhook that cannot be asked', () => {
  test.each([
    ['Ignore', 201, undefined],
    [
      'Fail',
      500,
      'Internal error occurred: failed calling webhook "evict.drover.dev": failed to call webhook: connect: connection refused',
    ],
  ])('%s: %i', async (failurePolicy, status, message) => {
    const { reply } = await evict(down, { failurePolicy });
    expect(reply.status).toBe(status);
    expect(reply.body['message']).toBe(message);
  });

  test('is given up when its time is over', async () => {
    const world = new SmallWorld({ callWebhook: never });
    await world.make(configurations, webhook({ failurePolicy: 'Fail' }));
    await world.make(pods, runningPod('p'));
    const pending = world.send('POST', `${pods}/p/eviction`, { metadata: { name: 'p' } });
    await world.clock.pass(seconds(3));
    expect((await pending).body['message']).toContain('context deadline exceeded');
  });
});

describe('who is asked', () => {
  const refuse = deny({ code: 403, message: 'no' });

  test.each([
    [
      'a namespace that is selected',
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
      403,
    ],
    ['a namespace that is not', { namespaceSelector: { matchLabels: { x: 'y' } } }, 201],
    [
      'an object selector, which sees the Eviction and never the pod',
      { objectSelector: { matchLabels: { app: 'db' } } },
      201,
    ],
    [
      'another user',
      { matchConditions: [{ name: 'not-us', expression: "request.userInfo.username != 'drover'" }] },
      403,
    ],
    [
      'this user',
      { matchConditions: [{ name: 'not-us', expression: "!(request.userInfo.username in ['jane'])" }] },
      201,
    ],
    ['a name that fits', { matchConditions: [{ name: 'name', expression: "request.name.matches('^p$')" }] }, 403],
    ['another operation', { rules: [{ ...evictions, operations: ['DELETE'] }] }, 201],
    ['every part of pods', { rules: [{ ...evictions, resources: ['pods/*'] }] }, 403],
    ['pods alone', { rules: [{ ...evictions, resources: ['pods'] }] }, 201],
  ])('%s', async (_, more, status) => {
    expect((await evict(refuse, more)).reply.status).toBe(status);
  });

  test('the request says who asks for what, and kubectl dry runs only in the body', async () => {
    let seen: JsonObject = {};
    const { world } = await evict((call) => {
      seen = objectAt(call.review, 'request');
      return Promise.resolve(answer(call, { allowed: true }));
    });
    await world.make(pods, runningPod('q'));
    await world.send('POST', `${pods}/q/eviction`, { metadata: { name: 'q' }, deleteOptions: { dryRun: ['All'] } });
    expect(seen).toMatchObject({
      operation: 'CREATE',
      name: 'q',
      namespace: 'default',
      subResource: 'eviction',
      dryRun: false,
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      userInfo: { username: 'jane' },
      oldObject: null,
    });
    expect(at(seen, 'object', 'deleteOptions', 'dryRun')).toEqual(['All']);
  });

  test('a webhook may open the lock inside the call, and the same request passes', async () => {
    const world: SmallWorld = new SmallWorld({
      callWebhook: async (call) => {
        await world.merge(`${pods}/p`, { metadata: { labels: { 'drover.dev/guard': 'open' } } });
        return answer(call, { allowed: true });
      },
    });
    await world.make(configurations, webhook());
    await world.make(pods, runningPod('p'));
    await world.merge(`${pods}/p/status`, { status: { phase: 'Running' } });
    await world.make('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
      metadata: { name: 'lock' },
      spec: {
        minAvailable: 2147483647,
        selector: {
          matchLabels: { app: 'db' },
          matchExpressions: [{ key: 'drover.dev/guard', operator: 'NotIn', values: ['open'] }],
        },
      },
    });
    const reply = await world.send('POST', `${pods}/p/eviction`, { metadata: { name: 'p' } });
    expect(reply.status).toBe(201);
  });

  test('an update is made anew when the object moved while the webhook thought', async () => {
    let calls = 0;
    const world: SmallWorld = new SmallWorld({
      callWebhook: async (call) => {
        calls += 1;
        const old = call.review['request'];
        if (calls === 1 && isObject(old)) await world.merge(`${pods}/p/status`, { status: { phase: 'Running' } });
        return answer(call, { allowed: true });
      },
    });
    await world.make(pods, runningPod('p'));
    await world.make(
      configurations,
      webhook({ rules: [{ ...evictions, resources: ['pods'], operations: ['UPDATE'] }] }),
    );
    const reply = await world.merge(`${pods}/p`, { metadata: { labels: { x: 'y' } } });
    expect(textAt(reply.body, 'status', 'phase')).toBe('Running');
    expect(textAt(reply.body, 'metadata', 'labels', 'x')).toBe('y');
    expect(calls).toBe(2);
  });
});

describe('quotas', () => {
  const quota = (hard: JsonObject): JsonObject => ({ metadata: { name: 'q' }, spec: { hard } });
  const sized = (name: string, cpu: string): JsonObject => ({
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] },
  });

  test('refuse what is too much, in the words of the real server', async () => {
    const world = new SmallWorld();
    await world.make('/api/v1/namespaces/default/resourcequotas', quota({ pods: '2', 'requests.cpu': '1' }));
    await world.make(pods, sized('a', '600m'));
    const reply = await world.send('POST', pods, sized('b', '500m'));
    expect(reply.status).toBe(403);
    expect(reply.body['message']).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
    const silent = await world.send('POST', pods, runningPod('c'));
    expect(silent.body['message']).toBe('pods "c" is forbidden: failed quota: q: must specify requests.cpu for: c');
  });

  test('count what is used', async () => {
    const world = new SmallWorld();
    await world.make('/api/v1/namespaces/default/resourcequotas', quota({ pods: '2', 'count/configmaps': '5' }));
    await world.make(pods, runningPod('a'));
    await world.make('/api/v1/namespaces/default/configmaps', configMap('x'));
    await world.clock.pass(seconds(1));
    const { body } = await world.send('GET', '/api/v1/namespaces/default/resourcequotas/q');
    expect(body['status']).toEqual({
      hard: { pods: '2', 'count/configmaps': '5' },
      used: { pods: '1', 'count/configmaps': '1' },
    });
  });
});
