import { z } from 'zod';
import { instant, wholeNumber } from '../field-types.ts';

const progress = z.object({
  percent: wholeNumber({ min: 0, max: 100 }).describe('How far it is, in steps of five.'),
  saidAt: instant().describe(
    'When the engine said so. It is written anew with each step, and when the time left has changed much.',
  ),
  estimatedEnd: instant()
    .nullable()
    .default(null)
    .describe('When it should be done, as the engine estimated it then. null: it did not say.'),
  moreFollows: z
    .boolean()
    .default(false)
    .describe('Whether that is of one copy, and others have to follow: the end is the earliest one then.'),
});
/** How far the work is that will let a pod go. */
export type Progress = Readonly<z.output<typeof progress>>;

/** Left out where nothing is known, which is so of nearly all rows of a large status. */
export const progressField = progress
  .optional()
  .describe('How far the work is that will let it go, as whoever evicts the pod is told it. Absent: not known.');
