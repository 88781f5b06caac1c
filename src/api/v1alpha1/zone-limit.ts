import { z } from 'zod';
import { withRules } from '../rule.ts';

const percentage = /^(100|[1-9]?[0-9])%$/;

/** How many zones: a number of them, or a share of all, such as `10%`. */
export const zoneLimitSchema = withRules(
  z
    .union([z.int(), z.string().max(4)], {
      error: 'must be a number of zones, such as 2, or a percentage of them, such as 10%',
    })
    .meta({
      'x-kubernetes-int-or-string': true,
      maxLength: 4,
    }),
  {
    cel: `type(self) == int ? self >= 0 : self.matches(r'${percentage.source}')`,
    message: 'must be a number of zones from 0 up, such as 2, or a percentage of them from 0% to 100%, such as 10%',
    holds: (value) => (typeof value === 'number' ? value >= 0 : percentage.test(value)),
  },
);
export type ZoneLimit = z.output<typeof zoneLimitSchema>;

/** The limit in zones. A percentage is rounded down, but never below 1, or a small cluster could not move at all. */
export function zonesAllowed(limit: ZoneLimit, allZones: number): number {
  if (typeof limit === 'number') return limit;
  return Math.max(1, Math.floor((Number.parseInt(limit, 10) * allZones) / 100));
}
