import type { Clock, EpochMillis, Millis, MonotonicMillis } from './clock.ts';
import { minutes } from './clock.ts';

/** More than any clock drifts between two looks, less than any date that matters here is precise to. */
const tolerance = minutes(5);

/**
 * Says whether the wall clock can be believed. After a jump it cannot, for `patience`: either it was just put right, or it was just put
 * wrong and will be put right again, and nothing that lasts should be done in between.
 */
export class ClockJump {
  readonly #clock: Clock;
  readonly #patience: Millis;
  #wall: EpochMillis;
  #steady: MonotonicMillis;
  #jumpedAt: MonotonicMillis | undefined;

  constructor(clock: Clock, patience: Millis = minutes(5)) {
    this.#clock = clock;
    this.#patience = patience;
    this.#wall = clock.now();
    this.#steady = clock.monotonic();
  }

  /** Whether the wall clock jumped recently. Jumps are noticed by asking: ask more often than they must not be missed. */
  get recent(): boolean {
    const wall = this.#clock.now();
    const steady = this.#clock.monotonic();
    if (Math.abs(wall - this.#wall - (steady - this.#steady)) > tolerance) this.#jumpedAt = steady;
    this.#wall = wall;
    this.#steady = steady;
    return this.#jumpedAt !== undefined && steady - this.#jumpedAt < this.#patience;
  }
}
