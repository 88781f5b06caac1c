import type { Marked } from './marked.ts';

/** It was taken for drained because nothing had ever run in it, and its volume is still there: a process may come up on that, and be given data. */
export const isTakenForEmpty = ({ evacuationAt, drainedAt, claim }: Marked): boolean =>
  evacuationAt === null && drainedAt !== null && claim !== null && claim !== 'none' && !claim.deleting;
