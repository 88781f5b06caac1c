import { z } from 'zod';
import { freeText, instant, mapOf, wholeNumber } from '../field-types.ts';

/**
 * A code for programs: a condition's type or reason, or a code of the reason catalogue. An open set on the wire, because
 * an older Drover must be able to read what a newer one wrote.
 */
export const code = z.string().max(64);

const condition = z.object({
  type: code.describe('What the condition is about.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds. Unknown: Drover cannot tell at the moment.'),
  observedGeneration: wholeNumber({ min: 0 })
    .optional()
    .describe('The metadata.generation of the spec that this was judged by.'),
  lastTransitionTime: instant().describe('Since when the status is what it is.'),
  reason: code.describe('Why, as a code for programs.'),
  message: freeText(4096).describe('Why, as a sentence for people.'),
});
/** A condition as it stands in a status. */
export type Condition = Readonly<z.output<typeof condition>>;

/** The conditions of an object, one for each type. */
export const conditionsField = mapOf(condition, 'type', 16)
  .default([])
  .describe('The state of the object in a few yes-or-no answers, each with a reason. The reference lists the types.');

/** What a condition of a kind means: the source of the reference, and the only names that Drover writes. */
export interface ConditionDefinition {
  readonly type: string;
  /** What it means when the status is True, and when it is False. */
  readonly whenTrue: string;
  readonly whenFalse: string;
  /** The reasons that belong to this condition itself. Where `alsoCodes` is set, codes of the reason catalogue appear too. */
  readonly reasons: Readonly<Record<string, string>>;
  readonly alsoCodes: boolean;
}
