import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { durationInSeconds, durationInSecondsSchema, never } from './duration-in-seconds.ts';

describe('a duration on the wire', () => {
  test.each([
    ['0', 0],
    ['3600', 3600],
    ['9007199254740990', 9_007_199_254_740_990],
    ['9007199254740991', never],
    ['9007199254740993', never],
    ['9223372036854775806', never],
    ['9223372036854775807', never],
  ])('%s is read as %s', (wire, duration) => {
    expect(durationInSecondsSchema.parse(JSON.parse(wire))).toBe(duration);
  });

  test.each(['-1', '1.5', '"3600"', 'null', 'true'])('%s is refused', (wire) => {
    expect(() => durationInSecondsSchema.parse(JSON.parse(wire))).toThrow(/must be a whole number of seconds from 0/);
  });

  property.prop([fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })])(
    'of the int64 range is read exactly, or as never',
    (wire) => {
      const duration = durationInSeconds(Number(wire));
      expect(duration === never ? wire >= BigInt(Number.MAX_SAFE_INTEGER) : BigInt(duration) === wire).toBe(true);
    },
  );
});
