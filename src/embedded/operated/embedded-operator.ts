import { KubeClient } from '../../kube/client.ts';
import type { Clock } from '../../kube/clock.ts';
import { seconds } from '../../kube/clock.ts';
import { EventRecorder } from '../../kube/event-recorder.ts';
import type { Logger } from '../../kube/log.ts';
import { Metrics } from '../../kube/metrics.ts';
import type { Random } from '../../kube/random.ts';
import { RuntimeMetrics } from '../../kube/runtime-metrics.ts';
import type { Transport } from '../../kube/transport.ts';
import { controllerContext } from '../../operator/context.ts';
import { controllers } from '../../operator/controllers.ts';
import type { EngineSources } from '../../operator/engine-room/engine-source.ts';
import { lead } from '../../operator/lead.ts';
import type { Desk } from '../../operator/lock/desk.ts';
import { names } from '../../operator/names.ts';
import type { RoundWitness } from '../../operator/round-witness.ts';

export interface EmbeddedOperatorOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly engines: EngineSources;
  /** Where the webhook and the controllers meet. */
  readonly desk: Desk;
  /** Who watches it decide. */
  readonly witness?: RoundWitness;
  /** Taints by which others say that a node is about to go. */
  readonly leavingTaints?: readonly string[];
  /** Whether pods that no lock can be on are covered by a webhook that fails closed. @default true */
  readonly coversForeign?: boolean;
}

/**
 * The operator's own controllers in a world in memory, as they ship: without a lease, because there is no other, and without servers, because nobody
 * asks. Runs until the signal is aborted.
 */
export async function runEmbeddedOperator(options: EmbeddedOperatorOptions, signal: AbortSignal): Promise<void> {
  const { transport, clock, random, logger, desk } = options;
  const metrics = new Metrics();
  const runtime = new RuntimeMetrics(metrics);
  const client = new KubeClient({ transport, clock, random, rateLimit: { perSecond: 1e6, burst: 1e6 } });
  const recorder = new EventRecorder({
    client,
    clock,
    random,
    controller: 'drover.dev/operator',
    instance: 'embedded',
  });
  const wired = controllers.map((definition) => {
    const own = { ...options, namespace: names.namespace };
    const context = controllerContext(definition.name, own, { client, recorder, metrics, runtime, desk });
    return { definition, controller: definition.create(context) };
  });
  const reading = wired.flatMap(({ controller }) => controller.informers.map((informer) => informer.run(signal)));
  try {
    await Promise.all(wired.map((one) => lead(one, clock, logger, runtime, signal)));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await recorder.close(seconds(0));
  await Promise.all(reading);
}
