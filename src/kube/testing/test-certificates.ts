import type { KeyedCertificate } from '../certificates.ts';
import { makeAuthority, makeServingCertificate } from '../certificates.ts';
import type { EpochMillis } from '../clock.ts';
import { epochMillis, minutes } from '../clock.ts';
import { realClock } from '../real-clock.ts';
import type { ServingCertificate } from '../serving-certificate.ts';
import { servingCertificate } from '../serving-certificate.ts';

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
