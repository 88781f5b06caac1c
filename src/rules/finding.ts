import type { Answer } from '../model/decision.ts';
import { allow } from '../model/decision.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';

/** What one question came to. Unknown is neither yes nor no. */
export type Finding =
  | { readonly finding: 'holds' }
  | { readonly finding: 'fails' | 'never'; readonly reason: Reason }
  /** What is missing, in words that follow "it is not known". */
  | { readonly finding: 'unknown'; readonly missing: string };

export const holds: Finding = { finding: 'holds' };
export const fails = (reason: Reason): Finding => ({ finding: 'fails', reason });
export const unknownWhether = (missing: string): Finding => ({ finding: 'unknown', missing });

/** Whether something can be relied on; if not, why not, or what nobody knows. */
export type Reliance =
  | { readonly is: 'yes' }
  | { readonly is: 'no'; readonly why: string }
  | { readonly is: 'unknown'; readonly missing: string };

export const relied: Reliance = { is: 'yes' };
export const notRelied = (why: string): Reliance => ({ is: 'no', why });
export const doubted = (missing: string): Reliance => ({ is: 'unknown', missing });

/** All must hold. Failures are told before doubts, because they are what somebody can do something about. */
export function answerOf(findings: readonly Finding[], group: string): Answer {
  const told: Told = { never: [], fails: [], unknown: [] };
  for (const each of findings) {
    if (each.finding === 'unknown') told.unknown.push(reasons.factUnknown({ group, missing: each.missing }));
    else if (each.finding !== 'holds') told[each.finding].push(each.reason);
  }
  return held('never', told.never) ?? held('wait', told.fails) ?? held('wait', told.unknown) ?? allow;
}

type Told = { readonly [kind in 'never' | 'fails' | 'unknown']: Reason[] };

/** The stricter of some answers: `never` beats `wait` beats `allow`. Each reason is given once. */
export function strictest(answers: readonly Answer[]): Answer {
  const told: { readonly [kind in 'never' | 'wait']: Reason[] } = { never: [], wait: [] };
  for (const answer of answers) if (answer.kind !== 'allow') told[answer.kind].push(...answer.reasons);
  return held('never', told.never) ?? held('wait', told.wait) ?? allow;
}

function held(kind: 'wait' | 'never', [first, ...rest]: readonly Reason[]): Answer | undefined {
  if (first === undefined) return undefined;
  if (rest.length === 0) return { kind, reasons: [first] };
  const said = new Set([first.message]);
  const others = rest.filter(({ message }) => !said.has(message) && said.add(message));
  return { kind, reasons: [first, ...others] };
}
