interface Waiter {
  readonly holds: () => boolean;
  readonly resolve: () => void;
}

/** Whoever waits for the database to reach a state. They are asked after every event: nothing is polled. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  /** Resolves as soon as it holds, at once if it does already; also when the signal is aborted. */
  until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    if (holds() || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter: Waiter = {
        holds,
        resolve: () => {
          this.#waiting.delete(waiter);
          signal.removeEventListener('abort', waiter.resolve);
          resolve();
        },
      };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', waiter.resolve);
    });
  }

  check(): void {
    for (const waiter of this.#waiting) if (waiter.holds()) waiter.resolve();
  }
}
