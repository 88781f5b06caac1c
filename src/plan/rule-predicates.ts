import type { PredicateName, Rule } from '../model/role-rules.ts';

/** Every question that a rule asks, wherever it stands in it. */
export const predicatesOf = (rule: Rule): readonly PredicateName[] =>
  'all' in rule ? rule.all : rule.any.flatMap((part) => (typeof part === 'string' ? [part] : part.all));
