import type { Clock, Millis, Timer } from '../../kube/clock.ts';
import { millis } from '../../kube/clock.ts';

/** What a controller does on a later turn of the clock, so that a write and its consequences are apart. */
export class Later {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  do(work: () => void, delay: Millis = millis(0)): void {
    if (this.#stopped) return;
    const timer = this.#clock.after(delay, () => {
      this.#timers.delete(timer);
      work();
    });
    this.#timers.add(timer);
  }

  /** Nothing is done any more, and no timer is left. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}
