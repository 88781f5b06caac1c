import type { Reason } from '../../model/reason.ts';

/** What waits, for people: of those that wait for the same thing the first speaks for all, because there may be one for each process group. */
export function sayWaits(waits: readonly Reason[]): readonly string[] {
  return [...Map.groupBy(waits, ({ code }) => code)].map(([code, alike]) => {
    const [first] = alike.map(({ message }) => message);
    return alike.length === 1 ? `${first}` : `${first} (${alike.length - 1} more wait with ${code})`;
  });
}
