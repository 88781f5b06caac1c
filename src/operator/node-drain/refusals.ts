import { backoffDelay } from '../../kube/backoff.ts';
import { seconds } from '../../kube/clock.ts';
import type { Random } from '../../kube/random.ts';
import type { DrainPod, Refusal } from '../../model/drain.ts';
import type { Reason } from '../../model/reason.ts';
import { reasons } from '../../model/reasons.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';

/** Why the API server said no, as it is told of any pod that it holds. */
export type WhyRefused = (pod: string) => Reason;

interface Entry {
  readonly why: WhyRefused;
  readonly since: Instant;
  readonly retryAt: Instant;
  readonly failures: number;
  /** The state of the budget that it was refused under. */
  readonly version: string;
}

/** As patient as kubectl at first, and then less and less of a burden. */
const backoff = { first: seconds(5), most: seconds(30), factor: 1.5, jitter: 0.1 };

/** For so long a view is believed to be behind what was just done. */
const viewIsBehind = seconds(3);

type Refused = Pick<DrainPod, 'name' | 'uid' | 'budgets'>;

/**
 * What the API server would not evict, and when it is asked again. What a budget holds it holds for all its pods, so it is asked for one of them.
 * Lost with the process, everything is asked once more.
 */
export class Refusals {
  readonly #entries = new Map<string, Entry>();
  readonly #random: Random;
  readonly #budgets: { allowedBy(budget: string): number; versionOf(budget: string): string };

  constructor(random: Random, budgets: { allowedBy(budget: string): number; versionOf(budget: string): string }) {
    this.#random = random;
    this.#budgets = budgets;
  }

  /** The last no to a pod, or to another one under the same budget; null: none that still means something. */
  of(pod: Refused): Refusal | null {
    const entry = this.#entries.get(pod.uid) ?? this.#entries.get(keyOf(pod));
    if (entry === undefined) return null;
    // The budget allows something, and did not when it was last asked.
    const [budget] = pod.budgets;
    const isNews =
      budget !== undefined &&
      entry.failures > 0 &&
      this.#budgets.allowedBy(budget) > 0 &&
      this.#budgets.versionOf(budget) !== entry.version;
    if (isNews) return null;
    const { code, message, until } = entry.why(pod.name);
    return { reason: { code, message, until, since: entry.since }, retryAt: entry.retryAt };
  }

  refuse(pod: Refused, why: WhyRefused, now: Instant): void {
    const key = keyOf(pod);
    const before = this.#entries.get(key);
    const failures = (before?.failures ?? 0) + 1;
    const retryAt = instant(Math.round(now + backoffDelay(backoff, failures, this.#random)));
    const [budget] = pod.budgets;
    const version = budget === undefined ? '' : this.#budgets.versionOf(budget);
    this.#entries.set(key, { why, since: before?.since ?? now, retryAt, failures, version });
  }

  /** It was let go: until the view shows that, it is not asked for again. */
  letGo(pod: Refused, now: Instant): void {
    this.#entries.delete(keyOf(pod));
    this.#once(pod, (who) => reasons.podGoing({ pod: who, since: now }), now);
  }

  /** Somebody else changed it, or its budget, in the same moment. */
  overtaken(pod: Refused, now: Instant): void {
    const words = 'something else happened to it in the same moment';
    this.#once(pod, (who) => reasons.evictionRefused({ pod: who, words }), now);
  }

  /** Forgets everything about pods that are not there any more. */
  keep(pods: Iterable<Refused>): void {
    const present = new Set([...pods].flatMap((pod) => [pod.uid, keyOf(pod)]));
    for (const key of this.#entries.keys()) if (!present.has(key)) this.#entries.delete(key);
  }

  #once({ uid }: Refused, why: WhyRefused, now: Instant): void {
    this.#entries.set(uid, { why, since: now, retryAt: instant(now + viewIsBehind), failures: 0, version: '' });
  }
}

const keyOf = ({ budgets, uid }: Refused): string => (budgets.length === 1 ? `budget ${budgets[0]}` : `pod ${uid}`);
