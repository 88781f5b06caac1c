import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AdmissionServer } from './admission-server.ts';
import { followCertificate } from './certificate-source.ts';
import type { KeyedCertificate } from './certificates.ts';
import { epochMillis, minutes, seconds } from './clock.ts';
import { MountedCertificate } from './mounted-certificate.ts';
import { realClock } from './real-clock.ts';
import type { CertificateError } from './serving-certificate.ts';
import { handshake } from './testing/handshake.ts';
import { testAuthority, testLeaf } from './testing/test-certificates.ts';
import { VirtualClock } from './testing/virtual-clock.ts';

let authority: KeyedCertificate;
let first: KeyedCertificate;
let second: KeyedCertificate;
beforeAll(async () => {
  authority = await testAuthority();
  first = await testLeaf(authority);
  second = await testLeaf(authority);
});

let folder: string;
let clock: VirtualClock;
let stop: AbortController;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mounted-'));
  clock = new VirtualClock(new Date(realClock.now()).toISOString());
  stop = new AbortController();
});
afterEach(() => rm(folder, { recursive: true }));

type Files = Readonly<Record<string, string>>;
const filesOf = (pair: KeyedCertificate): Files => ({
  'tls.crt': pair.certificate,
  'tls.key': pair.key,
  'ca.crt': authority.certificate,
});

/** As the kubelet does it: a new folder, then one turn of a link. */
let generation = 0;
async function mount(files: Files): Promise<void> {
  const data = `..${++generation}`;
  await mkdir(join(folder, data));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, data, name), text);
    await symlink(join('..data', name), join(folder, name)).catch(() => {});
  }
  await symlink(data, join(folder, '..next'));
  await rename(join(folder, '..next'), join(folder, '..data'));
}

const serial = (pair: KeyedCertificate) => new X509Certificate(pair.certificate).serialNumber;
const load = () => new MountedCertificate(folder, clock).load(stop.signal);
const problem = () =>
  load().then(
    () => 'none',
    (error: CertificateError) => `${error.problem}: ${error.message}`,
  );

describe('what is mounted is read', () => {
  test('with the authorities', async () => {
    await mount(filesOf(first));
    const expected = { certificate: first.certificate, key: first.key, authorities: authority.certificate };
    expect(await load()).toMatchObject({ certificate: expected, concern: undefined });
  });

  test('without them', async () => {
    await mount({ 'tls.crt': first.certificate, 'tls.key': first.key });
    expect((await load()).certificate.authorities).toBeUndefined();
  });

  test.each<[string, () => Files, string]>([
    [
      'nothing is mounted',
      () => ({}),
      'missing: there is no FOLDER/tls.crt; mount the Secret that holds the certificate there',
    ],
    [
      'the key is missing',
      () => ({ 'tls.crt': first.certificate }),
      'missing: there is no FOLDER/tls.key; mount the Secret',
    ],
    [
      'the key is of another',
      () => ({ ...filesOf(first), 'tls.key': second.key }),
      'mismatched: tls.key in FOLDER is not the key of tls.crt',
    ],
    [
      'the key is half written',
      () => ({ ...filesOf(first), 'tls.key': first.key.slice(0, 80) }),
      'unreadable: tls.key in FOLDER holds no private key',
    ],
    [
      'the certificate is empty',
      () => ({ ...filesOf(first), 'tls.crt': '' }),
      'unreadable: tls.crt in FOLDER holds no certificate',
    ],
  ])('%s: one sentence that says what to do', async (_, files, says) => {
    await mount(files());
    expect(await problem()).toContain(says.replace('FOLDER', folder));
  });

  test('a file that cannot be read', async () => {
    await mkdir(join(folder, 'tls.crt'));
    expect(await problem()).toContain(
      `unreadable: ${folder}/tls.crt cannot be read (EISDIR); check its owner and mode`,
    );
  });

  test('where the link turns between two files, the next look has the new pair', async () => {
    let current: Files = filesOf(first);
    const turning = async (path: string) => {
      const text = current[basename(path)] ?? '';
      current = filesOf(second);
      return text;
    };
    const { certificate } = await new MountedCertificate(folder, clock, turning).load(stop.signal);
    expect(certificate).toMatchObject(second);
  });

  test('an expired one is served all the same, because our clock may be the wrong one', async () => {
    await mount(filesOf(await testLeaf(authority, epochMillis(realClock.now() - minutes(48 * 60)))));
    expect((await load()).concern).toMatchObject({ problem: 'expired' });
    clock.jump(minutes(-72 * 60));
    expect((await load()).concern).toMatchObject({ problem: 'not-yet-valid' });
  });

  test('an abort is not a problem of the files', async () => {
    await mount(filesOf(first));
    stop.abort(new Error('stopped'));
    await expect(load()).rejects.toThrow('stopped');
  });
});

describe('a server follows what is mounted, without a restart', () => {
  test('new pairs are taken up, bad ones are kept out, and each problem is heard of once', async () => {
    await mount(filesOf(first));
    const source = new MountedCertificate(folder, clock);
    const loaded = await source.load(stop.signal);
    const { certificate } = loaded;
    const server = await AdmissionServer.start({ clock, host: '127.0.0.1', port: 0, routes: new Map(), certificate });
    const problems: unknown[] = [];
    const published: string[] = [];
    const following = followCertificate(
      {
        source,
        first: loaded,
        clock,
        use: (next) => server.use(next),
        publish: async (authorities) => void published.push(authorities),
        onProblem: (error) => problems.push(error),
      },
      stop.signal,
    );
    const seen = () => handshake(server.address.port, authority.certificate);
    const look = async (count: number) => {
      await clock.pass(seconds(10));
      await expect.poll(() => clock.pending).toBe(1);
      await expect.poll(() => published.length + problems.length).toBeGreaterThanOrEqual(count);
    };
    expect(await seen()).toBe(serial(first));
    expect(published).toEqual([authority.certificate]);

    await mount(filesOf(second));
    await clock.pass(seconds(9.999));
    expect(await seen()).toBe(serial(first));
    await clock.pass(seconds(0.001));
    await expect.poll(seen).toBe(serial(second));

    await mount({ ...filesOf(second), 'tls.crt': first.certificate });
    await look(3);
    await look(3);
    expect(problems).toMatchObject([{ problem: 'mismatched' }]);
    expect(await seen()).toBe(serial(second));

    await mount(filesOf(first));
    await clock.pass(seconds(10));
    await expect.poll(seen).toBe(serial(first));
    expect(problems).toHaveLength(1);

    stop.abort();
    await following;
    await server.stop();
    expect(clock.pending).toBe(0);
  });

  test('what cannot be published is not served yet, and tried again', async () => {
    await mount(filesOf(first));
    const source = new MountedCertificate(folder, clock);
    const used: string[] = [];
    const problems: unknown[] = [];
    let refuse = false;
    const following = followCertificate(
      {
        source,
        first: await source.load(stop.signal),
        clock,
        use: ({ key }) => used.push(key),
        publish: async () => {
          if (refuse) throw new Error('not now');
        },
        onProblem: (error) => problems.push(String(error)),
      },
      stop.signal,
    );
    await mount(filesOf(second));
    refuse = true;
    await clock.pass(seconds(10));
    await expect.poll(() => problems).toEqual(['Error: not now']);
    expect(used).toEqual([]);
    refuse = false;
    await expect.poll(() => clock.pending).toBe(1);
    await clock.pass(seconds(10));
    await expect.poll(() => used).toEqual([second.key]);
    stop.abort();
    await following;
  });
});
