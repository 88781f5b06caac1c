import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import { rulesOf } from './role-of.ts';

/**
 * Why a process group can never be replaced; undefined: it can. Whether it may be at this moment is asked when its objects are to go, not
 * when it is marked: a mark moves the data, which is what makes the rule hold, and it can be undone.
 */
export function reasonNeverToReplace(survey: Survey, group: ProcessGroup): Reason | undefined {
  const { id, role } = group;
  const rules = rulesOf(survey, group);
  if (rules === undefined) return reasons.noSuchRole({ group: id, role });
  return rules.replacedAs === 'none' ? reasons.neverReplaced({ group: id, role }) : undefined;
}
