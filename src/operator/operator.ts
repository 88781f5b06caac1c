import { KubeClient } from '../kube/client.ts';
import { seconds } from '../kube/clock.ts';
import { EventRecorder } from '../kube/event-recorder.ts';
import type { HealthCheck } from '../kube/health.ts';
import { HttpEndpoints } from '../kube/http-endpoints.ts';
import { fencedTransport } from '../kube/leader-gate.ts';
import type { TermEnd } from '../kube/leader-lease.ts';
import { LeaderLease } from '../kube/leader-lease.ts';
import { leaseTimesFor } from '../kube/leader-lease-options.ts';
import { Metrics } from '../kube/metrics.ts';
import { nodeTransport } from '../kube/node-transport.ts';
import { RuntimeMetrics } from '../kube/runtime-metrics.ts';
import type { Transport } from '../kube/transport.ts';
import { Webhook } from './admission/serve.ts';
import { controllerContext } from './context.ts';
import { controllers } from './controllers.ts';
import { explainTrouble } from './explain-trouble.ts';
import { firstContact } from './first-contact.ts';
import type { Wired } from './lead.ts';
import { lead } from './lead.ts';
import { Desk } from './lock/desk.ts';
import { names } from './names.ts';
import type { OperatorOptions } from './operator-options.ts';

/**
 * Runs the operator until the signal is aborted, then stops in order within 5 s: no new work, what is under way ends, the lease is given
 * back, the servers close. Rejects with `ConfigurationError` for what only a person can mend. Resolves with `lost` when another replica
 * took over: then the process should end and be started anew.
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<TermEnd['reason']> {
  const transport = options.transport ?? nodeTransport(options.connection);
  try {
    return await new Operator(options, transport).run(signal);
  } finally {
    transport.close();
  }
}

class Operator {
  readonly #options: OperatorOptions;
  readonly #metrics = new Metrics();
  readonly #runtime = new RuntimeMetrics(this.#metrics);
  /** For what every replica does: the lease, the certificate. */
  readonly #client: KubeClient;
  readonly #lease: LeaderLease;
  readonly #webhook: Webhook;
  readonly #recorder: EventRecorder;
  readonly #wired: readonly Wired[];
  readonly #desk: Desk;

  constructor(options: OperatorOptions, transport: Transport) {
    this.#options = options;
    const { clock, random, logger, namespace, identity, podName, leaseDuration, requestDeadline } = options;
    const { onRequest } = this.#runtime;
    const measured = this.#runtime.leaderLease(names.lease);
    const patience = { ...(requestDeadline !== undefined && { deadline: requestDeadline }) };
    this.#client = new KubeClient({ transport, clock, random, onRequest, ...patience });
    this.#lease = new LeaderLease({
      // Its own rate limit: busy controllers must not keep the lease waiting.
      client: new KubeClient({ transport, clock, random, onRequest }),
      clock,
      random,
      lease: { namespace, name: names.lease },
      identity,
      grace: seconds(3),
      ...(leaseDuration !== undefined && leaseTimesFor(leaseDuration)),
      ...(podName !== undefined && { label: { pod: { namespace, name: podName }, key: names.leaderLabel } }),
      onLeading: (leading) => {
        measured.onLeading(leading);
        logger.info(leading ? 'leading' : 'not leading any more', { identity });
      },
      onHolder: (holder) => logger.info('the lease is held', { holder }),
      onTrouble: (doing, error) => logger.warn('trouble with the lease', { doing, error }),
    });
    // A drain of a node with hundreds of pods is hundreds of evictions: how many are on their way at once is what bounds them.
    const rateLimit = { perSecond: 400, burst: 400 };
    const fenced = fencedTransport(transport, this.#lease);
    const writing = new KubeClient({ transport: fenced, clock, random, rateLimit, onRequest, ...patience });
    this.#recorder = new EventRecorder({
      client: writing,
      clock,
      random,
      controller: 'drover.dev/operator',
      instance: podName ?? identity,
      onDropped: (why, error) => logger.debug('an event was dropped', { why, error }),
    });
    this.#desk = new Desk(clock);
    this.#webhook = new Webhook(options, this.#client, this.#runtime, this.#desk);
    this.#wired = controllers.map((definition) => {
      const shared = {
        client: writing,
        recorder: this.#recorder,
        metrics: this.#metrics,
        runtime: this.#runtime,
        desk: this.#desk,
      };
      const context = controllerContext(definition.name, options, shared);
      return { definition, controller: definition.create(context) };
    });
  }

  async run(signal: AbortSignal): Promise<TermEnd['reason']> {
    const { clock, host, healthPort, logger } = this.#options;
    const metrics = this.#metrics;
    const endpoints = await HttpEndpoints.start({
      clock,
      host,
      port: healthPort,
      healthz: [{ name: 'ping', check: () => undefined }],
      readyz: this.#readinessChecks(),
      metrics: { contentType: metrics.contentType, text: () => metrics.text() },
      onError: (error) => logger.error('the health server failed to answer', { error }),
    });
    // Whatever ends the term, also a webhook that cannot listen, ends everything.
    const all = new AbortController();
    const ending = AbortSignal.any([signal, all.signal]);
    try {
      await firstContact(this.#client, this.#options, ending);
      const reading = this.#wired.flatMap(({ controller }) =>
        controller.informers.map((informer) => informer.run(ending)),
      );
      const serving = this.#serve(endpoints.address.port, ending);
      const term = this.#lease.run(ending, (leading) => this.#lead(leading));
      const end = await Promise.race([term, serving.then(() => term)]);
      all.abort();
      await Promise.all([...reading, serving]);
      return end.reason;
    } catch (error) {
      if (signal.aborted) return 'stopped';
      throw error;
    } finally {
      all.abort();
      await this.#webhook.stop();
      await endpoints.close();
      logger.info('stopped');
    }
  }

  async #serve(health: number, signal: AbortSignal): Promise<void> {
    const first = await this.#webhook.start(signal);
    const webhook = this.#webhook.port ?? 0;
    this.#options.logger.info('listening', { host: this.#options.host, health, webhook });
    this.#options.onListening?.({ health, webhook });
    await this.#webhook.follow(first, signal);
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    await Promise.all(this.#wired.map((wired) => lead(wired, clock, logger, this.#runtime, signal)));
    // Before the lease is given back: after that nothing is sent any more.
    await this.#recorder.close(seconds(1));
  }

  #readinessChecks(): readonly HealthCheck[] {
    const caches = this.#wired.flatMap(({ controller }) =>
      controller.informers.map((informer): HealthCheck => {
        const state = () =>
          informer.trouble === undefined ? 'not read yet' : explainTrouble(informer.name, informer.trouble);
        return { name: informer.name, check: () => (informer.cache.hasSynced ? undefined : state()) };
      }),
    );
    const listening = () => (this.#webhook.port === undefined ? 'has no certificate yet' : undefined);
    return [...caches, { name: 'webhook', check: listening }];
  }
}
