import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { EpochMillis } from './clock.ts';

import { loadX509 } from './x509-library.ts';

/** From when until when a certificate is accepted. */
export interface Validity {
  readonly notBefore: EpochMillis;
  readonly notAfter: EpochMillis;
}

/** A certificate and its private key, both PEM. */
export interface KeyedCertificate {
  readonly certificate: string;
  readonly key: string;
}

const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A self-signed authority that can sign serving certificates and nothing else. Give every one its own name: chains are built by name. */
export async function makeAuthority(name: string, validity: Validity): Promise<KeyedCertificate> {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    ...datesOf(validity),
    signingAlgorithm: ecdsa,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: pemOf(keys.privateKey) };
}

/** A certificate for a TLS server of these DNS names and addresses, with a key of its own. Rejects when the authority's key cannot sign. */
export async function makeServingCertificate(
  authority: KeyedCertificate,
  names: readonly string[],
  validity: Validity,
): Promise<KeyedCertificate> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await webcrypto.subtle.generateKey(ecdsa, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    // Callers look at the alternative names only; this one is for people, and may not be longer.
    subject: [{ CN: [(names[0] ?? 'server').slice(0, 64)] }],
    issuer: issuer.subjectName,
    ...datesOf(validity),
    signingAlgorithm: ecdsa,
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(authority.key).toCryptoKey(ecdsa, false, ['sign']),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map(alternativeName)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: pemOf(keys.privateKey) };
}

function alternativeName(name: string): { readonly type: 'dns' | 'ip'; readonly value: string } {
  return { type: isIP(name) === 0 ? 'dns' : 'ip', value: name };
}

function datesOf({ notBefore, notAfter }: Validity): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
}

function pemOf(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
