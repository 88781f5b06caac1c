import { beforeAll, describe, expect, test } from 'vitest';
import type { KeyedCertificate } from '../../kube/certificates.ts';
import { seconds } from '../../kube/clock.ts';
import { secrets } from '../../kube/resources.ts';
import { testAuthority, testClientCertificate, testLeaf } from '../../kube/testing/test-certificates.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import { outcome, ServerWorld, soundServer, untilAborted } from '../testing/http-server-world.ts';

describe('a bearer token', () => {
  const bearerTokenSecretRef = { name: 'ledger', key: 'token' };

  async function guarded(world: ServerWorld, accepts: () => string) {
    const port = await world.serve((request, response) => {
      if (request.headers.authorization === `Bearer ${accepts()}`) soundServer(request, response);
      else response.writeHead(401).end();
    });
    return world.engine({ url: `http://127.0.0.1:${port}`, bearerTokenSecretRef });
  }

  test('is sent, without the line break that people leave at its end', async () => {
    const world = new ServerWorld();
    await world.secret('ledger', { token: 'sesame\n' });
    expect(await outcome((await guarded(world, () => 'sesame')).observe(untilAborted))).toBe('done');
  });

  test('is read once a minute, and at once when it is refused', async () => {
    const world = new ServerWorld();
    await world.secret('ledger', { token: 'old' });
    let accepted = 'old';
    const engine = await guarded(world, () => accepted);
    const reads = () => world.api.served.filter((line) => line.startsWith('GET') && line.includes('/secrets/')).length;
    await engine.observe(untilAborted);
    await world.clock.pass(seconds(59));
    await engine.observe(untilAborted);
    expect(reads()).toBe(1);
    await world.clock.pass(seconds(1));
    await engine.observe(untilAborted);
    expect(reads()).toBe(2);
    accepted = 'new';
    const data = { token: Buffer.from('new').toString('base64') };
    const where = { namespace: 'db', name: 'ledger' };
    await world.client.patch(secrets, where, { type: 'merge', body: { data } }, { signal: untilAborted });
    expect(await outcome(engine.observe(untilAborted))).toBe('done');
    expect(reads()).toBe(3);
  });

  test.each<[string, Readonly<Record<string, string>> | undefined, string]>([
    [
      'no Secret',
      undefined,
      'the Secret db/ledger, which engine.http.bearerTokenSecretRef names, does not exist: create it, or correct the name',
    ],
    ['no such key', { password: 'x', a: 'y' }, 'the Secret db/ledger has no token (it has a, password): add it'],
    ['an empty Secret', {}, 'the Secret db/ledger has no token (it is empty): add it'],
    [
      'a token of two lines',
      { token: 'open\nsesame' },
      'the token in the Secret db/ledger (key token) is empty or has spaces: write it anew',
    ],
    [
      'an empty token',
      { token: '' },
      'the token in the Secret db/ledger (key token) is empty or has spaces: write it anew',
    ],
  ])('%s is said', async (_, data, words) => {
    const world = new ServerWorld();
    if (data !== undefined) await world.secret('ledger', data);
    expect(await outcome((await guarded(world, () => 'sesame')).observe(untilAborted))).toBe(
      `EngineUnreachable: ${words}`,
    );
    expect(world.asked).toEqual([]);
  });

  test('a Secret that Drover may not read is said, and so is an API server in trouble', async () => {
    const world = new ServerWorld();
    await world.secret('ledger', { token: 'sesame' });
    const engine = await guarded(world, () => 'sesame');
    world.api.deliver = () => ({ refusal: { status: 403, reason: 'Forbidden' } });
    expect(await outcome(engine.observe(untilAborted))).toBe(
      'EngineUnreachable: Drover may not read the Secret db/ledger, which engine.http.bearerTokenSecretRef names: kubectl create rolebinding drover-secrets -n db --clusterrole=drover-secrets --serviceaccount=drover:drover',
    );
    world.api.deliver = () => ({ refusal: { status: 500, reason: 'InternalError' } });
    const said = outcome(engine.observe(untilAborted));
    await world.clock.pass(seconds(10));
    expect(await said).toMatch(/^EngineUnreachable: the Secret db\/ledger, .* cannot be read now/);
  });
});

