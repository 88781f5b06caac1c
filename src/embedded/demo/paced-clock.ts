import type { Clock, EpochMillis, Millis, MonotonicMillis, Timer } from '../../kube/clock.ts';
import { elapsed, millis, sleep, toTimestamp } from '../../kube/clock.ts';
import { VirtualClock } from '../../kube/testing/virtual-clock.ts';

/** How often time moves on, by the clock beneath. */
const tick = millis(20);
/** A machine that was asleep or busy for longer has not lived through it: what is more than this is left out. */
const longestStep = millis(250);

/**
 * A clock that runs so many times as fast as the one beneath it, or, where it is hurried, as fast as the work allows. Work is let finish before
 * the next timer fires, so at a speed that the machine cannot keep up with time slows down, and nothing times out for that.
 */
export class PacedClock implements Clock {
  readonly #beneath: Clock;
  readonly #virtual: VirtualClock;

  /** It shows `begin`, and stands until it runs or is hurried. */
  constructor(beneath: Clock, begin: EpochMillis) {
    this.#beneath = beneath;
    this.#virtual = new VirtualClock(toTimestamp(begin));
  }

  now(): EpochMillis {
    return this.#virtual.now();
  }

  monotonic(): MonotonicMillis {
    return this.#virtual.monotonic();
  }

  after(delay: Millis, callback: () => void): Timer {
    return this.#virtual.after(delay, callback);
  }

  /** Runs at `speed` until the signal is aborted. */
  async run(speed: number, signal: AbortSignal): Promise<void> {
    let last = this.#beneath.monotonic();
    while (!signal.aborted) {
      await sleep(this.#beneath, tick, signal).catch(() => {});
      const passed = Math.min(elapsed(this.#beneath, last), longestStep);
      last = this.#beneath.monotonic();
      await this.#virtual.pass(millis(passed * speed));
    }
  }

  /** Lets time fly until the work is done; what it came to is the work's own. */
  async hurry<Result>(work: Promise<Result>): Promise<Result> {
    const done = new AbortController();
    const watched = work.finally(() => done.abort());
    // Whoever waits for the work hears of its failure.
    watched.catch(() => {});
    while (!done.signal.aborted) await this.#virtual.pass(hurriedStep);
    return watched;
  }
}

const hurriedStep = millis(1000);
