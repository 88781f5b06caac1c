import type { Clock, EpochMillis, Millis, MonotonicMillis, Timer } from '../../kube/clock.ts';
import { epochMillis } from '../../kube/clock.ts';

/** A machine's clock that is wrong about the time of day; what it measures is right. */
export class SkewedClock implements Clock {
  readonly #clock: Clock;
  /** How far ahead it is, in seconds. */
  skew = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): EpochMillis {
    return epochMillis(this.#clock.now() + this.skew * 1000);
  }

  monotonic(): MonotonicMillis {
    return this.#clock.monotonic();
  }

  after(delay: Millis, callback: () => void): Timer {
    return this.#clock.after(delay, callback);
  }
}