describe('TLS', () => {
  let authority: KeyedCertificate;
  let other: KeyedCertificate;
  let server: KeyedCertificate;
  let client: KeyedCertificate;
  beforeAll(async () => {
    [authority, other] = await Promise.all([testAuthority('ours'), testAuthority('theirs')]);
    [server, client] = await Promise.all([testLeaf(authority), testClientCertificate('drover', authority)]);
  });
  const tlsSecretRef = { name: 'ledger-tls' };
  const secretly = () => ({ cert: server.certificate, key: server.key });
  const mutually = () => ({ ...secretly(), ca: authority.certificate, requestCert: true, rejectUnauthorized: true });

  async function said(
    tls: ReturnType<typeof mutually | typeof secretly>,
    data: Readonly<Record<string, string>>,
    given: { readonly tlsServerName?: string } = {},
  ): Promise<string> {
    const world = new ServerWorld();
    await world.secret('ledger-tls', data);
    const port = await world.serve(soundServer, tls);
    return outcome(world.engine({ url: `https://127.0.0.1:${port}`, tlsSecretRef, ...given }).observe(untilAborted));
  }

  test('a server is trusted by the authority of the Secret, and asked with a client certificate', async () => {
    expect(await said(secretly(), { 'ca.crt': authority.certificate })).toBe('done');
    const own = { 'ca.crt': authority.certificate, 'tls.crt': client.certificate, 'tls.key': client.key };
    expect(await said(mutually(), own)).toBe('done');
  });

  test('pods are spoken to over TLS where there is a Secret for it, under the name of their certificate', async () => {
    const world = new ServerWorld();
    await world.secret('ledger-tls', { 'ca.crt': authority.certificate });
    const port = await world.serve(soundServer, secretly(), '127.0.0.7');
    const pods = [{ name: 'ledger-0', group: name<ProcessGroupId>('ledger-0'), addresses: ['127.0.0.7'], ready: true }];
    const by = (given: object) => outcome(world.engine({ port, tlsSecretRef, ...given }, pods).observe(untilAborted));
    expect(await by({})).toMatch(/certificate of https:\/\/127.0.0.7:\d+ is for another host name/);
    expect(await by({ tlsServerName: 'localhost' })).toBe('done');
  });

  test('a server of another authority is not', async () => {
    expect(await said(secretly(), { 'ca.crt': other.certificate })).toMatch(
      /^EngineUnreachable: the health got no answer: the certificate of https:\/\/127.0.0.1:\d+ is not signed by the CA that we were given; check certificate-authority in ca.crt of the Secret db\/ledger-tls$/,
    );
  });

  test.each(['without a certificate', 'with that of another authority'])(
    'a client %s is not let in, and told why',
    async (which) => {
      const foreign = await testClientCertificate('drover', other);
      const own = { 'tls.crt': foreign.certificate, 'tls.key': foreign.key };
      const data = { 'ca.crt': authority.certificate, ...(which === 'without a certificate' ? {} : own) };
      expect(await said(mutually(), data)).toMatch(
        /^EngineUnreachable: the health got no answer: .*client certificate/,
      );
    },
  );

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['no authority', { 'tls.crt': 'x' }, 'the Secret db/ledger-tls has no ca.crt (it has tls.crt): add it'],
    [
      'half a pair',
      { 'ca.crt': 'x', 'tls.crt': 'x' },
      'the Secret db/ledger-tls has no tls.key (it has ca.crt, tls.crt): add it',
    ],
    [
      'half a pair',
      { 'ca.crt': 'x', 'tls.key': 'x' },
      'the Secret db/ledger-tls has no tls.crt (it has ca.crt, tls.key): add it',
    ],
  ])('%s is said', async (_, data, words) => {
    expect(await said(secretly(), data)).toBe(`EngineUnreachable: ${words}`);
  });

  test('a certificate that is none is said', async () => {
    const data = { 'ca.crt': authority.certificate, 'tls.crt': 'nonsense', 'tls.key': 'nonsense' };
    expect(await said(secretly(), data)).toMatch(/a certificate or key of ours cannot be read/);
  });

  test('a server that speaks no TLS', async () => {
    const world = new ServerWorld();
    await world.secret('ledger-tls', { 'ca.crt': authority.certificate });
    const port = await world.serve(soundServer);
    const engine = world.engine({ url: `https://127.0.0.1:${port}`, tlsSecretRef });
    expect(await outcome(engine.observe(untilAborted))).toMatch(
      /it does not speak TLS as we do: should the address begin with http instead of https\?/,
    );
  });
});
