import type { Clock, EpochMillis, Millis, MonotonicMillis, Timer } from '../clock.ts';
import { epochMillis, millis } from '../clock.ts';

/**
 * The clock of one process among several on the same machine time. The process can be stalled: time goes on and shows when it asks, but
 * nothing that it waits for reaches it until the stall is over.
 */
export class ProcessClock implements Clock {
  readonly #clock: Clock;
  #stalledUntil = -Infinity;
  #skew = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): EpochMillis {
    return epochMillis(this.#clock.now() + this.#skew);
  }

  monotonic(): MonotonicMillis {
    return this.#clock.monotonic();
  }

  after(delay: Millis, callback: () => void): Timer {
    let timer = this.#clock.after(delay, () => deliver());
    const deliver = () => {
      const left = this.#stalledUntil - this.#clock.monotonic();
      if (left > 0) timer = this.#clock.after(millis(left), deliver);
      else callback();
    };
    return { cancel: () => timer.cancel() };
  }

  /** What arrives from outside reaches a stalled process once it goes on. */
  reach<T>(arrival: Promise<T>): Promise<T> {
    return arrival.then(
      (value) => this.#awake().then(() => value),
      (error) => this.#awake().then(() => Promise.reject(error)),
    );
  }

  stall(time: Millis): void {
    this.#stalledUntil = Math.max(this.#stalledUntil, this.#clock.monotonic() + time);
  }

  /** The wall clock of this process jumps. */
  jump(by: Millis): void {
    this.#skew += by;
  }

  #awake(): Promise<void> {
    if (this.#stalledUntil <= this.#clock.monotonic()) return Promise.resolve();
    return new Promise((resolve) => void this.after(millis(0), resolve));
  }
}
