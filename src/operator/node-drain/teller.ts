import type { NodeDrainStatus } from '../../api/v1alpha1/node-drain.schema.ts';
import type { CounterMetric, GaugeMetric } from '../../kube/metrics.ts';
import type { ControllerContext } from '../controller.ts';
import { nodeDrains } from '../lock/begun-drains.ts';
import type { ReadDrain } from './drain.ts';
import { eventsBetween } from './events.ts';
import type { Evicted } from './evict.ts';

/** Tells people how drains go: events on the NodeDrain, and metrics. */
export class Teller {
  readonly #recorder: ControllerContext['recorder'];
  readonly #evictions: CounterMetric<'answer'>;
  readonly #waits: CounterMetric<'reason'>;
  readonly #left: GaugeMetric<'drain'>;
  readonly #waiting: GaugeMetric<'drain'>;

  constructor({ recorder, metrics }: Pick<ControllerContext, 'recorder' | 'metrics'>) {
    this.#recorder = recorder;
    this.#evictions = metrics.counter({
      name: 'drover_drain_evictions_total',
      help: 'Evictions that drains asked for, by what came of them: evicted, gone, again, or the reason of a refusal.',
      labels: ['answer'],
    });
    this.#waits = metrics.counter({
      name: 'drover_drain_waits_total',
      help: 'Pods and nodes of drains that began to wait, by the reason.',
      labels: ['reason'],
    });
    this.#left = metrics.gauge({
      name: 'drover_drain_pods_left',
      help: 'Pods that still have to go, by the NodeDrain.',
      labels: ['drain'],
    });
    this.#waiting = metrics.gauge({
      name: 'drover_drain_pods_waiting',
      help: 'Pods that may not go now, by the NodeDrain.',
      labels: ['drain'],
    });
  }

  /** What a status says that the one before did not. */
  tell({ name, uid, status: before }: ReadDrain, now: NodeDrainStatus): void {
    const { group, version, kind } = nodeDrains;
    const regarding = { apiVersion: `${group}/${version}`, kind, name, uid };
    for (const { isWait, ...event } of eventsBetween(before, now)) {
      this.#recorder.record({ regarding, ...event });
      if (isWait) this.#waits.add({ reason: event.reason });
    }
    this.#left.set({ drain: name }, now.counts.podsLeft);
    this.#waiting.set({ drain: name }, now.counts.podsWaiting);
  }

  answered(pod: string, answer: Evicted): void {
    this.#evictions.add({ answer: answer.outcome === 'refused' ? answer.why(pod).code : answer.outcome });
  }

  forget(drain: string): void {
    this.#left.forget({ drain });
    this.#waiting.forget({ drain });
  }
}
