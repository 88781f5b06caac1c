import { fc } from '@fast-check/vitest';
import type { Known } from '../known.ts';
import { unknown } from '../known.ts';
import { at } from './given.ts';

/** The first so many times out of so many and one; the other once. Shrinks to the first. */
export const mostly = <Usual, Rare>(
  usual: fc.Arbitrary<Usual>,
  rare: fc.Arbitrary<Rare>,
  weight: number,
): fc.Arbitrary<Usual | Rare> =>
  fc.oneof({ withCrossShrink: true }, { weight, arbitrary: usual }, { weight: 1, arbitrary: rare });

/** A fact that is so nearly always, otherwise not, or not known. */
export const fact = (usually: boolean, unknowns: boolean): fc.Arbitrary<Known<boolean>> =>
  unknowns
    ? mostly(fc.constant(usually), fc.constantFrom(!usually, unknown), 5)
    : mostly(fc.constant(usually), fc.constant(!usually), 6);

/** Up to so many, in the order in which they were given. */
export const subsetOf = <T>(values: readonly T[], most: number = values.length): fc.Arbitrary<T[]> =>
  fc.subarray([...values], { maxLength: Math.min(most, values.length) });

export const upTo = <T>(most: number, value: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  mostly(fc.constant<T[]>([]), fc.array(value, { maxLength: most }), 1);

const ages = [5, 0, 1, 10, 59, 60, 61, 120, 300, 600, 1800, 3599, 3600, 5400, 7199, 7200, 7201, 86_400];

/** A moment before now, both sides of every limit that the plan knows. */
export const pastMoment = fc.constantFrom(...ages.map((age) => at(-age)));

/** Now and then a clock was wrong. */
export const anyMoment = mostly(pastMoment, fc.constantFrom(at(1), at(30)), 12);
