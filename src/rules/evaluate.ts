import type { Answer } from '../model/decision.ts';
import { allow } from '../model/decision.ts';
import type { PredicateName, Rule } from '../model/role-rules.ts';
import { answerOf, strictest } from './finding.ts';
import { ask } from './predicates.ts';
import type { Question } from './question.ts';

/** What a rule comes to for one process group. */
export function evaluate(rule: Rule, question: Question): Answer {
  if ('all' in rule) return evaluateAll(rule.all, question);
  // Without any way out there is none.
  if (rule.any.length === 0) return evaluateAll(['never'], question);
  const answers: Answer[] = [];
  for (const way of rule.any) {
    const answer = evaluateAll(typeof way === 'string' ? [way] : way.all, question);
    if (answer.kind === 'allow') return allow;
    answers.push(answer);
  }
  return mildest(answers);
}

const evaluateAll = (predicates: readonly PredicateName[], question: Question): Answer =>
  answerOf(
    predicates.map((predicate) => ask(predicate, question)),
    question.group.id,
  );

/** No way is open. As long as one may open, it waits for that, and says what every one of them is waiting for. */
function mildest(answers: readonly Answer[]): Answer {
  const waits = answers.filter(({ kind }) => kind === 'wait');
  return strictest(waits.length > 0 ? waits : answers);
}
