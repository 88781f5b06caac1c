import type { ProcessGroupId } from '../model/ids.ts';
import type { Survey } from '../rules/survey.ts';
import { isListed } from './listed.ts';

/**
 * Whether a process group is to stay, because `cancelReplacementsForInstance` lists it: no step marks it, and no step goes on with a removal
 * of it that the cancel could not undo for a conflict. From the point of no return on the list holds nothing.
 */
export function isHeldByCancel({ snapshot, groups }: Survey, id: ProcessGroupId): boolean {
  if (!isListed(snapshot.spec.cancelReplacements, id)) return false;
  return (groups.get(id)?.removingAt ?? null) === null;
}
