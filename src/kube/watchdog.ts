import type { Clock, Millis, Timer } from './clock.ts';

/** Bites once when it was not fed for `patience`. Dispose it when the work is over. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #patience: Millis;
  readonly #bite: () => void;
  #timer: Timer;

  constructor(clock: Clock, patience: Millis, bite: () => void) {
    this.#clock = clock;
    this.#patience = patience;
    this.#bite = bite;
    this.#timer = clock.after(patience, bite);
  }

  feed(): void {
    this.#timer.cancel();
    this.#timer = this.#clock.after(this.#patience, this.#bite);
  }

  dispose(): void {
    this.#timer.cancel();
  }
}
