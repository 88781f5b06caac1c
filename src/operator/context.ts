import type { KubeClient } from '../kube/client.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import { Informer } from '../kube/informer.ts';
import { resourceName } from '../kube/resource.ts';
import type { RuntimeMetrics } from '../kube/runtime-metrics.ts';
import type { ControllerContext } from './controller.ts';
import { explainTrouble } from './explain-trouble.ts';
import type { OperatorOptions } from './operator-options.ts';

/** What one controller is given: the shared parts under its own name in the log. */
export function controllerContext(
  name: string,
  { clock, random, logger }: OperatorOptions,
  client: KubeClient,
  recorder: EventRecorder,
  metrics: RuntimeMetrics,
): ControllerContext {
  const log = logger.with({ controller: name });
  return {
    client,
    clock,
    random,
    logger: log,
    recorder,
    informer(options) {
      const resource = resourceName(options.resource);
      const hooks = metrics.reflector(resource);
      let said: string | undefined;
      const informer = new Informer({
        ...options,
        client,
        clock,
        random,
        onRead: hooks.onRead,
        onHandlerError: (error) => log.error('a handler failed', { error }),
        onHealth(trouble) {
          hooks.onHealth(trouble);
          const sentence = trouble === undefined ? undefined : explainTrouble(resource, trouble);
          if (sentence === said) return;
          said = sentence;
          if (sentence === undefined) log.info('reading again', { resource });
          else log.warn('cannot read, trying again', { resource, why: sentence });
        },
      });
      metrics.cache(resource, informer.cache);
      return informer;
    },
  };
}
