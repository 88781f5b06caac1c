import type { Instant } from '../model/time.ts';
import { instant } from '../model/time.ts';

/** When to ask again what was refused or failed: after a minute, then twice as long each time, up to a quarter of an hour. */
export const retryAt = (since: Instant, attempts: number): Instant =>
  instant(since + Math.min(60_000 * 2 ** Math.min(attempts - 1, 10), 900_000));
