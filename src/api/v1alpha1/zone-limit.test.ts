import { describe, expect, test } from 'vitest';
import { zoneLimitSchema, zonesAllowed } from './zone-limit.ts';

describe('a limit of zones', () => {
  test.each([
    [0, 10, 0],
    [2, 10, 2],
    ['10%', 30, 3],
    ['10%', 39, 3],
    ['10%', 3, 1],
    ['0%', 10, 1],
    ['100%', 10, 10],
    ['29%', 100, 29],
  ])('of %s with %s zones is %s', (limit, zones, allowed) => {
    expect(zonesAllowed(zoneLimitSchema.parse(limit), zones)).toBe(allowed);
  });

  test.each([-1, 1.5, '10', '101%', '-1%', '1.5%', '010%', '%', '', ' 10%', null])('%j is refused', (limit) => {
    expect(zoneLimitSchema.safeParse(limit).success).toBe(false);
  });
});
