import type { KubeClient } from '../../kube/client.ts';
import type { Clock, Millis } from '../../kube/clock.ts';
import { elapsed, seconds } from '../../kube/clock.ts';
import type { PodToEvict } from '../../model/drain.ts';
import { nextInLine } from '../../plan/eviction-line.ts';
import type { Evicted } from './evict.ts';
import { evict } from './evict.ts';

/** After so long the drain is looked at again before more is sent: things change, and people want to see how far it is. */
const slice: Millis = seconds(5);

export interface EvictorOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly allowedBy: (budget: string) => number;
}

/** Evicts pods of all drains, so many at once as does any good: over all of them together, because there is one API server. */
export class Evictor {
  readonly #options: EvictorOptions;
  readonly #inFlight: PodToEvict[] = [];

  constructor(options: EvictorOptions) {
    this.#options = options;
  }

  /**
   * Sends the line, in order and as far as there is room and time, and resolves when all that was sent is answered. Hears every answer. What a
   * budget refuses it would refuse to the next one, too: the rest of its pods are not sent.
   */
  async send(
    line: readonly PodToEvict[],
    gracePeriodSeconds: number | null,
    hear: (pod: PodToEvict, answer: Evicted) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock, allowedBy } = this.#options;
    const started = clock.monotonic();
    const own = new Set<Promise<void>>();
    let left = [...line];
    let failure: { readonly error: unknown } | undefined;
    const one = async (pod: PodToEvict): Promise<void> => {
      this.#inFlight.push(pod);
      try {
        const answer = await evict(client, pod, gracePeriodSeconds, signal);
        hear(pod, answer);
        if (answer.outcome === 'refused') left = left.filter((other) => !sharesBudget(pod, other));
      } catch (error) {
        failure = { error };
      } finally {
        this.#inFlight.splice(this.#inFlight.indexOf(pod), 1);
      }
    };
    for (;;) {
      const isTime = failure === undefined && elapsed(clock, started) < slice;
      const next = isTime ? nextInLine(left, this.#inFlight, allowedBy) : undefined;
      if (next !== undefined) {
        left = left.filter((pod) => pod !== next);
        const sent = one(next);
        own.add(sent);
        void sent.then(() => own.delete(sent));
      } else if (own.size > 0) await Promise.race(own);
      else break;
    }
    if (failure !== undefined) throw failure.error;
  }
}

const sharesBudget = (a: PodToEvict, b: PodToEvict): boolean => a.budgets.some((budget) => b.budgets.includes(budget));
