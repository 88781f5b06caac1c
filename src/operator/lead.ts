import type { Clock } from '../kube/clock.ts';
import { seconds } from '../kube/clock.ts';
import { runWorkers } from '../kube/controller.ts';
import { isConflict } from '../kube/errors.ts';
import type { Logger } from '../kube/log.ts';
import type { KeyText } from '../kube/object.ts';
import { defaultRateLimiter } from '../kube/rate-limiter.ts';
import type { RuntimeMetrics } from '../kube/runtime-metrics.ts';
import { WorkQueue } from '../kube/work-queue.ts';
import type { Controller, ControllerDefinition } from './controller.ts';

/** A controller with its line in the list. */
export interface Wired {
  readonly definition: ControllerDefinition;
  readonly controller: Controller;
}

/**
 * What fails is tried again at least as often as what is at rest is looked at. client-go's 1000 s would let a drain stand still for a quarter of an hour
 * after an outage that is over.
 */
const longestWait = seconds(30);

/**
 * Works for as long as this process leads: one controller, once everything that it reads was read since it leads. A replica that watched until now may
 * be behind, and would count a pod that the last leader has just deleted.
 */
export async function lead(
  { definition, controller }: Wired,
  clock: Clock,
  logger: Logger,
  metrics: RuntimeMetrics,
  signal: AbortSignal,
): Promise<void> {
  const { name, workers } = definition;
  await Promise.all(controller.informers.map((informer) => informer.renewed(signal)));
  const rateLimiter = defaultRateLimiter<KeyText>(clock, longestWait);
  const queue = new WorkQueue({ clock, rateLimiter, metrics: metrics.workQueue(name) });
  const stopWatching = controller.watch((key) => queue.add(key));
  const { abandoned } = await runWorkers({
    queue,
    workers,
    clock,
    signal,
    reconcile: controller.reconcile,
    grace: seconds(2),
    ...metrics.controller(name, workers),
    onError(key, error, { failures, retried }) {
      // A lost race is a new decision, not an error.
      if (isConflict(error)) logger.debug('somebody else was faster, looking again', { key, error });
      else logger.error('reconcile failed', { controller: name, key, failures, retried, error });
    },
  });
  stopWatching();
  if (abandoned.length > 0)
    logger.warn('work was still under way when it had to stop', { controller: name, keys: abandoned });
}
