import { BoundedMap } from './bounded-map.ts';
import type { Clock, MonotonicMillis } from './clock.ts';
import { elapsed } from './clock.ts';
import type { RateLimit } from './token-bucket.ts';

interface Allowance {
  tokens: number;
  since: MonotonicMillis;
}

/** Lets each key through at its own rate and refuses the rest. Remembers the 4096 keys that were seen last. */
export class SpamGuard {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  readonly #allowances = new BoundedMap<string, Allowance>(4096);

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Takes a token of the key, if it has one; a refusal costs nothing. */
  admits(key: string): boolean {
    const known = this.#allowances.get(key) ?? { tokens: this.#limit.burst, since: this.#clock.monotonic() };
    const earned = (elapsed(this.#clock, known.since) / 1000) * this.#limit.perSecond;
    const tokens = Math.min(this.#limit.burst, known.tokens + earned);
    const admitted = tokens >= 1;
    this.#allowances.set(key, { tokens: admitted ? tokens - 1 : tokens, since: this.#clock.monotonic() });
    return admitted;
  }
}
