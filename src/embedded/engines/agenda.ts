import type { Clock, Millis, Timer } from '../../kube/clock.ts';
import { millis } from '../../kube/clock.ts';

interface Entry {
  readonly due: number;
  readonly order: number;
  readonly act: () => void;
}

/**
 * What an engine will do later, by name: one entry a name, one timer for all. A simulator runs many engines on one clock, and a clock
 * with few timers is fast. Entries happen in the order of their due times, equal ones in the order in which they were set.
 */
export class Agenda {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  #order = 0;
  #timer: Timer | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  #happening = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An entry of that name is replaced. */
  set(name: string, delay: Millis, act: () => void): void {
    // Whole milliseconds, rounded up: nothing happens early, and a fraction never leaves a rest that needs another turn.
    const due = this.#clock.monotonic() + Math.max(0, Math.ceil(delay));
    this.#entries.set(name, { due, order: this.#order++, act });
    this.#arm();
  }

  cancel(name: string): void {
    if (this.#entries.delete(name)) this.#arm();
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  get size(): number {
    return this.#entries.size;
  }

  #arm(): void {
    if (this.#happening) return;
    const next = this.#earliest();
    const due = next === undefined ? Number.POSITIVE_INFINITY : next[1].due;
    if (due === this.#armedFor) return;
    this.#timer?.cancel();
    this.#armedFor = due;
    this.#timer =
      next === undefined ? undefined : this.#clock.after(millis(due - this.#clock.monotonic()), () => this.#happen());
  }

  #happen(): void {
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.#happening = true;
    try {
      for (let next = this.#earliest(); next !== undefined; next = this.#earliest()) {
        const [name, entry] = next;
        if (entry.due > this.#clock.monotonic()) break;
        this.#entries.delete(name);
        entry.act();
      }
    } finally {
      this.#happening = false;
      this.#arm();
    }
  }

  #earliest(): readonly [string, Entry] | undefined {
    let first: readonly [string, Entry] | undefined;
    for (const entry of this.#entries) {
      const [, { due, order }] = entry;
      if (first === undefined || due < first[1].due || (due === first[1].due && order < first[1].order)) first = entry;
    }
    return first;
  }
}
