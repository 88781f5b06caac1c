import type { Clock, Millis } from './clock.ts';
import { millis, seconds } from './clock.ts';
import type { RateLimit } from './token-bucket.ts';
import { TokenBucket } from './token-bucket.ts';

/** How long a key that failed waits for its next try. Never throws; a key that is never forgotten is remembered for good. */
export interface RateLimiter<Key> {
  /** Counts one more failure of the key and says how long it waits. */
  when(key: Key): Millis;
  /** The key is well again, or given up: its next failure counts as the first. */
  forget(key: Key): void;
  /** How often in a row the key failed. */
  failures(key: Key): number;
}

/** Each key by itself: `first` after the first failure, twice as long after each further one, never above `most`. */
export class KeyBackoff<Key> implements RateLimiter<Key> {
  readonly #first: Millis;
  readonly #most: Millis;
  readonly #failures = new Map<Key, number>();

  constructor(options: { readonly first: Millis; readonly most: Millis }) {
    this.#first = options.first;
    this.#most = options.most;
  }

  when(key: Key): Millis {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    return millis(Math.min(this.#most, this.#first * 2 ** failures));
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }

  failures(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }
}

/** All keys together: so many tries a second, whoever they are for. */
export class SharedRate<Key> implements RateLimiter<Key> {
  readonly #bucket: TokenBucket;

  constructor(clock: Clock, limit: RateLimit) {
    this.#bucket = new TokenBucket(clock, limit);
  }

  when(): Millis {
    return this.#bucket.reserve();
  }

  forget(): void {}

  failures(): number {
    return 0;
  }
}

/** As slow as the slowest of them. */
export function slowestOf<Key>(...limiters: readonly RateLimiter<Key>[]): RateLimiter<Key> {
  return {
    when: (key) => millis(Math.max(0, ...limiters.map((limiter) => limiter.when(key)))),
    forget: (key) => limiters.forEach((limiter) => limiter.forget(key)),
    failures: (key) => Math.max(0, ...limiters.map((limiter) => limiter.failures(key))),
  };
}

/** client-go's default for controllers: each key 5 ms doubling to 1000 s, or `most`, all keys together 10 a second with bursts of 100. */
export function defaultRateLimiter<Key>(clock: Clock, most = seconds(1000)): RateLimiter<Key> {
  return slowestOf<Key>(
    new KeyBackoff({ first: millis(5), most }),
    new SharedRate(clock, { perSecond: 10, burst: 100 }),
  );
}
