import type { Instant, Seconds } from './time.ts';

/** `a`, `a and b`, `a, b and 7 more`. */
export function list(items: readonly string[], most = 3): string {
  if (items.length > most) return `${items.slice(0, most - 1).join(', ')} and ${items.length - most + 1} more`;
  return items.length < 2 ? (items[0] ?? 'none') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** `1 zone`, `3 zones`, `2 copies`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** `jane wants it gone`, or `jane drains n1` where not it was asked for but others of its node. */
export const wantedBy = (by: string, drains: string | null): string =>
  drains === null ? `${by} wants it gone` : `${by} drains ${drains}`;

/** `45 s`, `12 min`, `3 h 20 min`: two parts at most. */
export function duration(seconds: Seconds): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} days` : `${days} days ${hours % 24} h`;
}

/** `2026-11-15T03:20:00Z`: absolute, because a message is read later than it is written. */
export function moment(instant: Instant): string {
  return new Date(instant).toISOString().replace('.000Z', 'Z');
}

/** `118 GiB`. */
export function bytes(amount: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = amount;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
