import type { Clock, Millis } from './clock.ts';
import { millis, sleep } from './clock.ts';

/** A rate limit: on average `perSecond`, at once at most `burst`. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** client-go's token bucket: whoever takes is told how long to wait; waiting tokens are reserved in the order of asking. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  #tokens: number;
  #refilled: number;

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#refilled = clock.monotonic();
  }

  /** Takes a token now, on credit if need be, and says how long to wait before using it. */
  reserve(): Millis {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + ((now - this.#refilled) * this.#limit.perSecond) / 1000);
    this.#refilled = now;
    this.#tokens -= 1;
    return millis(this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / this.#limit.perSecond);
  }

  /** Waits until a token is there. A caller that gives up has still used it, which errs on the slow side. */
  async take(signal: AbortSignal): Promise<void> {
    const wait = this.reserve();
    if (wait > 0) await sleep(this.#clock, wait, signal);
  }
}
