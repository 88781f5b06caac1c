import { isFalse, unknown } from '../model/known.ts';
import type { Counting } from './protection.ts';
import { explainProtection } from './protection.ts';
import type { Question } from './question.ts';
import type { Held } from './survey.ts';
import type { PolicyRules } from './unit-policy.ts';
import { protectionOf } from './weak-units.ts';

/**
 * What one copy means for the process that it is on. `free`: it holds nothing. `kept`: the policy wants every copy to be moved away first.
 * `last`, `last-running`, `failed`: nothing else protects its unit.
 */
export type Judgement = 'free' | 'kept' | 'last' | 'last-running' | 'failed' | 'unknown';

/**
 * Whether a copy holds its process under a policy. One that never held data, or is not complete yet, cannot be the last. A failed one holds
 * when nothing else protects the unit (longhorn.md 2.3): it may be all that is left to salvage.
 */
export function judge({ unit, replica }: Held, holds: PolicyRules['holds'], question: Question): Judgement {
  if (holds === 'nothing') return 'free';
  if (holds === 'every') return 'kept';
  const { state, running } = replica;
  if (state === 'unused' || state === 'rebuilding') return 'free';
  if (holds === 'last-running' && isFalse(running)) return 'free';
  const protection = protectionOf(unit, question, countingFor(holds));
  if (protection === 'another') return 'free';
  if (protection === 'unknown' || state === unknown) return 'unknown';
  if (holds === 'last-running' && running === unknown) return 'unknown';
  return state === 'failed' ? 'failed' : holds;
}

/** What is missing for a copy that was judged `unknown`. */
export function missingFor({ unit, replica }: Held, holds: PolicyRules['holds'], question: Question): string {
  const counting = countingFor(holds);
  if (protectionOf(unit, question, counting) === 'unknown') return explainProtection(unit, question, counting).doubt;
  return `whether its copy of ${unit.name} is ${replica.state === unknown ? 'healthy' : 'running'}`;
}

/** Which copies elsewhere count under a policy. */
export const countingFor = (holds: PolicyRules['holds']): Counting => (holds === 'last-running' ? 'running' : 'any');
