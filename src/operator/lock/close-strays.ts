import type { Snapshot } from '../../model/snapshot.ts';
import { isNoError } from '../no-error.ts';
import type { Turnkey } from './turnkey.ts';

/**
 * Closes every pod that stands open without a grant: opened for a guard that is gone, by someone who may override it, or by a ledger that was put back
 * to an older state. Left open it would go with nobody asked, also while Drover is down.
 */
export async function closeStrays(
  turnkey: Turnkey,
  { grants, processGroups }: Pick<Snapshot, 'grants' | 'processGroups'>,
  signal: AbortSignal,
): Promise<void> {
  const granted = new Set(grants.map(({ pod }) => pod));
  for (const { pod } of processGroups) {
    if (pod === null || !pod.open || pod.deletingSince !== null || granted.has(pod.uid)) continue;
    try {
      await turnkey.close(pod.name, pod, signal);
    } catch (error) {
      if (!isNoError(error)) throw error;
    }
  }
}
