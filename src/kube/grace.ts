import type { Clock, Millis } from './clock.ts';

/**
 * Waits for work that must end once it was told to: resolves with true when the work has settled, however it did, and with false when it
 * has not although `grace` has passed since `told` was aborted. Never rejects: the work's own result is for its owner to read.
 */
export function endsInTime(work: Promise<unknown>, told: AbortSignal, grace: Millis, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    let cancel = () => {};
    const onTold = () => {
      const timer = clock.after(grace, () => resolve(false));
      cancel = () => timer.cancel();
    };
    const onEnd = () => {
      told.removeEventListener('abort', onTold);
      cancel();
      resolve(true);
    };
    if (told.aborted) onTold();
    else told.addEventListener('abort', onTold, { once: true });
    work.then(onEnd, onEnd);
  });
}
