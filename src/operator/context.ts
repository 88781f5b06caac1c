import type { KubeClient } from '../kube/client.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import { Informer } from '../kube/informer.ts';
import type { Metrics } from '../kube/metrics.ts';
import { resourceName } from '../kube/resource.ts';
import type { RuntimeMetrics } from '../kube/runtime-metrics.ts';
import type { ControllerContext } from './controller.ts';
import { shippedEngines } from './engines.ts';
import { explainTrouble } from './explain-trouble.ts';
import type { Desk } from './lock/desk.ts';
import { names } from './names.ts';
import type { OperatorOptions } from './operator-options.ts';

/** What of the operator's options the controllers get. */
export type SharedOptions = Pick<
  OperatorOptions,
  'clock' | 'random' | 'logger' | 'engines' | 'namespace' | 'image' | 'leavingTaints' | 'coversForeign'
> &
  Pick<ControllerContext, 'witness'>;

/** What all controllers share. */
export interface SharedParts {
  readonly client: KubeClient;
  readonly recorder: EventRecorder;
  readonly metrics: Metrics;
  readonly runtime: RuntimeMetrics;
  readonly desk: Desk;
}

/** What one controller is given: the shared parts under its own name in the log. */
export function controllerContext(
  name: string,
  options: SharedOptions,
  { client, recorder, metrics, runtime, desk }: SharedParts,
): ControllerContext {
  const {
    clock,
    random,
    logger,
    engines = shippedEngines({ clock, client }),
    namespace,
    image = names.image,
  } = options;
  const log = logger.with({ controller: name });
  return {
    client,
    clock,
    random,
    logger: log,
    recorder,
    metrics,
    engines,
    desk,
    leavingTaints: options.leavingTaints ?? [],
    coversForeign: options.coversForeign ?? true,
    witness: options.witness,
    own: { namespace, serviceAccount: names.serviceAccount, image },
    informer(options) {
      const resource = resourceName(options.resource);
      const hooks = runtime.reflector(resource);
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
      runtime.cache(resource, informer.cache);
      return informer;
    },
  };
}
