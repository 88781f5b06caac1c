import type { ProcessGroupId } from '../../model/ids.ts';
import type { Instant, Seconds } from '../../model/time.ts';
import { seconds } from '../../model/time.ts';

/** How far a drain is, as far as anybody has watched it. null: nothing can be said. */
export interface Progress {
  readonly percent: number | null;
  readonly secondsLeft: Seconds | null;
}

interface Mark {
  readonly at: Instant;
  readonly bytes: number;
}

/**
 * Remembers how much each process group held when it was first seen leaving: the database only tells what is left. For the messages alone: a
 * restart begins to count anew, and nothing is decided by it.
 */
export class DrainProgress {
  #most = new Map<ProcessGroupId, Mark>();

  /** What is left on each group that leaves, at one moment; null where that is not known. Groups that are not named are forgotten. */
  note(left: ReadonlyMap<ProcessGroupId, number | null>, at: Instant): ReadonlyMap<ProcessGroupId, Progress> {
    const most = new Map<ProcessGroupId, Mark>();
    const progress = new Map<ProcessGroupId, Progress>();
    for (const [group, bytes] of left) {
      const before = this.#most.get(group);
      const mark = bytes !== null && (before === undefined || bytes > before.bytes) ? { at, bytes } : before;
      if (mark !== undefined) most.set(group, mark);
      progress.set(group, progressSince(mark, bytes, at));
    }
    this.#most = most;
    return progress;
  }
}

function progressSince(mark: Mark | undefined, bytes: number | null, at: Instant): Progress {
  if (mark === undefined || bytes === null || mark.bytes === 0) return { percent: null, secondsLeft: null };
  const moved = mark.bytes - bytes;
  const elapsed = (at - mark.at) / 1000;
  return {
    percent: Math.floor((100 * moved) / mark.bytes),
    secondsLeft: moved > 0 && elapsed > 0 ? seconds(Math.ceil((elapsed * bytes) / moved)) : null,
  };
}
