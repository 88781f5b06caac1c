import { count } from '../../model/phrases.ts';

/** How an act turned out, by the ground truth. */
export interface ActOutcome {
  readonly act: string;
  readonly title: string;
  readonly passed: boolean;
  /** What it proved, or why it failed. */
  readonly says: string;
  readonly simulatedSeconds: number;
}

/** What the whole story came to, in a sentence. */
export function summaryOf(outcomes: readonly ActOutcome[]): string {
  const failed = outcomes.find(({ passed }) => !passed);
  if (failed !== undefined) return `the act "${failed.title}" failed: ${failed.says}`;
  const minutes = Math.round(outcomes.reduce((sum, { simulatedSeconds }) => sum + simulatedSeconds, 0) / 60);
  return `${count(outcomes.length, 'act')}, ${minutes} min of the demo's time: nothing was lost, and no quorum broken`;
}
