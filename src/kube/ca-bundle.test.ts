import { describe, expect, test } from 'vitest';
import { publishCaBundle } from './ca-bundle.ts';
import { KubeClient } from './client.ts';
import type { KubeObject } from './object.ts';
import { seededRandom } from './random.ts';
import { validatingWebhookConfigurations } from './resources.ts';
import { JsonPatchingApi } from './testing/json-patching-api.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hooks';
const old = Buffer.from('old').toString('base64');
const fresh = Buffer.from('new').toString('base64');
const clock = new VirtualClock();
const signal = new AbortController().signal;

interface Hooks extends KubeObject {
  readonly webhooks: readonly unknown[];
}

function given(...bundles: readonly (string | undefined)[]): JsonPatchingApi {
  const api = new JsonPatchingApi(clock);
  api.put(path, hooks(...bundles));
  return api;
}

function hooks(...bundles: readonly (string | undefined)[]): Hooks {
  const service = { namespace: 'ns', name: 'svc' };
  const webhooks = bundles.map((caBundle, index) => ({
    name: `hook-${index}`,
    clientConfig: caBundle === undefined ? { service } : { service, caBundle },
  }));
  return { metadata: { name: 'hooks' }, webhooks };
}

function publish(api: JsonPatchingApi) {
  const client = new KubeClient({ transport: api, clock, random: seededRandom(1) });
  return publishCaBundle(client, validatingWebhookConfigurations, 'hooks', 'new', signal);
}

const writes = (api: JsonPatchingApi) => api.served.filter((request) => !request.startsWith('GET '));

describe('every webhook of the configuration gets the bundle', () => {
  test.each<[string, (string | undefined)[], string, number]>([
    ['none has one', [undefined, undefined], 'patched', 1],
    ['all have an old one', [old, old], 'patched', 1],
    ['one has an old one', [fresh, old], 'patched', 1],
    ['all have it', [fresh, fresh], 'unchanged', 0],
    ['there are no webhooks', [], 'unchanged', 0],
  ])('%s', async (_, bundles, result, count) => {
    const api = given(...bundles);
    expect(await publish(api)).toBe(result);
    expect(writes(api)).toHaveLength(count);
    expect(api.at(path)).toMatchObject(hooks(...bundles.map(() => fresh)));
    expect(await publish(api)).toBe('unchanged');
    expect(writes(api)).toHaveLength(count);
  });
});

test('a configuration that does not exist yet is no error', async () => {
  const api = new JsonPatchingApi(clock);
  expect(await publish(api)).toBe('absent');
  api.put(path, hooks(undefined));
  expect(await publish(api)).toBe('patched');
});

test('where the list changes between reading and writing, the patch does not land on another webhook', async () => {
  const api = given(fresh, old);
  let changed = false;
  api.deliver = ({ method }) => {
    if (method === 'PATCH' && !changed) api.put(path, hooks(old));
    changed ||= method === 'PATCH';
    return {};
  };
  expect(await publish(api)).toBe('patched');
  expect(api.at(path)).toMatchObject(hooks(fresh));
  expect(writes(api)).toHaveLength(2);
});

test('a conflict inside the API server is tried again, but not for ever', async () => {
  const api = given(old);
  api.deliver = ({ method }) => (method === 'PATCH' ? { refusal: { status: 409, reason: 'Conflict' } } : {});
  await expect(publish(api)).rejects.toMatchObject({ status: 409 });
  expect(writes(api)).toHaveLength(5);
});

test('no permission is an error at once', async () => {
  const api = given(old);
  api.deliver = ({ method }) => (method === 'PATCH' ? { refusal: { status: 403, reason: 'Forbidden' } } : {});
  await expect(publish(api)).rejects.toMatchObject({ status: 403 });
  expect(writes(api)).toHaveLength(1);
});
