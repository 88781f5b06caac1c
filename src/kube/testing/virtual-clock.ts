import { setImmediate } from 'node:timers/promises';
import type { Clock, EpochMillis, Millis, MonotonicMillis, Timer } from '../clock.ts';
import { epochMillis, millis, monotonicMillis } from '../clock.ts';
import { DeadlineHeap } from '../deadline-heap.ts';

/**
 * Time that moves only when told. Timers fire in the order of their due times, equal ones in the order in which they were set,
 * and after each one the work that it started is let run, as far as it can go without more time, before the next fires.
 */
export class VirtualClock implements Clock {
  #elapsed = 0;
  #skew = 0;
  readonly #start: number;
  readonly #timers = new DeadlineHeap<Timer & { readonly callback: () => void }>();

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
    const timer = { callback, cancel: () => this.#timers.remove(timer) };
    this.#timers.add(timer, monotonicMillis(this.#elapsed + Math.max(0, delay)));
    return timer;
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** How long until the next timer is due, or undefined without one. */
  get untilNext(): Millis | undefined {
    const { next } = this.#timers;
    return next === undefined ? undefined : millis(next - this.#elapsed);
  }

  /** Lets `delay` pass, firing what falls due on the way. */
  async pass(delay: Millis): Promise<void> {
    const end = this.#elapsed + delay;
    await settle();
    for (let { next } = this.#timers; next !== undefined && next <= end; { next } = this.#timers) {
      this.#elapsed = Math.max(this.#elapsed, next);
      this.#timers.take(next)?.key.callback();
      await settle();
    }
    // Others may let time pass at the same time, and further: it never runs back.
    this.#elapsed = Math.max(this.#elapsed, end);
  }

  /** The wall clock jumps by `by`, forwards or back; the monotonic clock and the timers do not notice. */
  jump(by: Millis): void {
    this.#skew += by;
  }

  /** Lets running work go as far as it can without more time. */
  settle(): Promise<void> {
    return settle();
  }
}

/**
 * One turn of the loop: Node runs every promise and every `nextTick` that is ready, however long their chains, before it goes on to the next
 * `setImmediate`. So all is at rest but what waits for the world outside of this process.
 */
function settle(): Promise<void> {
  return setImmediate();
}
