import type { MonotonicMillis } from '../../../kube/clock.ts';
import { monotonicMillis, seconds } from '../../../kube/clock.ts';
import type { FdbState } from './fdb-state.ts';

/**
 * One zone whose storage servers may be away without their data being copied elsewhere. It ends by itself after its time, or when a storage
 * server of another zone fails.
 */
export class Maintenance {
  readonly #state: FdbState;
  #current: { readonly zone: string; readonly until: MonotonicMillis } | null = null;

  constructor(state: FdbState) {
    this.#state = state;
  }

  get zone(): string | null {
    return this.#current?.zone ?? null;
  }

  /** How many seconds are left of it. */
  get secondsLeft(): number {
    return this.#current === null ? 0 : (this.#current.until - this.#state.options.clock.monotonic()) / 1000;
  }

  /** Replaces that of another zone: there is only one at a time. */
  begin(zone: string, forSeconds: number): void {
    if (forSeconds <= 0) return this.end();
    const until = monotonicMillis(this.#state.options.clock.monotonic() + forSeconds * 1000);
    this.#current = { zone, until };
    this.#state.agenda.set('maintenance', seconds(forSeconds), () => this.#state.happen(() => this.end()));
  }

  end(): void {
    this.#current = null;
    this.#state.agenda.cancel('maintenance');
  }
}
