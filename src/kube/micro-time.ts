import type { EpochMillis } from './clock.ts';
import { toTimestamp } from './clock.ts';

/**
 * RFC 3339 with six digits after the second: the only form in which the API server takes a `metav1.MicroTime`. `micros` from 0 to 999 are
 * for telling apart what happened in one millisecond.
 */
export function toMicroTime(instant: EpochMillis, micros = 0): string {
  return toTimestamp(instant).replace('Z', `${String(micros).padStart(3, '0')}Z`);
}
