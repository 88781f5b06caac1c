import type { PodHooks } from './pod-hooks.ts';

/** The hooks with nothing missing, and such that what they throw is told to `onThrown` and stops nobody. */
export function guardedHooks(hooks: PodHooks, onThrown: (error: unknown) => void): Required<PodHooks> {
  const guard = (call: () => void) => {
    try {
      call();
    } catch (error) {
      onThrown(error);
    }
  };
  return {
    onPodStarted: (process) => guard(() => hooks.onPodStarted?.(process)),
    onPodStopped: (process, why) => guard(() => hooks.onPodStopped?.(process, why)),
    onDiskLost: (disk, why) => guard(() => hooks.onDiskLost?.(disk, why)),
  };
}
