import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CertificateSource, LoadedCertificate } from './certificate-source.ts';
import type { Clock } from './clock.ts';
import { seconds } from './clock.ts';
import type { ServingCertificate } from './serving-certificate.ts';
import { CertificateError, concernAbout, servingCertificate } from './serving-certificate.ts';

/** Rejects as Node does. */
export type ReadText = (path: string, signal: AbortSignal) => Promise<string>;

const readText: ReadText = (path, signal) => readFile(path, { encoding: 'utf8', signal });

/**
 * A certificate that someone else keeps in a folder: `tls.crt`, `tls.key` and, where callers are to be told, `ca.crt`, as a mounted Secret
 * has them. Read anew every 10 s, because the kubelet changes such a folder by turning a symbolic link, which watching does not see. A
 * pair that is half written or does not belong together is an error, never a certificate.
 */
export class MountedCertificate implements CertificateSource {
  readonly every = seconds(10);
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #readText: ReadText;

  constructor(folder: string, clock: Clock, read: ReadText = readText) {
    this.#folder = folder;
    this.#clock = clock;
    this.#readText = read;
  }

  async load(signal: AbortSignal): Promise<LoadedCertificate> {
    const certificate = await this.#read(signal).catch((error: unknown) => {
      // The link may have turned between two files. It does not do that twice in a row.
      if (error instanceof CertificateError && error.problem === 'mismatched') return this.#read(signal);
      throw error;
    });
    return { certificate, concern: concernAbout(certificate, this.#clock.now(), this.#folder) };
  }

  async #read(signal: AbortSignal): Promise<ServingCertificate> {
    const certificate = await this.#file('tls.crt', signal);
    const key = await this.#file('tls.key', signal);
    const authorities = await this.#file('ca.crt', signal).catch(absent);
    return servingCertificate({ certificate, key, authorities }, this.#folder);
  }

  async #file(name: string, signal: AbortSignal): Promise<string> {
    const path = join(this.#folder, name);
    try {
      return await this.#readText(path, signal);
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
      if (code === 'ENOENT' || code === 'ENOTDIR') {
        throw new CertificateError(
          'missing',
          `there is no ${path}; mount the Secret that holds the certificate there`,
          cause,
        );
      }
      throw new CertificateError('unreadable', `${path} cannot be read (${code}); check its owner and mode`, cause);
    }
  }
}

function absent(error: unknown): undefined {
  if (error instanceof CertificateError && error.problem === 'missing') return undefined;
  throw error;
}
