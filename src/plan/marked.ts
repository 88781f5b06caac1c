import type { ProcessGroup } from '../model/process-group.ts';
import type { Survey } from '../rules/survey.ts';
import { isHeldByCancel } from './held-by-cancel.ts';

export interface Marked extends ProcessGroup {
  readonly removal: NonNullable<ProcessGroup['removal']>;
}

export const isMarked = (group: ProcessGroup): group is Marked => group.removal !== null;

/** The process groups that are to leave and that no cancel holds, those that were marked first first: who waited longest goes on first. */
export function markedGroups(survey: Survey): readonly Marked[] {
  return survey.snapshot.processGroups
    .filter(isMarked)
    .filter(({ id }) => !isHeldByCancel(survey, id))
    .sort((a, b) => a.removal.at - b.removal.at || (a.id < b.id ? -1 : 1));
}
