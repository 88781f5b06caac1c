import type { Instant } from './time.ts';

/**
 * Figures and names that a sentence was made from. Times are moments, never ages: a reason must not change while nothing happens.
 */
export type Evidence = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Why something is as it is: a code for programs, a sentence for people, the evidence for both. */
export interface Reason<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
  readonly evidence: Evidence;
  /** What will change it: an event that is watched for, or time. */
  readonly liftedBy: string;
  /** When time alone lifts it; null where an event must. */
  readonly until: Instant | null;
}

/** One entry of the catalogue. */
export interface ReasonDefinition<E extends Evidence> {
  /** When it is given, for the reference. */
  readonly meaning: string;
  readonly says: (evidence: E) => string;
  readonly liftedBy: string;
  /** The moment at which time alone lifts it, where it does. */
  readonly until?: (evidence: E) => Instant;
  /** For the reference and the tests. */
  readonly example: NoInfer<E>;
}

/** Makes a reason from its evidence, and knows its own entry. */
export interface ReasonMaker<Code extends string, E extends Evidence> extends ReasonDefinition<E> {
  (evidence: E): Reason<Code>;
  readonly code: Code;
  /** The sentence of its example. */
  readonly saysExample: () => string;
}

/** An entry of the catalogue. The code is for ever: programs, alerts and people's notes rely on it. */
export function reason<const Code extends string, E extends Evidence>(
  code: Code,
  definition: ReasonDefinition<E>,
): ReasonMaker<Code, E> {
  const make = (evidence: E): Reason<Code> => ({
    code,
    message: definition.says(evidence),
    evidence,
    liftedBy: definition.liftedBy,
    until: definition.until?.(evidence) ?? null,
  });
  return Object.assign(make, { code, saysExample: () => definition.says(definition.example), ...definition });
}
