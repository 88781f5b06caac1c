import type { Clock, Millis, MonotonicMillis } from '../../kube/clock.ts';
import { elapsed, minutes } from '../../kube/clock.ts';
import { isNotFound, isOutcomeUnknown } from '../../kube/errors.ts';
import type { ProcessGroupId, Uid } from '../../model/ids.ts';
import type { Pod } from '../../model/process-group.ts';
import type { Instant } from '../../model/time.ts';

/** A deletion of which nobody knows whether it was done is taken for one for so long. */
const benefitOfDoubt: Millis = minutes(5);

interface Deleted {
  readonly uid: Uid;
  readonly at: Instant;
  /** Undefined: the API server took it. */
  readonly doubtedSince: MonotonicMillis | undefined;
}

/**
 * The pods that were deleted to be made again. A watch may be behind, and an engine takes a minute to miss a process: without this the next look
 * would count a pod that is gone, and take another one. Those that go for good are on record before they are deleted.
 */
export class OwnDeletes {
  readonly #clock: Clock;
  /** By cluster, then by process group: the last one. */
  readonly #deleted = new Map<string, Map<ProcessGroupId, Deleted>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Deletes a pod that was decided about at this moment, and keeps in mind what came of it. */
  async keep(cluster: string, group: ProcessGroupId, { uid, at }: Omit<Deleted, 'doubtedSince'>, work: Promise<void>) {
    const note = (doubtedSince?: MonotonicMillis) => {
      const ofCluster = this.#deleted.get(cluster) ?? new Map<ProcessGroupId, Deleted>();
      this.#deleted.set(cluster, ofCluster.set(group, { uid, at, doubtedSince }));
    };
    try {
      await work;
      note();
    } catch (error) {
      if (isNotFound(error)) note();
      else if (isOutcomeUnknown(error)) note(this.#clock.monotonic());
      throw error;
    }
  }

  /** The pod of a process group as it must be by now, whatever the watch has told so far. */
  seen(cluster: string, group: ProcessGroupId, pod: Pod | null): Pod | null {
    const ofCluster = this.#deleted.get(cluster);
    const deleted = ofCluster?.get(group);
    if (deleted === undefined) return pod;
    const { uid, at, doubtedSince } = deleted;
    const isBelieved = doubtedSince === undefined || elapsed(this.#clock, doubtedSince) < benefitOfDoubt;
    if (isBelieved && pod?.uid === uid && pod.deletingSince === null) return { ...pod, deletingSince: at };
    ofCluster?.delete(group);
    return pod;
  }

  leave(cluster: string): void {
    this.#deleted.delete(cluster);
  }
}
