import type { Clock, Millis } from './clock.ts';
import { sleep } from './clock.ts';
import { describeError } from './error-description.ts';
import type { CertificateError, ServingCertificate } from './serving-certificate.ts';

/** Where a server's certificate comes from. */
export interface CertificateSource {
  /**
   * The certificate to serve now. Rejects with `CertificateError` when there is none, with the signal's reason when aborted, and may be
   * called again at any time: it always looks anew.
   */
  load(signal: AbortSignal): Promise<LoadedCertificate>;
  /** How long until it is worth looking again. */
  readonly every: Millis;
}

export interface LoadedCertificate {
  readonly certificate: ServingCertificate;
  /** What will become a problem, or is one already for callers. It is served all the same. */
  readonly concern: CertificateError | undefined;
}

export interface FollowOptions {
  readonly source: CertificateSource;
  /** What is served already. */
  readonly first: LoadedCertificate;
  readonly clock: Clock;
  /** Takes a certificate that differs from the one before into service. */
  readonly use: (certificate: ServingCertificate) => void;
  /** Tells callers whom to trust. Called after every look, so it does nothing when they know already; its failure is tried again then. */
  readonly publish?: (authorities: string, signal: AbortSignal) => Promise<void>;
  /** Hears of each problem once, until another one or none takes its place. */
  readonly onProblem: (problem: unknown) => void;
}

/**
 * Keeps a server's certificate what its source says, and what callers trust with it. A look that fails leaves in service what is there.
 * Resolves when the signal is aborted; never rejects.
 */
export async function followCertificate(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const report = onceEach(options.onProblem);
  let served = options.first.certificate;
  let loaded: LoadedCertificate | undefined = options.first;
  while (!signal.aborted) {
    try {
      loaded ??= await options.source.load(signal);
      // First whom to trust, then what to trust.
      if (loaded.certificate.authorities !== undefined) await options.publish?.(loaded.certificate.authorities, signal);
      if (differs(loaded.certificate, served)) {
        options.use(loaded.certificate);
        served = loaded.certificate;
      }
      report(loaded.concern);
    } catch (error) {
      if (!signal.aborted) report(error);
    }
    loaded = undefined;
    await sleep(options.clock, options.source.every, signal).catch(() => {});
  }
}

function differs(left: ServingCertificate, right: ServingCertificate): boolean {
  return left.certificate !== right.certificate || left.key !== right.key;
}

function onceEach(hear: (problem: unknown) => void): (problem: unknown) => void {
  let last: string | undefined;
  return (problem) => {
    const text = problem === undefined ? undefined : describeError(problem).message;
    if (text !== undefined && text !== last) hear(problem);
    last = text;
  };
}
