import type { Millis } from './clock.ts';
import { millis } from './clock.ts';
import type { Random } from './random.ts';

/** How waits grow: `first`, then times `factor` each time, never above `most`; `jitter` adds up to that fraction by chance. */
export interface BackoffOptions {
  readonly first: Millis;
  readonly most: Millis;
  readonly factor: number;
  readonly jitter: number;
}

/** The wait before the try that follows `failures` failed ones (1 for the first retry). */
export function backoffDelay(options: BackoffOptions, failures: number, random: Random): Millis {
  const grown = Math.min(options.most, options.first * options.factor ** Math.max(0, failures - 1));
  return millis(Math.min(options.most * (1 + options.jitter), grown * (1 + options.jitter * random.next())));
}
