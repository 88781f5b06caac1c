import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { KeyedCertificate } from './certificates.ts';
import { epochMillis } from './clock.ts';
import type { ServingCertificate } from './serving-certificate.ts';
import { CertificateError, concernAbout, parseCertificates, servingCertificate } from './serving-certificate.ts';
import { testAuthority, testLeaf } from './testing/test-certificates.ts';

let authority: KeyedCertificate;
let leaf: KeyedCertificate;
let other: KeyedCertificate;
beforeAll(async () => {
  authority = await testAuthority('one');
  leaf = await testLeaf(authority);
  other = await testAuthority('two');
});

interface Parts {
  readonly certificate: string;
  readonly key: string;
  readonly authorities: string | undefined;
}

describe('only parts that belong together make a certificate to serve', () => {
  test.each<[string, () => Parts, string]>([
    ['without authorities', () => ({ ...leaf, authorities: undefined }), 'fine'],
    ['with its authority', () => ({ ...leaf, authorities: authority.certificate }), 'fine'],
    ['with another one before it', () => ({ ...leaf, authorities: other.certificate + authority.certificate }), 'fine'],
    ['with a text around it', () => ({ ...leaf, authorities: `# ours\n${authority.certificate}# end` }), 'fine'],
    ['signed by itself', () => ({ ...other, authorities: other.certificate }), 'fine'],
    [
      'the key of another',
      () => ({ ...leaf, key: other.key, authorities: undefined }),
      'mismatched: tls.key in /certs is not the key of tls.crt',
    ],
    [
      'another authority',
      () => ({ ...leaf, authorities: other.certificate }),
      'mismatched: ca.crt in /certs did not sign tls.crt',
    ],
    [
      'an authority of the same name',
      () => ({ ...leaf, authorities: 'twin' }),
      'mismatched: ca.crt in /certs did not sign tls.crt',
    ],
    [
      'half a certificate',
      () => ({ ...leaf, certificate: half(leaf.certificate), authorities: undefined }),
      'unreadable: tls.crt in /certs holds no certificate',
    ],
    [
      'a damaged certificate',
      () => ({ ...leaf, certificate: damaged(leaf.certificate), authorities: undefined }),
      'unreadable: tls.crt in /certs is damaged',
    ],
    [
      'half a key',
      () => ({ ...leaf, key: half(leaf.key), authorities: undefined }),
      'unreadable: tls.key in /certs holds no private key',
    ],
    [
      'nothing',
      () => ({ certificate: '', key: '', authorities: undefined }),
      'unreadable: tls.crt in /certs holds no certificate',
    ],
    [
      'an empty list of authorities',
      () => ({ ...leaf, authorities: '' }),
      'unreadable: ca.crt in /certs holds no certificate',
    ],
  ])('%s', async (_, parts, expected) => {
    const given = parts();
    const twin =
      given.authorities === 'twin' ? { ...given, authorities: (await testAuthority('one')).certificate } : given;
    expect(outcome(twin)).toContain(expected);
  });

  test('a certificate between the two is found in tls.crt', () => {
    const chain = opensslChain();
    expect(outcome({ ...chain, certificate: chain.leaf + chain.between })).toBe('fine');
    expect(outcome({ ...chain, certificate: chain.leaf })).toContain('mismatched: ca.crt');
  });
});

test('dates are a concern, not a reason to stop serving', () => {
  const served = servingCertificate({ ...leaf, authorities: undefined }, '/certs');
  const { notBefore, notAfter } = served.validity;
  const at = (now: number): string => shown(concernAbout(served, epochMillis(now), '/certs'));
  expect(at(notBefore - 1)).toContain('not-yet-valid: the certificate in /certs is valid only from 20');
  expect(at(notBefore)).toBe('none');
  expect(at(notAfter - 1)).toBe('none');
  expect(at(notAfter)).toContain('expired: the certificate in /certs expired at 20');
});

test('all certificates of a bundle are read, in order', () => {
  const bundle = parseCertificates(authority.certificate + other.certificate, 'x');
  expect(bundle.map(({ subject }) => subject)).toEqual(['CN=one', 'CN=two']);
});

function outcome(parts: Parts): string {
  try {
    const served: ServingCertificate = servingCertificate(parts, '/certs');
    expect(served).toMatchObject(parts);
    return 'fine';
  } catch (error) {
    return error instanceof CertificateError ? shown(error) : `unexpected ${String(error)}`;
  }
}

function shown(error: CertificateError | undefined): string {
  return error === undefined ? 'none' : `${error.problem}: ${error.message}`;
}

function half(text: string): string {
  return text.slice(0, text.length / 2);
}

function damaged(pem: string): string {
  const lines = pem.split('\n');
  lines[2] = 'A'.repeat(64);
  return lines.join('\n');
}

/** Someone else's tool, so that we do not only read what we wrote. */
function opensslChain() {
  const folder = mkdtempSync(join(tmpdir(), 'chain-'));
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  try {
    writeFileSync(join(folder, 'ca.ext'), 'basicConstraints=critical,CA:TRUE\n');
    const request = ['req', '-newkey', 'rsa:2048', '-nodes'];
    openssl(...request, '-x509', '-days', '2', '-subj', '/CN=root', '-keyout', 'root.key', '-out', 'root.crt');
    openssl(...request, '-subj', '/CN=between', '-keyout', 'between.key', '-out', 'between.csr');
    openssl(...request, '-subj', '/CN=leaf', '-keyout', 'leaf.key', '-out', 'leaf.csr');
    const sign = (csr: string, by: string, ...more: readonly string[]) =>
      openssl(
        'x509',
        '-req',
        '-days',
        '2',
        '-in',
        `${csr}.csr`,
        '-CA',
        `${by}.crt`,
        '-CAkey',
        `${by}.key`,
        '-CAcreateserial',
        '-out',
        `${csr}.crt`,
        ...more,
      );
    sign('between', 'root', '-extfile', 'ca.ext');
    sign('leaf', 'between');
    return {
      leaf: read('leaf.crt'),
      between: read('between.crt'),
      authorities: read('root.crt'),
      key: read('leaf.key'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
