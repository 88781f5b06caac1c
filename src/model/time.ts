/** A moment, in milliseconds since 1970. The core never asks for it: it is given with the snapshot. */
export type Instant = number & { readonly unit: 'instant' };

/** A length of time in seconds. */
export type Seconds = number & { readonly unit: 's' };

/** A length of time, or one that never ends. */
export type Duration = Seconds | 'never';

export const instant = (milliseconds: number): Instant => milliseconds as Instant;
export const seconds = (value: number): Seconds => value as Seconds;

/** The last moment that a date can name. A duration that ends later is as good as one that never does. */
const endOfTime = 8.64e15;

/** The moment at which a duration is over: inclusive, so at exactly this moment it is due. Undefined: never. */
export function dueAt(since: Instant, duration: Seconds): Instant;
export function dueAt(since: Instant, duration: Duration): Instant | undefined;
export function dueAt(since: Instant, duration: Duration): Instant | undefined {
  return duration === 'never' ? undefined : instant(Math.min(endOfTime, since + duration * 1000));
}

/** The latest of some moments; undefined where there is none. */
export function latest(...moments: readonly (Instant | undefined)[]): Instant | undefined {
  let last: Instant | undefined;
  for (const moment of moments) if (moment !== undefined && (last === undefined || moment > last)) last = moment;
  return last;
}

/** The earliest of some moments; undefined where there is none. */
export function earliest(...moments: readonly (Instant | undefined)[]): Instant | undefined {
  let first: Instant | undefined;
  for (const moment of moments) if (moment !== undefined && (first === undefined || moment < first)) first = moment;
  return first;
}
