import type { ProcessGroupId, RoleName } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';

/** `storage-4711`, or `blue-storage-4711`. Pods are named after it, and their names know no `_`. */
export function groupId(prefix: string, role: RoleName, number: number): ProcessGroupId {
  return name(`${prefix === '' ? '' : `${prefix}-`}${role.replaceAll('_', '-')}-${number}`);
}

/** The number at the end of an id. Numbers only go up, so the highest is the newest; an id without one is older than all. */
export function numberOf(id: ProcessGroupId): number {
  const digits = /\d+$/.exec(id);
  return digits === null ? -1 : Number(digits[0]);
}

/** For sorting: the newest process group first. */
export function newestFirst(a: ProcessGroup, b: ProcessGroup): number {
  return numberOf(b.id) - numberOf(a.id) || (a.id < b.id ? 1 : -1);
}
