import type { Clock, EpochMillis } from '../../src/kube/clock.ts';
import { epochMillis, millis, monotonicMillis } from '../../src/kube/clock.ts';
import { realClock } from '../../src/kube/real-clock.ts';

/**
 * A clock that runs so many times as fast as the machine's, from a moment on. Rules about minutes are seen in seconds. Clocks of several processes
 * that are as quick since the same moment show the same.
 */
export class QuickClock implements Clock {
  readonly times: number;
  readonly since: EpochMillis;

  constructor(times: number, since: EpochMillis = realClock.now()) {
    this.times = times;
    this.since = since;
  }

  now(): EpochMillis {
    return this.of(realClock.now());
  }

  monotonic(): ReturnType<Clock['monotonic']> {
    return monotonicMillis(realClock.monotonic() * this.times);
  }

  after(delay: Parameters<Clock['after']>[0], callback: () => void): ReturnType<Clock['after']> {
    return realClock.after(millis(delay / this.times), callback);
  }

  /** The moment on this clock at which the machine's clock showed `moment`. What was before its time stays. */
  of(moment: EpochMillis): EpochMillis {
    return moment <= this.since ? moment : epochMillis(this.since + (moment - this.since) * this.times);
  }
}
