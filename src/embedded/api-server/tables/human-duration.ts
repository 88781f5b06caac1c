import { fromTimestamp } from '../../../kube/clock.ts';
import { isString, type JsonValue } from '../json.ts';

/** A length of time as kubectl shows it: `5s`, `3m20s`, `2d4h`. Takes milliseconds. */
export function humanDuration(length: number): string {
  const seconds = Math.trunc(length / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return join(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return join(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return join(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.floor(hours / 24 / 365);
  return hours < 24 * 365 * 8 ? join(years, 'y', Math.floor((hours / 24) % 365), 'd') : `${years}y`;
}

const join = (most: number, unit: string, rest: number, small: string) =>
  rest === 0 ? `${most}${unit}` : `${most}${unit}${rest}${small}`;

/** How long ago a timestamp was. */
export function age(timestamp: JsonValue | undefined, now: number): string {
  const then = isString(timestamp) ? fromTimestamp(timestamp) : undefined;
  return then === undefined ? '<unknown>' : humanDuration(now - then);
}
