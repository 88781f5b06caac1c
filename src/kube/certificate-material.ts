import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { DueRotation, RotationPolicy, RotationState } from './certificate-rotation.ts';
import { lifeFrom } from './certificate-rotation.ts';
import type { KeyedCertificate } from './certificates.ts';
import { makeAuthority, makeServingCertificate } from './certificates.ts';
import type { EpochMillis } from './clock.ts';
import { toTimestamp } from './clock.ts';
import type { Secret } from './resources.ts';
import { CertificateError, parseCertificates, servingCertificate, signed, validityOf } from './serving-certificate.ts';

/** Everything that is needed to serve, to be trusted and to renew, all PEM. */
export interface CertificateMaterial {
  /** Everyone whom callers trust, newest first; the key of the newest is here, those of the others are forgotten. */
  readonly authorities: readonly [string, ...string[]];
  readonly authorityKey: string;
  readonly leaf: KeyedCertificate;
}

/** For whom certificates are made. */
export interface CertificateSubject {
  /** DNS names and addresses that callers use. */
  readonly names: readonly string[];
  /** What authorities are called; the time is added. */
  readonly authorityName: string;
}

const files = ['tls.crt', 'tls.key', 'ca.crt', 'ca.key'] as const;

/**
 * The material in a Secret, or undefined while it holds none. Throws `CertificateError`: `unreadable` or `mismatched` where it is damaged,
 * `foreign` where it holds someone else's certificate, which we must not touch.
 */
export function readMaterial(secret: Secret, where: string): CertificateMaterial | undefined {
  const [certificate, key, bundle, authorityKey] = files.map((file) => decode(secret.data?.[file]));
  if (authorityKey === undefined) {
    if (certificate === undefined) return undefined;
    const what = `${where} holds a certificate that was not made here (it has no ca.key); mount it, or name another Secret`;
    throw new CertificateError('foreign', what);
  }
  if (certificate === undefined || key === undefined || bundle === undefined) {
    throw new CertificateError('unreadable', `${where} lacks one of ${files.join(', ')}; a new certificate is made`);
  }
  servingCertificate({ certificate, key, authorities: bundle }, where);
  const [first, ...rest] = parseCertificates(bundle, `ca.crt in ${where}`);
  if (!isKeyOf(authorityKey, first)) {
    throw new CertificateError('mismatched', `ca.key in ${where} is not the key of ca.crt; a new authority is made`);
  }
  return { authorities: [first.toString(), ...rest.map(String)], authorityKey, leaf: { certificate, key } };
}

/** The `data` of a Secret that holds the material. */
export function writeMaterial({ authorities, authorityKey, leaf }: CertificateMaterial): Record<string, string> {
  return {
    'tls.crt': encode(leaf.certificate),
    'tls.key': encode(leaf.key),
    'ca.crt': encode(bundleOf(authorities)),
    'ca.key': encode(authorityKey),
  };
}

/** All authorities in one text, as callers are told them. */
export function bundleOf(authorities: readonly string[]): string {
  return authorities.map((pem) => `${pem.trim()}\n`).join('');
}

/** What the decision about renewal has to know. */
export function stateOf({ authorities, leaf }: CertificateMaterial, names: readonly string[]): RotationState {
  const [first, ...rest] = parseCertificates(bundleOf(authorities), 'ca.crt');
  const [certificate] = parseCertificates(leaf.certificate, 'tls.crt');
  const issuer = [first, ...rest].findIndex((authority) => signed(authority, certificate));
  return {
    authorities: [validityOf(first), ...rest.map(validityOf)],
    leaf: {
      ...validityOf(certificate),
      issuer: issuer < 0 ? undefined : issuer,
      fits: names.every((name) => carries(certificate, name)),
    },
  };
}

/** The material after a step. Making certificates is the only thing that happens here; nothing is written. */
export async function renewed(
  material: CertificateMaterial | undefined,
  step: DueRotation,
  subject: CertificateSubject,
  now: EpochMillis,
  policy: RotationPolicy,
): Promise<CertificateMaterial> {
  if (material === undefined || step.do === 'renew-both') {
    const authority = await newAuthority(subject, now, policy);
    const leaf = await newLeaf(authority, subject, now, policy);
    return { authorities: [authority.certificate], authorityKey: authority.key, leaf };
  }
  const [newest, ...older] = material.authorities;
  if (step.do === 'renew-authority') {
    const authority = await newAuthority(subject, now, policy);
    return { ...material, authorities: [authority.certificate, newest, ...older], authorityKey: authority.key };
  }
  if (step.do === 'renew-leaf') {
    const authority = { certificate: newest, key: material.authorityKey };
    return { ...material, leaf: await newLeaf(authority, subject, now, policy) };
  }
  return { ...material, authorities: [newest, ...older.filter((_, index) => step.keep.includes(index + 1))] };
}

function newAuthority(
  subject: CertificateSubject,
  now: EpochMillis,
  policy: RotationPolicy,
): Promise<KeyedCertificate> {
  const name = `${subject.authorityName} ${toTimestamp(now)}`;
  return makeAuthority(name, lifeFrom(now, policy.authorityLife, policy));
}

function newLeaf(
  authority: KeyedCertificate,
  subject: CertificateSubject,
  now: EpochMillis,
  policy: RotationPolicy,
): Promise<KeyedCertificate> {
  const within = validityOf(new X509Certificate(authority.certificate));
  return makeServingCertificate(authority, subject.names, lifeFrom(now, policy.leafLife, policy, within));
}

function carries(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}

function isKeyOf(key: string, certificate: X509Certificate): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function decode(base64: string | undefined): string | undefined {
  return base64 === undefined || base64 === '' ? undefined : Buffer.from(base64, 'base64').toString('utf8');
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
