import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Validity } from './certificates.ts';
import type { EpochMillis } from './clock.ts';
import { epochMillis, toTimestamp } from './clock.ts';

/** What is wrong with a certificate. */
export type CertificateProblem =
  | 'missing'
  | 'unreadable'
  | 'mismatched'
  | 'expired'
  | 'not-yet-valid'
  | 'forbidden'
  | 'unavailable'
  | 'foreign'
  | 'clock-jumped';

/** There is no certificate to serve, or there will soon be none. The message says what to do about it. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
  readonly code = 'Certificate';
  readonly problem: CertificateProblem;

  constructor(problem: CertificateProblem, what: string, cause?: unknown) {
    super(what, { cause });
    this.problem = problem;
  }
}

/** What a TLS server shows, all PEM. The key belongs to the certificate: only `servingCertificate` makes one of these. */
export interface ServingCertificate {
  /** The server's own certificate, then those between it and an authority. */
  readonly certificate: string;
  readonly key: string;
  /** Whom callers have to trust. Undefined where someone else tells them. */
  readonly authorities: string | undefined;
  readonly validity: Validity;
}

/**
 * Checks that the parts belong together: the key is that of the certificate, and one of the authorities (where given) stands behind it.
 * Throws `CertificateError` (`unreadable` or `mismatched`) otherwise. Dates are not looked at: whether they are right depends on whose
 * clock is, so they are a matter of concern (`concernAbout`) and no reason to stop serving.
 *
 * @param where names the place in messages: `/certs`, `Secret ns/name`
 */
export function servingCertificate(
  parts: { readonly certificate: string; readonly key: string; readonly authorities: string | undefined },
  where: string,
): ServingCertificate {
  const chain = parseCertificates(parts.certificate, `tls.crt in ${where}`);
  const [leaf] = chain;
  if (!leaf.checkPrivateKey(parseKey(parts.key, `tls.key in ${where}`))) {
    throw new CertificateError(
      'mismatched',
      `tls.key in ${where} is not the key of tls.crt; put the pair there together`,
    );
  }
  if (parts.authorities !== undefined) {
    const authorities = parseCertificates(parts.authorities, `ca.crt in ${where}`);
    if (!isBackedBy(leaf, chain, authorities)) {
      const what = `ca.crt in ${where} did not sign tls.crt; put the certificate of its issuer there`;
      throw new CertificateError('mismatched', what);
    }
  }
  return { ...parts, validity: validityOf(leaf) };
}

/** What a person should know about a certificate that is served all the same. */
export function concernAbout(
  { validity }: ServingCertificate,
  now: EpochMillis,
  where: string,
): CertificateError | undefined {
  const { notBefore, notAfter } = validity;
  if (now >= notAfter) {
    const what = `the certificate in ${where} expired at ${toTimestamp(notAfter)}; renew it, or callers refuse it`;
    return new CertificateError('expired', what);
  }
  if (now < notBefore) {
    const what = `the certificate in ${where} is valid only from ${toTimestamp(notBefore)}; check the clock of this machine`;
    return new CertificateError('not-yet-valid', what);
  }
  return undefined;
}

/** One certificate at least, in the order of the text. */
export type Certificates = readonly [X509Certificate, ...X509Certificate[]];

const pemCertificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** All certificates in a PEM text. Throws `CertificateError` when there is none, or one that cannot be read. */
export function parseCertificates(pem: string, what: string): Certificates {
  try {
    const [first, ...rest] = (pem.match(pemCertificate) ?? []).map((block) => new X509Certificate(block));
    if (first !== undefined) return [first, ...rest];
  } catch (cause) {
    throw new CertificateError('unreadable', `${what} is damaged; replace it`, cause);
  }
  throw new CertificateError('unreadable', `${what} holds no certificate in PEM; replace it`);
}

export function validityOf(certificate: X509Certificate): Validity {
  return {
    notBefore: epochMillis(certificate.validFromDate.getTime()),
    notAfter: epochMillis(certificate.validToDate.getTime()),
  };
}

/** Whether `authority` signed `certificate`, by name and by signature. */
export function signed(authority: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

function isBackedBy(leaf: X509Certificate, chain: Certificates, authorities: Certificates): boolean {
  let current = leaf;
  for (let step = 0; step < chain.length; step++) {
    if (authorities.some((authority) => signed(authority, current) || authority.raw.equals(current.raw))) return true;
    const next = chain.find((between) => between !== current && signed(between, current));
    if (next === undefined) return false;
    current = next;
  }
  return false;
}

function parseKey(pem: string, what: string) {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new CertificateError(
      'unreadable',
      `${what} holds no private key in PEM without a password; replace it`,
      cause,
    );
  }
}
