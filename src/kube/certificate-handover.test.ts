import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { connect } from 'node:http2';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AdmissionServer } from './admission-server.ts';
import { publishCaBundle } from './ca-bundle.ts';
import type { RotationPolicy } from './certificate-rotation.ts';
import { followCertificate } from './certificate-source.ts';
import { KubeClient } from './client.ts';
import type { Millis } from './clock.ts';
import { minutes } from './clock.ts';
import { seededRandom } from './random.ts';
import { realClock } from './real-clock.ts';
import type { ValidatingWebhookConfiguration } from './resources.ts';
import { validatingWebhookConfigurations } from './resources.ts';
import { SelfMadeCertificate } from './self-made-certificate.ts';
import { handshake } from './testing/handshake.ts';
import { JsonPatchingApi } from './testing/json-patching-api.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hooks';

/**
 * Callers check dates by the machine's clock, which stands still while the test's clock runs ahead. So lives begin long before they are
 * made, and are as long as that leaves two thirds over soon: the leaf's after 30 min, the authority's after an hour.
 */
const policy: RotationPolicy = {
  backdate: minutes(100 * 60),
  authorityLife: minutes(50 * 60 + 90),
  leafLife: minutes(50 * 60 + 45),
  overlap: minutes(6),
};

let clock: VirtualClock;
let api: JsonPatchingApi;
let stop: AbortController;
const running: Promise<unknown>[] = [];
beforeEach(() => {
  clock = new VirtualClock(new Date(realClock.now()).toISOString());
  api = new JsonPatchingApi(clock);
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await Promise.all(running.splice(0));
});

/** A replica as the operator runs it: a server, its certificate, and the bundle in the webhook configuration. */
async function startReplica(): Promise<AdmissionServer> {
  const client = new KubeClient({ transport: api, clock, random: seededRandom(1) });
  const secret = { namespace: 'ns', name: 'webhook' };
  const source = new SelfMadeCertificate({
    client,
    clock,
    secret,
    names: ['localhost'],
    authorityName: 'test',
    policy,
  });
  const first = await source.load(stop.signal);
  const { certificate } = first;
  const handle = () => ({ allowed: true }) as const;
  const routes = new Map([['/ask', { handle, onError: handle, onTimeout: handle }]]);
  const server = await AdmissionServer.start({ clock, host: '127.0.0.1', port: 0, routes, certificate });
  const publish = async (authorities: string, signal: AbortSignal) =>
    void (await publishCaBundle(client, validatingWebhookConfigurations, 'hooks', authorities, signal));
  const onProblem = (problem: unknown) => {
    throw new Error('there was a problem', { cause: problem });
  };
  running.push(
    followCertificate({ source, first, clock, use: (next) => server.use(next), publish, onProblem }, stop.signal),
  );
  stop.signal.addEventListener('abort', () => running.push(server.stop()));
  return server;
}

function configure(): void {
  api.put(hooks, { metadata: { name: 'hooks' }, webhooks: [{ name: 'a', clientConfig: {} }] });
}

/** What the API server trusts at this moment. */
function bundle(): string {
  const caBundle = api.at<ValidatingWebhookConfiguration>(hooks)?.webhooks?.[0]?.clientConfig.caBundle;
  return Buffer.from(caBundle ?? '', 'base64').toString();
}

const authorities = () => bundle().split('BEGIN CERTIFICATE').length - 1;

/** Making keys happens on other threads, of which the virtual clock knows nothing: let them finish minute by minute. */
async function pass(time: Millis): Promise<void> {
  for (let minute = 0; minute < time / minutes(1); minute++) {
    await clock.pass(minutes(1));
    await expect.poll(() => clock.pending, { interval: 1 }).toBe(replicas);
  }
}
let replicas = 1;

async function ask(session: ClientHttp2Session): Promise<number> {
  const stream = session.request({ ':path': '/ask', ':method': 'POST', 'content-type': 'text/plain' });
  stream.end();
  const [headers] = await once(stream, 'response');
  stream.close();
  return headers[':status'];
}

describe('rotation never breaks a call', () => {
  test('not of a caller who knows the authorities as they are, nor of one who is a few minutes behind', async () => {
    configure();
    replicas = 2;
    const servers = [await startReplica(), await startReplica()];
    await expect.poll(authorities).toBe(1);
    const standing = connect(`https://localhost:${servers[0]?.address.port}`, { ca: bundle() });
    const serials = new Set<string>();
    const counts: number[] = [];
    const known: string[] = [bundle()];
    for (let minute = 0; minute < 150; minute += 3) {
      await pass(minutes(3));
      known.push(bundle());
      if (counts.at(-1) !== authorities()) counts.push(authorities());
      for (const { address } of servers) {
        for (const trusted of known.slice(-2)) {
          const seen = await handshake(address.port, trusted);
          expect(seen).not.toContain('refused');
          serials.add(seen);
        }
      }
    }
    // Known alone, then with the next one, then that alone; twice in this time.
    expect(counts).toEqual([1, 2, 1, 2, 1]);
    expect(serials.size).toBeGreaterThanOrEqual(5);
    expect(await handshake(servers[0]?.address.port ?? 0, known[0] ?? '')).toContain('refused');
    expect(await ask(standing)).toBe(415);
    standing.destroy();
    const writes = api.served.filter((request) => !request.startsWith('GET ') && request.endsWith(' 200'));
    expect(writes.length).toBeLessThan(20);
  });
});

describe('the webhook configuration', () => {
  test('may come later than the server', async () => {
    replicas = 1;
    const { port } = (await startReplica()).address;
    await pass(minutes(2));
    configure();
    expect(bundle()).toBe('');
    await pass(minutes(1));
    expect(await handshake(port, bundle())).not.toContain('refused');
  });

  test('is put right when someone else overwrites it, and otherwise not written', async () => {
    configure();
    replicas = 1;
    await startReplica();
    await expect.poll(authorities).toBe(1);
    api.served.length = 0;
    await pass(minutes(10));
    expect(api.served.filter((request) => !request.startsWith('GET '))).toEqual([]);
    configure();
    await pass(minutes(1));
    expect(authorities()).toBe(1);
  });

  test('a caller who asks by another name is refused', async () => {
    configure();
    replicas = 1;
    const { port } = (await startReplica()).address;
    await expect.poll(authorities).toBe(1);
    expect(await handshake(port, bundle(), 'elsewhere')).toBe('refused: ERR_TLS_CERT_ALTNAME_INVALID');
  });
});
