import type { Batch } from '../model/cluster-spec.ts';
import type { ProcessGroup } from '../model/process-group.ts';

/** Process groups that go together. */
export interface Lot<Group extends ProcessGroup> {
  /** As people call it: a zone, or a process group. */
  readonly name: string;
  readonly groups: readonly Group[];
}

/**
 * The lots that `deletionMode` and `removalMode` speak of, in the order in which their first members are given. Nobody knows what fails
 * together with a process group without a zone, so it goes alone.
 */
export function lotsOf<Group extends ProcessGroup>(mode: Batch, groups: readonly Group[]): readonly Lot<Group>[] {
  if (groups.length === 0) return [];
  if (mode === 'All') return [{ name: 'everything', groups }];
  const lots = Map.groupBy(groups, ({ id, zone }) => (mode === 'Zone' ? (zone ?? id) : id));
  return [...lots].map(([name, members]) => ({ name, groups: members }));
}
