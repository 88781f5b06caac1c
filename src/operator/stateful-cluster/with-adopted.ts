import type { ProcessGroup } from '../../model/process-group.ts';
import type { Adoption } from './adoption.ts';
import type { Recorded } from './recorded.ts';

/** The record with a row for every process group that is there and was not on it. */
export function withAdopted(recorded: Recorded, { groups, nextGroupNumber }: Adoption): Recorded {
  if (groups.length === 0) return recorded;
  const rows = groups.map(
    ({ id, role }): ProcessGroup => ({
      id,
      role,
      addresses: [],
      zone: null,
      conditions: [],
      removal: null,
      evacuationAt: null,
      drainedAt: null,
      removingAt: null,
      taints: [],
      pod: null,
      claim: null,
      service: null,
    }),
  );
  return {
    ...recorded,
    rows: [...recorded.rows, ...rows],
    nextGroupNumber: Math.max(recorded.nextGroupNumber, nextGroupNumber),
  };
}
