import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import { EngineUnreachable } from '../engine.ts';

/** Older than this an answer tells of another time. */
const oldest = 30_000;
/** The Date header has whole seconds, rounded down. */
const rounding = 1000;
/** Clocks of one server that differ by more are no clocks. */
const future = 5000;

export interface Asked {
  /** When the question was sent, by our clock. */
  readonly askedAt: Instant;
  /** The Date header of the answer, if it has one. */
  readonly date: string | undefined;
}

/**
 * When the answer was gathered, by our clock and never too late. How old it was is measured by the server's own clock, so that it does not matter
 * whether that one is right. Throws `EngineUnreachable` for an answer that is too old to be used.
 */
export function gatheredAt(observedAt: string | null | undefined, { askedAt, date }: Asked): Instant {
  if (observedAt === null || observedAt === undefined) return askedAt;
  const sent = Date.parse(date ?? '');
  const age = Number.isNaN(sent) ? askedAt - Date.parse(observedAt) : sent + rounding - Date.parse(observedAt);
  if (age > oldest)
    throw new EngineUnreachable(
      `the topology was gathered more than ${lengthOf(age)} before it was sent (observedAt): too old to decide by, the server should look again`,
    );
  if (age < -future)
    throw new EngineUnreachable(
      'the topology was gathered after it was sent, by its own words (observedAt): a clock of the server is wrong',
    );
  return instant(askedAt - Math.max(0, age));
}

/** In coarse steps: the sentence stands in a status, and must not change with every look. */
const lengthOf = (age: number): string => (age > 3_600_000 ? 'an hour' : age > 300_000 ? '5 min' : '30 s');
