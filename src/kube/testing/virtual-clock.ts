import { setImmediate } from 'node:timers/promises';
import type { Clock, EpochMillis, Millis, MonotonicMillis, Timer } from '../clock.ts';
import { epochMillis, millis, monotonicMillis } from '../clock.ts';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * Time that moves only when told. Timers fire in the order of their due times, equal ones in the order in which they were set,
 * and after each one the work that it started is let run, as far as it can go without more time, before the next fires.
 */
export class VirtualClock implements Clock {
  #elapsed = 0;
  #skew = 0;
  #order = 0;
  readonly #start: number;
  readonly #pending = new Set<Pending>();

  constructor(start = '2026-11-15T00:00:00Z') {
    this.#start = Date.parse(start);
  }

  now(): EpochMillis {
    // Whole milliseconds, as machines have them, whatever fractions were waited for.
    return epochMillis(Math.floor(this.#start + this.#elapsed + this.#skew));
  }

  monotonic(): MonotonicMillis {
    return monotonicMillis(this.#elapsed);
  }

  after(delay: Millis, callback: () => void): Timer {
    const timer: Pending = { due: this.#elapsed + Math.max(0, delay), order: this.#order++, callback };
    this.#pending.add(timer);
    return { cancel: () => void this.#pending.delete(timer) };
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#pending.size;
  }

  /** How long until the next timer is due, or undefined without one. */
  get untilNext(): Millis | undefined {
    const next = this.#next();
    return next === undefined ? undefined : millis(next.due - this.#elapsed);
  }

  /** Lets `delay` pass, firing what falls due on the way. */
  async pass(delay: Millis): Promise<void> {
    const end = this.#elapsed + delay;
    await settle();
    for (let next = this.#next(); next !== undefined && next.due <= end; next = this.#next()) {
      this.#elapsed = Math.max(this.#elapsed, next.due);
      this.#pending.delete(next);
      next.callback();
      await settle();
    }
    this.#elapsed = end;
  }

  /** The wall clock jumps by `by`, forwards or back; the monotonic clock and the timers do not notice. */
  jump(by: Millis): void {
    this.#skew += by;
  }

  /** Lets running work go as far as it can without more time. */
  settle(): Promise<void> {
    return settle();
  }

  #next(): Pending | undefined {
    let next: Pending | undefined;
    for (const timer of this.#pending) {
      if (next === undefined || timer.due < next.due || (timer.due === next.due && timer.order < next.order))
        next = timer;
    }
    return next;
  }
}

/** Promises chained a few deep, and streams, need more than one turn of the loop before they are at rest. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}
