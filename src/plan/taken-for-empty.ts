import type { Marked } from './marked.ts';

/**
 * It was taken for drained because nothing had ever run in it, and what a process may come up on, and be given data or work, is still there: its volume, or
 * its pod where it has none.
 */
export const isTakenForEmpty = ({ evacuationAt, drainedAt, claim, pod }: Marked): boolean => {
  if (evacuationAt !== null || drainedAt === null || claim === null) return false;
  return claim === 'none' ? pod !== null && pod.deletingSince === null : !claim.deleting;
};
