import { z } from 'zod';

/** The duration that never passes. */
export const never = 'never';

/** Whole seconds, or `never`. */
export type DurationInSeconds = number | typeof never;

/**
 * The duration that a number on the wire stands for. The wire carries the whole int64 range, in which 9223372036854775807
 * means never; JavaScript counts exactly only to 9007199254740991, so everything from there on, 285 million years, is never.
 */
export function durationInSeconds(wire: number): DurationInSeconds {
  return wire >= Number.MAX_SAFE_INTEGER ? never : wire;
}

/**
 * An int64 field of seconds, read as a `DurationInSeconds`. A `never` that was read before reads as itself, so that a saved
 * snapshot parses again. The bound above is not written into the CRD: the format says it exactly, a JavaScript number cannot.
 */
export const durationInSecondsSchema = z
  .union(
    [
      z.literal(never),
      z
        .number()
        .min(0)
        .check(z.refine((value) => Number.isInteger(value)))
        .transform(durationInSeconds),
    ],
    { error: 'must be a whole number of seconds from 0 to 9223372036854775807, which means never' },
  )
  .meta({ type: 'integer', format: 'int64', minimum: 0 });
