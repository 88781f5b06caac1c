import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';

/** A moment that Kubernetes wrote; null where there is none, or none that can be read. */
export function moment(text: string | null | undefined): Instant | null {
  const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(milliseconds) ? null : instant(milliseconds);
}
