import type { ProcessGroup } from '../model/process-group.ts';
import type { PredicateName, Rule } from '../model/role-rules.ts';
import type { Survey } from '../rules/survey.ts';
import { roleOf, rulesOf } from './role-of.ts';

/** Every question that a rule asks, wherever it stands in it. */
export const predicatesOf = (rule: Rule): readonly PredicateName[] =>
  'all' in rule ? rule.all : rule.any.flatMap((part) => (typeof part === 'string' ? [part] : part.all));

/** What stands between a process group and its eviction: the questions of its engine's rule, and those that the spec asks on top. */
export function askedBeforeEviction(survey: Survey, group: ProcessGroup): AskedBeforeEviction {
  const rules = rulesOf(survey, group);
  return {
    byEngine: rules === undefined ? [] : predicatesOf(rules.mayBeEvicted),
    bySpec: roleOf(survey, group)?.evictionRequires ?? [],
  };
}

export interface AskedBeforeEviction {
  readonly byEngine: readonly PredicateName[];
  readonly bySpec: readonly PredicateName[];
}
