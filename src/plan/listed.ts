// A list of the spec is asked about once for every process group, in several steps.
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether a list of the spec names this. */
export function isListed(list: readonly string[], id: string): boolean {
  if (list.length === 0) return false;
  let set = sets.get(list);
  if (set === undefined) {
    set = new Set(list);
    sets.set(list, set);
  }
  return set.has(id);
}

/** Whether a list of the spec, in which `*` stands for all, names this process group. */
export const isTargeted = (list: readonly string[], id: string): boolean => isListed(list, '*') || isListed(list, id);
