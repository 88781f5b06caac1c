import type { CertificateMaterial, CertificateSubject } from './certificate-material.ts';
import { bundleOf, readMaterial, renewed, stateOf, writeMaterial } from './certificate-material.ts';
import type { DueRotation, RotationPolicy } from './certificate-rotation.ts';
import { defaultRotation, nextRotation } from './certificate-rotation.ts';
import type { CertificateSource, LoadedCertificate } from './certificate-source.ts';
import type { KubeClient } from './client.ts';
import type { Clock } from './clock.ts';
import { minutes } from './clock.ts';
import { ClockJump } from './clock-jump.ts';
import { isAlreadyExists, isConflict, isForbidden, isNotFound, isOutcomeUnknown } from './errors.ts';
import { harmlessly } from './harmlessly.ts';
import type { Secret } from './resources.ts';
import { secrets } from './resources.ts';
import type { ServingCertificate } from './serving-certificate.ts';
import { CertificateError, servingCertificate } from './serving-certificate.ts';

export interface SelfMadeCertificateOptions extends CertificateSubject {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Where all replicas keep the one certificate that they share. Made when it does not exist. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** For the Secret, when it is made. */
  readonly labels?: Readonly<Record<string, string>>;
  /** @default an authority of 1 year, a leaf of 90 days, an hour of overlap */
  readonly policy?: RotationPolicy;
  /** Hears of everything that was made anew, and why. */
  readonly onRenewed?: (done: DueRotation) => void;
}

/** Others may win the race to write a few times; more often than this means that something else is wrong. */
const mostTries = 5;

/**
 * A certificate that we sign ourselves and keep in a Secret. Any number of processes may share the Secret: writes are conditional, so one of
 * them wins and the others read what it wrote. Look at least every few minutes; renewal happens while looking.
 *
 * Where a renewal is due but cannot be written, what is there goes on being served, with the reason as a concern. For five minutes after the
 * wall clock jumped nothing is renewed, because a certificate of the wrong time would be refused by every caller.
 */
export class SelfMadeCertificate implements CertificateSource {
  readonly every = minutes(1);
  readonly #options: SelfMadeCertificateOptions;
  readonly #policy: RotationPolicy;
  readonly #jump: ClockJump;
  readonly #where: string;

  constructor(options: SelfMadeCertificateOptions) {
    this.#options = options;
    this.#policy = options.policy ?? defaultRotation;
    this.#jump = new ClockJump(options.clock);
    this.#where = `Secret ${options.secret.namespace}/${options.secret.name}`;
  }

  async load(signal: AbortSignal): Promise<LoadedCertificate> {
    const jumped = this.#jump.recent;
    let certificate: ServingCertificate | undefined;
    let failure: unknown;
    for (let tries = 0; tries < mostTries; tries++) {
      const secret = await this.#read(signal);
      const { material, due } = this.#look(secret);
      certificate = material && this.#servingOf(material);
      if (certificate !== undefined && due === undefined) return { certificate, concern: undefined };
      if (certificate !== undefined && jumped) return { certificate, concern: this.#jumped() };
      if (due === undefined) continue;
      try {
        await this.#renew(secret, material, due, signal);
      } catch (error) {
        signal.throwIfAborted();
        failure = error;
        if (!mayLookAgain(error)) break;
      }
    }
    const concern = this.#unwritable(failure);
    if (certificate === undefined) throw concern;
    return { certificate, concern };
  }

  async #read(signal: AbortSignal): Promise<Secret | undefined> {
    try {
      return await this.#options.client.find(secrets, this.#options.secret, { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw isForbidden(error)
        ? this.#forbidden('read', error)
        : new CertificateError('unavailable', `${this.#where} cannot be read now; the API server has to answer`, error);
    }
  }

  /** Without material there is always something due. Damaged material counts as none; a foreign certificate is left alone, by throwing. */
  #look(secret: Secret | undefined): { readonly material?: CertificateMaterial; readonly due?: DueRotation } {
    const { clock, names } = this.#options;
    try {
      const material = secret && readMaterial(secret, this.#where);
      const step = nextRotation(clock.now(), material && stateOf(material, names), this.#policy);
      return { ...(material !== undefined && { material }), ...(step.do !== 'keep' && { due: step }) };
    } catch (error) {
      if (!(error instanceof CertificateError) || error.problem === 'foreign') throw error;
      return { due: { do: 'renew-both', why: error.message } };
    }
  }

  async #renew(
    secret: Secret | undefined,
    material: CertificateMaterial | undefined,
    due: DueRotation,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, labels, onRenewed } = this.#options;
    const data = writeMaterial(await renewed(material, due, this.#options, clock.now(), this.#policy));
    if (secret === undefined) {
      const metadata = { ...this.#options.secret, ...(labels !== undefined && { labels }) };
      await client.create(secrets, { metadata, type: 'kubernetes.io/tls', data }, { signal });
    } else {
      // Carries the resourceVersion that it was read with: whoever writes second gets a conflict.
      await client.update(secrets, { ...secret, data: { ...secret.data, ...data } }, { signal });
    }
    harmlessly(() => onRenewed?.(due));
  }

  #servingOf({ authorities, leaf }: CertificateMaterial): ServingCertificate {
    return servingCertificate({ ...leaf, authorities: bundleOf(authorities) }, this.#where);
  }

  #unwritable(error: unknown): CertificateError {
    if (isForbidden(error)) return this.#forbidden('write', error);
    const what = `${this.#where} cannot be written, so its certificate is not renewed; see the cause`;
    return new CertificateError('unavailable', what, error);
  }

  #forbidden(verb: string, cause: unknown): CertificateError {
    const { namespace } = this.#options.secret;
    const what = `no permission to ${verb} ${this.#where}; allow get, create and update on secrets in namespace ${namespace}`;
    return new CertificateError('forbidden', what, cause);
  }

  #jumped(): CertificateError {
    const what = `the clock of this machine jumped; the certificate in ${this.#where} is renewed when it has been steady for 5 min`;
    return new CertificateError('clock-jumped', what);
  }
}

/** Someone else was faster, or nobody knows whether we were: the Secret says. */
function mayLookAgain(error: unknown): boolean {
  return isConflict(error) || isAlreadyExists(error) || isNotFound(error) || isOutcomeUnknown(error);
}
