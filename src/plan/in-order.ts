import type { ProcessGroup } from '../model/process-group.ts';

// The same rows pass through step after step, most of which change nothing: they are sorted once.
const sorted = new WeakMap<readonly ProcessGroup[], readonly ProcessGroup[]>();

/** Process groups by id, so that nothing hangs on the order in which they were listed. */
export function inOrder(groups: readonly ProcessGroup[]): readonly ProcessGroup[] {
  const known = sorted.get(groups);
  if (known !== undefined) return known;
  const result = groups.toSorted((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
  sorted.set(groups, result);
  return result;
}
