import { X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { KubeClient } from './client.ts';
import { millis, minutes, seconds } from './clock.ts';
import { seededRandom } from './random.ts';
import type { Secret } from './resources.ts';
import type { SelfMadeCertificateOptions } from './self-made-certificate.ts';
import { SelfMadeCertificate } from './self-made-certificate.ts';
import type { CertificateError } from './serving-certificate.ts';
import { FakeApi } from './testing/fake-api.ts';
import { testAuthority, testLeaf } from './testing/test-certificates.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

const path = '/api/v1/namespaces/ns/secrets/webhook';
const days = (count: number) => minutes(count * 24 * 60);
const signal = new AbortController().signal;

let clock: VirtualClock;
let api: FakeApi;
beforeEach(() => {
  clock = new VirtualClock();
  api = new FakeApi(clock);
});

function replica(options: Partial<SelfMadeCertificateOptions> = {}): SelfMadeCertificate {
  return new SelfMadeCertificate({
    client: new KubeClient({ transport: api, clock, random: seededRandom(1), retries: 0 }),
    clock,
    secret: { namespace: 'ns', name: 'webhook' },
    names: ['webhook.ns.svc'],
    authorityName: 'webhook authority',
    ...options,
  });
}

const writes = () =>
  api.served
    .filter((request) => !request.startsWith('GET '))
    .map((request) => request.replace(path, 'it').replace('/api/v1/namespaces/ns/secrets', 'them'));
const inSecret = (file: string) => Buffer.from(api.at<Secret>(path)?.data?.[file] ?? '', 'base64').toString();
const serialOf = (pem: string) => new X509Certificate(pem).serialNumber;
const refuse = (method: string, status: number, reason: string) => {
  api.deliver = (request) => (request.method === method ? { refusal: { status, reason } } : {});
};

describe('the first one', () => {
  test('is made and kept in a Secret that others can use too', async () => {
    const { certificate, concern } = await replica({ labels: { app: 'x' } }).load(signal);
    expect(concern).toBeUndefined();
    const secret = api.at<Secret>(path);
    expect(secret).toMatchObject({ kind: 'Secret', type: 'kubernetes.io/tls', metadata: { labels: { app: 'x' } } });
    expect(Object.keys(secret?.data ?? {}).sort()).toEqual(['ca.crt', 'ca.key', 'tls.crt', 'tls.key']);
    expect(inSecret('tls.crt')).toBe(certificate.certificate);
    expect(inSecret('ca.crt')).toBe(certificate.authorities);

    const leaf = new X509Certificate(certificate.certificate);
    expect(leaf.subjectAltName).toBe('DNS:webhook.ns.svc');
    expect(leaf.validToDate.getTime()).toBe(clock.now() + days(90));
    expect(leaf.validFromDate.getTime()).toBe(clock.now() - minutes(60));
    expect(leaf.ca).toBe(false);
    const authority = new X509Certificate(certificate.authorities ?? '');
    expect(authority.validToDate.getTime()).toBe(clock.now() + days(365));
    expect(authority.subject).toBe('CN=webhook authority 2026-11-15T00:00:00.000Z');
    expect(authority.ca).toBe(true);
  });

  test('is made once: looking again writes nothing', async () => {
    const one = replica();
    const { certificate } = await one.load(signal);
    await clock.pass(days(50));
    expect((await one.load(signal)).certificate).toEqual(certificate);
    expect(writes()).toEqual(['POST them 201']);
  });

  test('is the same for all replicas, however many start at once', async () => {
    const loaded = await Promise.all(Array.from({ length: 5 }, () => replica().load(signal)));
    expect(new Set(loaded.map(({ certificate }) => certificate.certificate)).size).toBe(1);
    expect(writes().filter((write) => write.endsWith('201'))).toHaveLength(1);
    expect(writes().filter((write) => write.endsWith('409'))).toHaveLength(4);
  });

  test('fills a Secret that was prepared for it, and leaves the rest of that alone', async () => {
    api.put(path, {
      metadata: { name: 'webhook', namespace: 'ns' },
      type: 'Opaque',
      data: { other: 'eA==', 'tls.crt': '' },
    });
    await replica().load(signal);
    expect(api.at(path)).toMatchObject({ type: 'Opaque', data: { other: 'eA==' } });
    expect(inSecret('ca.key')).toContain('PRIVATE KEY');
  });

  test('where the answer to writing it is lost, looking again tells', async () => {
    api.deliver = ({ method }) => (method === 'POST' ? { lost: 'answer' } : {});
    const loading = replica().load(signal);
    await expect.poll(() => writes()).toEqual(['POST them 201']);
    await clock.pass(seconds(30));
    expect((await loading).certificate.certificate).toBe(inSecret('tls.crt'));
    expect(writes()).toHaveLength(1);
  });
});

describe('renewal', () => {
  const leafDue = minutes(((90 * 24 + 1) * 60 * 2) / 3 - 60);

  test('of the leaf, when two thirds of its life are over: the authority stays', async () => {
    const renewed: string[] = [];
    const one = replica({ onRenewed: (done) => renewed.push(`${done.do}: ${done.why}`) });
    const before = (await one.load(signal)).certificate;
    await clock.pass(millis(leafDue - 1));
    expect((await one.load(signal)).certificate).toEqual(before);
    await clock.pass(seconds(0.001));
    const after = (await one.load(signal)).certificate;
    expect(serialOf(after.certificate)).not.toBe(serialOf(before.certificate));
    expect(after.authorities).toBe(before.authorities);
    expect(renewed).toEqual(['renew-both: there is none yet', 'renew-leaf: two thirds of its life are over']);
  });

  test('by several replicas at once happens once', async () => {
    const replicas = [replica(), replica(), replica()];
    await Promise.all(replicas.map((each) => each.load(signal)));
    await clock.pass(days(61));
    api.served.length = 0;
    const loaded = await Promise.all(replicas.map((each) => each.load(signal)));
    expect(new Set(loaded.map(({ certificate }) => certificate.certificate)).size).toBe(1);
    expect(writes().sort()).toEqual(['PUT it 200', 'PUT it 409', 'PUT it 409']);
  });

  test('of a leaf that lacks a name', async () => {
    await replica().load(signal);
    const names = ['webhook.ns.svc', '10.0.0.1'];
    const { certificate } = await replica({ names }).load(signal);
    expect(new X509Certificate(certificate.certificate).subjectAltName).toBe('DNS:webhook.ns.svc, IP Address:10.0.0.1');
    expect((await replica().load(signal)).certificate).toEqual(certificate);
  });

  test.each<[string, (data: Record<string, string>) => Record<string, string>]>([
    ['the key of the leaf is damaged', (data) => ({ ...data, 'tls.key': 'eA==' })],
    ['the key of the authority is damaged', (data) => ({ ...data, 'ca.key': 'eA==' })],
    ['the authorities are gone', (data) => ({ ...data, 'ca.crt': '' })],
    ['the parts are of different makes', (data) => ({ ...data, 'tls.crt': data['ca.crt'] ?? '' })],
  ])('of everything, where %s', async (_, damage) => {
    const before = (await replica().load(signal)).certificate;
    const secret = api.at<Secret>(path);
    api.put(path, { ...secret, data: damage({ ...secret?.data }) });
    const { certificate } = await replica().load(signal);
    expect(certificate.authorities).not.toBe(before.authorities);
    expect(certificate.certificate).toBe(inSecret('tls.crt'));
  });

  test('of everything, after a year of sleep', async () => {
    const before = (await replica().load(signal)).certificate;
    await clock.pass(days(400));
    const { certificate, concern } = await replica().load(signal);
    expect(concern).toBeUndefined();
    expect(certificate.authorities).not.toContain(before.authorities);
    expect(certificate.validity.notAfter).toBe(clock.now() + days(90));
  });
});

describe('what cannot be done is said in one sentence', () => {
  const problem = (one = replica()) =>
    one.load(signal).then(
      () => 'none',
      (error: CertificateError) => `${error.problem}: ${error.message}`,
    );

  test.each`
    method    | status | reason                  | says
    ${'GET'}  | ${403} | ${'Forbidden'}          | ${'forbidden: no permission to read Secret ns/webhook; allow get, create and update on secrets in namespace ns'}
    ${'GET'}  | ${503} | ${'ServiceUnavailable'} | ${'unavailable: Secret ns/webhook cannot be read now; the API server has to answer'}
    ${'POST'} | ${403} | ${'Forbidden'}          | ${'forbidden: no permission to write Secret ns/webhook; allow get, create and update on secrets in namespace ns'}
    ${'POST'} | ${422} | ${'Invalid'}            | ${'unavailable: Secret ns/webhook cannot be written, so its certificate is not renewed; see the cause'}
    ${'POST'} | ${500} | ${'InternalError'}      | ${'unavailable: Secret ns/webhook cannot be written, so its certificate is not renewed; see the cause'}
  `('$method answered with $status', async ({ method, status, reason, says }) => {
    refuse(method, status, reason);
    expect(await problem()).toBe(says);
  });

  test('where only the renewal is refused, the old one is served, with a concern', async () => {
    const before = (await replica().load(signal)).certificate;
    await clock.pass(days(61));
    refuse('PUT', 403, 'Forbidden');
    const { certificate, concern } = await replica().load(signal);
    expect(certificate).toEqual(before);
    expect(concern).toMatchObject({ problem: 'forbidden', cause: { status: 403 } });
  });

  test('replicas that stay faster are not fought for ever', async () => {
    const before = (await replica().load(signal)).certificate;
    await clock.pass(days(61));
    refuse('PUT', 409, 'Conflict');
    const { certificate, concern } = await replica().load(signal);
    expect(certificate).toEqual(before);
    expect(concern).toMatchObject({ problem: 'unavailable' });
    expect(writes().filter((write) => write === 'PUT it 409')).toHaveLength(5);
  });

  test("someone else's certificate is not touched", async () => {
    const leaf = await testLeaf(await testAuthority());
    const data = { 'tls.crt': btoa(leaf.certificate), 'tls.key': btoa(leaf.key) };
    api.put(path, { metadata: { name: 'webhook', namespace: 'ns' }, data });
    expect(await problem()).toBe(
      'foreign: Secret ns/webhook holds a certificate that was not made here (it has no ca.key); mount it, or name another Secret',
    );
    expect(api.at(path)).toMatchObject({ data });
  });

  test('an abort is an abort', async () => {
    const aborted = AbortSignal.abort(new Error('stopped'));
    await expect(replica().load(aborted)).rejects.toThrow('stopped');
  });
});

describe('the clock jumps', () => {
  test('far ahead, and back within five minutes: nothing happened', async () => {
    const one = replica();
    const before = (await one.load(signal)).certificate;
    clock.jump(days(3650));
    expect(await one.load(signal)).toMatchObject({ certificate: before, concern: { problem: 'clock-jumped' } });
    await clock.pass(minutes(4));
    clock.jump(days(-3650));
    await one.load(signal);
    await clock.pass(minutes(6));
    expect(await one.load(signal)).toEqual({ certificate: before, concern: undefined });
    expect(writes()).toEqual(['POST them 201']);
  });

  test.each([3650, -3650])('by %d days, and stays: all is made anew after five minutes', async (jump) => {
    const one = replica();
    await one.load(signal);
    clock.jump(days(jump));
    await one.load(signal);
    await clock.pass(minutes(5));
    const { certificate, concern } = await one.load(signal);
    expect(concern).toBeUndefined();
    expect(certificate.validity).toEqual({ notBefore: clock.now() - minutes(60), notAfter: clock.now() + days(90) });
  });

  test('when there is none yet, one is made at once', async () => {
    const one = replica();
    clock.jump(days(3650));
    expect((await one.load(signal)).concern).toBeUndefined();
  });
});
