import { group, version } from '../../api/kind.ts';
import { statefulCluster } from '../../api/kinds.ts';
import type { CounterMetric } from '../../kube/metrics.ts';
import type { KeyText } from '../../kube/object.ts';
import type { Decision } from '../../model/decision.ts';
import type { ControllerContext } from '../controller.ts';
import type { Cluster } from './cluster.ts';
import type { Said } from './explain.ts';
import { eventsFor, saidBy } from './explain.ts';
import { saidBefore } from './said-before.ts';
import type { SilenceNews } from './silence.ts';

/** Tells people what is decided: an event and a metric for everything that is done, and for every wait when it begins. */
export class Teller {
  readonly #recorder: ControllerContext['recorder'];
  readonly #told: CounterMetric<'cluster' | 'step' | 'reason'>;
  readonly #said = new Map<KeyText, Said>();

  constructor({ recorder, metrics }: Pick<ControllerContext, 'recorder' | 'metrics'>) {
    this.#recorder = recorder;
    this.#told = metrics.counter({
      name: 'drover_decisions_total',
      help: 'What was done, refused, or began to wait, by the step of the plan and the reason.',
      labels: ['cluster', 'step', 'reason'],
    });
  }

  tell(cluster: Cluster, decision: Decision, silence: SilenceNews | undefined): void {
    const { key, namespace, name, uid, status } = cluster;
    const regarding = { apiVersion: `${group}/${version}`, kind: statefulCluster.kind, namespace, name, uid };
    if (silence !== undefined) {
      this.#recorder.record({ regarding, ...silence, action: 'Observe' });
      this.#told.add({ cluster: key, step: 'observe', reason: silence.reason });
    }
    for (const { type, reason, note, action, step } of eventsFor(
      decision,
      this.#said.get(key) ?? saidBefore(status, decision),
    )) {
      this.#recorder.record({ regarding, type, reason, note, action });
      this.#told.add({ cluster: key, step, reason });
    }
    this.#said.set(key, saidBy(decision));
  }

  forget(key: KeyText): void {
    this.#said.delete(key);
  }
}
