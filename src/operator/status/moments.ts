import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';

/** The last millisecond that RFC 3339, with its four digits for the year, can name. */
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * A moment as it stands in a status: RFC 3339 with milliseconds, because the core compares what it recorded with what it sees, and a second
 * would be too coarse for that. The API server keeps the text of a custom resource as it is.
 */
export const timestampOf = (moment: Instant): string => new Date(Math.min(moment, lastMoment)).toISOString();

/** The moment that a text of a status names. */
export const momentOf = (timestamp: string): Instant => instant(Date.parse(timestamp));

/** The same where there may be none. */
export const timestampOrNull = (moment: Instant | null | undefined): string | null =>
  moment === null || moment === undefined ? null : timestampOf(moment);

/** The same where there may be none. */
export const momentOrNull = (timestamp: string | null): Instant | null =>
  timestamp === null ? null : momentOf(timestamp);
