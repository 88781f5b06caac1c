import type { Millis } from './clock.ts';
import { millis } from './clock.ts';

const units: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 3.6e6 };
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g;
const whole = new RegExp(`^(?:${part.source})+$`);

/** The length that Go writes as `3s`, `1m30s` or `250ms`, and nothing as `0` without a unit; undefined where the text is none. */
export function parseGoDuration(text: string): Millis | undefined {
  if (text === '0') return millis(0);
  if (!whole.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(part)) total += Number(amount) * (units[unit ?? ''] ?? 0);
  return millis(total);
}
