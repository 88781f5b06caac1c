import type { Clock, Millis, MonotonicMillis, Timer } from '../../../kube/clock.ts';
import { millis, monotonicMillis } from '../../../kube/clock.ts';

/** Renews the lease of a node. Rejects when that did not work. */
export type Renew = () => Promise<void>;

interface Beat {
  readonly renew: Renew;
  /** Where in the interval its renewals fall. */
  readonly phase: number;
  isBeating: boolean;
  last: MonotonicMillis;
  timer: Timer | undefined;
}

export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Between two renewals of a lease: a quarter of its duration. */
  readonly interval: Millis;
  /**
   * `written`: every renewal is a write, and only one that worked counts. `implied`: a lease is written when its kubelet begins, and from then
   * on counts as renewed in time for as long as the kubelet is connected. A simulated week of nine nodes would otherwise be half a million
   * writes that say nothing.
   */
  readonly leases: 'written' | 'implied';
  readonly onFailed: (error: unknown) => void;
}

/** The leases of all nodes: who renews in time, and since when somebody does not. */
export class Heartbeats {
  readonly #options: HeartbeatOptions;
  readonly #beats = new Map<string, Beat>();
  readonly #listeners = new Set<(node: string) => void>();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** The kubelet of the node is connected from now on. `phase` in [0, 1): where in the interval it renews. */
  begin(node: string, phase: number, renew: Renew): void {
    const { clock, interval } = this.#options;
    const known = this.#beats.get(node);
    if (known?.isBeating === true) return;
    const beat = {
      renew,
      phase: Math.floor(phase * interval),
      isBeating: true,
      last: clock.monotonic(),
      timer: undefined,
    };
    this.#beats.set(node, beat);
    this.#beat(beat);
    this.#tell(node);
  }

  /** The kubelet is dead or cut off from now on. */
  end(node: string): void {
    const beat = this.#beats.get(node);
    if (beat?.isBeating !== true) return;
    beat.last = this.#lastOf(beat);
    beat.isBeating = false;
    beat.timer?.cancel();
    this.#tell(node);
  }

  /** When the node's lease was last renewed. Undefined: never. */
  lastRenewal(node: string): MonotonicMillis | undefined {
    const beat = this.#beats.get(node);
    return beat === undefined ? undefined : this.#lastOf(beat);
  }

  /** Whether renewals go on by themselves, so that nobody has to look again before `listen` says so. */
  isSteady(node: string): boolean {
    return this.#options.leases === 'implied' && this.#beats.get(node)?.isBeating === true;
  }

  /** Hears of a node that begins or ends, and of every renewal that is written. */
  listen(listener: (node: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  stop(): void {
    for (const beat of this.#beats.values()) beat.timer?.cancel();
  }

  #tell(node: string): void {
    for (const listener of this.#listeners) listener(node);
  }

  #lastOf(beat: Beat): MonotonicMillis {
    const { clock, interval, leases } = this.#options;
    if (!beat.isBeating || leases === 'written') return beat.last;
    const now = clock.monotonic();
    const sinceBeat = (((now - beat.phase) % interval) + interval) % interval;
    return monotonicMillis(Math.max(beat.last, now - sinceBeat));
  }

  #beat(beat: Beat): void {
    const { clock, interval, leases, onFailed } = this.#options;
    const started = clock.monotonic();
    beat.renew().then(() => {
      beat.last = started;
    }, onFailed);
    if (leases === 'written') {
      beat.timer = clock.after(millis(interval), () => {
        if (beat.isBeating) this.#beat(beat);
      });
    }
  }
}
