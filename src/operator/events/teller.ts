import { group, version } from '../../api/kind.ts';
import type { CounterMetric, Metrics } from '../../kube/metrics.ts';
import type { KeyText } from '../../kube/object.ts';
import { keyText } from '../../kube/object.ts';
import type { Decision } from '../../model/decision.ts';
import type { ControllerContext } from '../controller.ts';
import type { SilenceNews } from '../engine-room/silence.ts';
import type { LockOwner } from '../lock/lock-owner.ts';
import type { Said } from './explain.ts';
import { eventsFor, saidBy } from './explain.ts';

/** Tells people what is decided: an event and a metric for everything that is done, and for every wait when it begins. */
export class Teller {
  readonly #recorder: ControllerContext['recorder'];
  readonly #told: DecisionsMetric;
  readonly #said = new Map<KeyText, Said>();

  constructor({ recorder, metrics }: Pick<ControllerContext, 'recorder' | 'metrics'>) {
    this.#recorder = recorder;
    this.#told = decisionsMetric(metrics);
  }

  /** `before` says what was told before this process began. */
  tell(owner: LockOwner, decision: Decision, silence: SilenceNews | undefined, before: () => Said): void {
    const key = keyText(owner);
    const regarding = { apiVersion: `${group}/${version}`, ...owner };
    if (silence !== undefined) {
      this.#recorder.record({ regarding, ...silence, action: 'Observe' });
      this.#told.add({ cluster: key, step: 'observe', reason: silence.reason });
    }
    for (const { type, reason, note, action, step } of eventsFor(decision, this.#said.get(key) ?? before())) {
      this.#recorder.record({ regarding, type, reason, note, action });
      this.#told.add({ cluster: key, step, reason });
    }
    this.#said.set(key, saidBy(decision));
  }

  /** Nothing is done about an object as it is. */
  refuse(owner: LockOwner, { reason, message }: { readonly reason: string; readonly message: string }): void {
    const regarding = { apiVersion: `${group}/${version}`, ...owner };
    this.#recorder.record({ regarding, type: 'Warning', reason, note: message, action: 'Refuse' });
    this.#told.add({ cluster: keyText(owner), step: 'refuse', reason });
  }

  forget(key: KeyText): void {
    this.#said.delete(key);
  }
}

type DecisionsMetric = CounterMetric<'cluster' | 'step' | 'reason'>;

/** Both kinds that decide count here, and a name can be taken once. */
const taken = new WeakMap<Metrics, DecisionsMetric>();

function decisionsMetric(metrics: Metrics): DecisionsMetric {
  const known = taken.get(metrics);
  if (known !== undefined) return known;
  const made = metrics.counter({
    name: 'drover_decisions_total',
    help: 'What was done, refused, or began to wait, by the step of the plan and the reason.',
    labels: ['cluster', 'step', 'reason'],
  });
  taken.set(metrics, made);
  return made;
}
