import type { MonotonicMillis } from '../../../kube/clock.ts';
import type { PodProcess } from './pod-hooks.ts';

/** What a kubelet knows of one pod beyond what the API server knows. It is lost when the machine goes down. */
export interface PodRuntime {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  process: PodProcess | undefined;
  /** Since when the process runs. */
  runsSince: MonotonicMillis | undefined;
  /** When the next process may start. Undefined: nobody has thought of it yet. */
  startAt: MonotonicMillis | undefined;
  /** When a pod that was told to stop will have stopped, where no annotation says so. */
  stopAt: MonotonicMillis | undefined;
  /** Since when it is ready to complete, where no annotation says so. */
  completeAt: MonotonicMillis | undefined;
  /** Kept over restarts of the process, but not over those of the machine. */
  address: string | undefined;
  restarts: number;
  /** Crashes in a row: they make the back-off grow. */
  crashes: number;
  /** How long the back-off is that it is in; zero outside of one. */
  backOffSeconds: number;
  /** Ended by itself with an error, and is not to be started again. */
  hasFailed: boolean;
}

export function newRuntime(pod: {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}): PodRuntime {
  return {
    uid: pod.uid,
    namespace: pod.namespace,
    name: pod.name,
    process: undefined,
    runsSince: undefined,
    startAt: undefined,
    stopAt: undefined,
    completeAt: undefined,
    address: undefined,
    restarts: 0,
    crashes: 0,
    backOffSeconds: 0,
    hasFailed: false,
  };
}
