import type { Clock, EpochMillis } from '../../../src/kube/clock.ts';
import { epochMillis, millis, monotonicMillis } from '../../../src/kube/clock.ts';
import { realClock } from '../../../src/kube/real-clock.ts';

/** A clock that runs so many times as fast as the machine's, from now on. Rules about minutes are seen in seconds. */
export class QuickClock implements Clock {
  readonly #times: number;
  readonly #begin = { now: realClock.now(), monotonic: realClock.monotonic() };

  constructor(times: number) {
    this.#times = times;
  }

  now(): EpochMillis {
    return epochMillis(this.#begin.now + this.#passed());
  }

  monotonic(): ReturnType<Clock['monotonic']> {
    return monotonicMillis(this.#begin.monotonic + this.#passed());
  }

  after(delay: Parameters<Clock['after']>[0], callback: () => void): ReturnType<Clock['after']> {
    return realClock.after(millis(delay / this.#times), callback);
  }

  /** The moment on this clock at which the machine's clock showed `moment`. What was before its time stays. */
  of(moment: EpochMillis): EpochMillis {
    const { now } = this.#begin;
    return moment <= now ? moment : epochMillis(now + (moment - now) * this.#times);
  }

  #passed(): number {
    return (realClock.monotonic() - this.#begin.monotonic) * this.#times;
  }
}
