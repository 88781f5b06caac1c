import { z } from 'zod';
import { name } from '../../model/ids.ts';
import type { Duration, Instant, Seconds } from '../../model/time.ts';
import { instant as toInstant, seconds as toSeconds } from '../../model/time.ts';

/** A name in a file is a string; in the model it cannot be mixed up with another kind of name. */
export function named<Id extends ReturnType<typeof name>>() {
  return z.codec(
    z.string().min(1),
    z.custom<Id>((value) => typeof value === 'string'),
    {
      decode: (text) => name<Id>(text),
      encode: (id) => id,
    },
  );
}

/** A moment: RFC 3339 in a file, a number in the model. */
export const instant = z.codec(
  z.iso.datetime({ offset: true, error: 'must be a time such as 2026-11-15T03:20:00Z' }),
  z.custom<Instant>((value) => typeof value === 'number'),
  {
    decode: (text) => toInstant(Date.parse(text)),
    encode: (moment) => new Date(moment).toISOString().replace('.000Z', 'Z'),
  },
);

/** About 3,000 years. A moment further away than 270,000 years cannot be written as a date any more. */
const longest = 100_000_000_000;
const tooLong = { error: `must be at most ${longest} seconds` };

export const seconds = z.codec(
  z.number().min(0).max(longest, tooLong),
  z.custom<Seconds>((value) => typeof value === 'number'),
  {
    decode: (value) => toSeconds(value),
    encode: (value) => value,
  },
);

/** A length of time, or `never`. As in the spec of a cluster, the largest of all numbers means never too. */
export const duration = z.union([
  z.codec(
    z
      .number()
      .min(0)
      .refine((value) => value <= longest || value >= Number.MAX_SAFE_INTEGER, {
        error: `must be at most ${longest} seconds, or never`,
      }),
    z.custom<Duration>((value) => typeof value === 'number' || value === 'never'),
    {
      decode: (value) => (value >= Number.MAX_SAFE_INTEGER ? 'never' : toSeconds(value)),
      encode: (value) => (value === 'never' ? Number.MAX_SAFE_INTEGER : value),
    },
  ),
  z.literal('never'),
]);

/** A fact, or the word `unknown`. */
export function known<Schema extends z.ZodType>(schema: Schema): z.ZodUnion<[Schema, z.ZodLiteral<'unknown'>]> {
  return z.union([schema, z.literal('unknown')]);
}

/** True, false or unknown. */
export const fact = known(z.boolean());
