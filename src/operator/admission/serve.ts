import { AdmissionServer } from '../../kube/admission-server.ts';
import { backoffDelay } from '../../kube/backoff.ts';
import type { BundleResult } from '../../kube/ca-bundle.ts';
import { publishCaBundle } from '../../kube/ca-bundle.ts';
import type { CertificateSource, LoadedCertificate } from '../../kube/certificate-source.ts';
import { followCertificate } from '../../kube/certificate-source.ts';
import type { KubeClient } from '../../kube/client.ts';
import { seconds, sleep } from '../../kube/clock.ts';
import { MountedCertificate } from '../../kube/mounted-certificate.ts';
import { validatingWebhookConfigurations } from '../../kube/resources.ts';
import type { RuntimeMetrics } from '../../kube/runtime-metrics.ts';
import { SelfMadeCertificate } from '../../kube/self-made-certificate.ts';
import type { Desk } from '../lock/desk.ts';
import { names } from '../names.ts';
import type { OperatorOptions } from '../operator-options.ts';
import { admissionRoutes } from './routes.ts';

const backoff = { first: seconds(1), most: seconds(30), factor: 2, jitter: 0.5 };

/** The voice: answers the API server's questions about evictions, with a certificate that looks after itself. */
export class Webhook {
  readonly #options: OperatorOptions;
  readonly #client: KubeClient;
  readonly #metrics: RuntimeMetrics;
  readonly #source: CertificateSource;
  readonly #desk: Desk;
  #server: AdmissionServer | undefined;

  constructor(options: OperatorOptions, client: KubeClient, metrics: RuntimeMetrics, desk: Desk) {
    this.#desk = desk;
    this.#options = options;
    this.#client = client;
    this.#metrics = metrics;
    this.#source = certificateSource(options, client);
  }

  get port(): number | undefined {
    return this.#server?.port;
  }

  /** Waits for a certificate and begins to listen. Rejects with `ConfigurationError` when the port cannot be had. */
  async start(signal: AbortSignal): Promise<LoadedCertificate> {
    const { clock, host, webhookPort, logger } = this.#options;
    const first = await this.#firstCertificate(signal);
    this.#server = await AdmissionServer.start({
      clock,
      host,
      port: webhookPort,
      routes: admissionRoutes(this.#desk, clock),
      certificate: first.certificate,
      observer: {
        ...this.#metrics.admission(),
        failed: (webhook, request, error) => logger.error('a webhook failed', { webhook, uid: request.uid, error }),
        timedOut: (webhook, request) => logger.warn('a webhook had no answer in time', { webhook, uid: request.uid }),
        handshakeFailed: (error) => logger.debug('a caller gave up in the handshake', { error }),
      },
    });
    return first;
  }

  /** Keeps the certificate and the API server's trust in it up to date until the signal is aborted. */
  follow(first: LoadedCertificate, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    return followCertificate(
      {
        source: this.#source,
        first,
        clock,
        use: (certificate) => this.#server?.use(certificate),
        publish: async (authorities, within) => {
          for (const name of [names.webhookConfiguration, names.foreignConfiguration]) {
            const result = await this.#publish(name, authorities, within);
            if (result === 'patched') logger.info('the API server trusts the webhook', { configuration: name });
          }
        },
        onProblem: (error) => logger.warn('the certificate of the webhook needs attention', { error }),
      },
      signal,
    );
  }

  async stop(): Promise<void> {
    await this.#server?.stop(seconds(1));
  }

  #publish(name: string, authorities: string, signal: AbortSignal): Promise<BundleResult> {
    return publishCaBundle(this.#client, validatingWebhookConfigurations, name, authorities, signal);
  }

  async #firstCertificate(signal: AbortSignal): Promise<LoadedCertificate> {
    const { clock, random, logger } = this.#options;
    for (let failures = 1; ; failures++) {
      try {
        return await this.#source.load(signal);
      } catch (error) {
        if (signal.aborted) throw error;
        logger.warn('the webhook has no certificate yet, trying again', { error });
      }
      await sleep(clock, backoffDelay(backoff, failures, random), signal);
    }
  }
}

function certificateSource(options: OperatorOptions, client: KubeClient): CertificateSource {
  const { clock, namespace, certificateFolder } = options;
  if (certificateFolder !== undefined) return new MountedCertificate(certificateFolder, clock);
  return new SelfMadeCertificate({
    client,
    clock,
    secret: { namespace, name: names.certificateSecret },
    authorityName: names.webhookService,
    names: [`${names.webhookService}.${namespace}.svc`, ...(options.webhookHosts ?? [])],
    onRenewed: (done) => options.logger.info('made a certificate for the webhook', { ...done }),
  });
}
