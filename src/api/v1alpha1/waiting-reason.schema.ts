import { z } from 'zod';
import { freeText, instant, listOf } from '../field-types.ts';
import { code } from './condition.schema.ts';

const waitingReason = z.object({
  code: code.describe('The reason as a code, from the catalogue in the reference.'),
  message: freeText(256).describe('The reason as a sentence, with the evidence.'),
  since: instant().describe('Since when this has been the reason.'),
  until: instant()
    .nullable()
    .default(null)
    .describe('When time alone will lift it. null: an event will, and the catalogue says which.'),
});
/** One thing that something waits for. */
export type WaitingReason = Readonly<z.output<typeof waitingReason>>;

/** What something waits for. Two at most are recorded, or a thousand waiting process groups would not fit into one object. */
export const waitingForField = listOf(waitingReason, 2)
  .default([])
  .describe('What it waits for, the most important first, at most two. Empty: it waits for nothing.');
