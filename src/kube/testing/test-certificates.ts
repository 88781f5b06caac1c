import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import type { KeyedCertificate } from '../certificates.ts';
import { makeAuthority, makeServingCertificate } from '../certificates.ts';
import type { EpochMillis } from '../clock.ts';
import { epochMillis, minutes } from '../clock.ts';
import { realClock } from '../real-clock.ts';
import type { ServingCertificate } from '../serving-certificate.ts';
import { servingCertificate } from '../serving-certificate.ts';
import { loadX509 } from '../x509-library.ts';

/** Callers in a test check dates by the machine's clock, whatever the test's own clock says. */
const day = minutes(24 * 60);

export function testAuthority(name = 'test authority', now: EpochMillis = realClock.now()): Promise<KeyedCertificate> {
  return makeAuthority(name, { notBefore: epochMillis(now - day), notAfter: epochMillis(now + day) });
}

/** A certificate for `localhost` and `127.0.0.1`, valid from `notBefore` for a day. */
export async function testLeaf(
  authority: KeyedCertificate,
  notBefore: EpochMillis = epochMillis(realClock.now() - minutes(60)),
): Promise<KeyedCertificate> {
  const names = ['localhost', '127.0.0.1'];
  return makeServingCertificate(authority, names, { notBefore, notAfter: epochMillis(notBefore + day) });
}

export async function testCertificate(authority: KeyedCertificate): Promise<ServingCertificate> {
  const leaf = await testLeaf(authority);
  return servingCertificate({ ...leaf, authorities: authority.certificate }, 'the test');
}

/** A certificate with which a client shows who it is. */
export async function testClientCertificate(name: string, authority: KeyedCertificate): Promise<KeyedCertificate> {
  const x509 = await loadX509();
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const issuerKey = createPrivateKey(authority.key).export({ format: 'der', type: 'pkcs8' });
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [name] }],
    issuer: new x509.X509Certificate(authority.certificate).subjectName,
    notBefore: new Date(realClock.now() - day),
    notAfter: new Date(realClock.now() + day),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', issuerKey, algorithm, false, ['sign']),
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
  });
  const key = KeyObject.from(keys.privateKey).export({ format: 'pem', type: 'pkcs8' }).toString();
  return { certificate: `${certificate.toString('pem')}\n`, key };
}
