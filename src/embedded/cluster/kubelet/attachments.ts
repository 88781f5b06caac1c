import type { Clock, Timer } from '../../../kube/clock.ts';
import { minutes } from '../../../kube/clock.ts';

/** Who has a disk. */
export interface Holder {
  readonly uid: string;
  readonly node: string;
}

/**
 * Which disk is attached where. A disk is in use by one pod at a time, as with ReadWriteOnce: whoever wants it while another has it waits.
 *
 * The disk of a pod that was deleted on a node that does not answer is taken away from it by force after six minutes (the attach-detach
 * controller's `maxWaitForUnmountDuration`): a process that still runs there loses it.
 */
export class Attachments {
  readonly #clock: Clock;
  readonly #holders = new Map<string, Holder>();
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #forcing = new Map<string, Timer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes all of the disks, or none. Where one is taken, `onFree` is called once when it may be worth another try. */
  acquire(disks: readonly string[], holder: Holder, onFree: () => void): boolean {
    const taken = disks.filter((disk) => (this.#holders.get(disk)?.uid ?? holder.uid) !== holder.uid);
    for (const disk of taken) {
      const waiting = this.#waiting.get(disk) ?? new Set();
      waiting.add(onFree);
      this.#waiting.set(disk, waiting);
    }
    if (taken.length > 0) return false;
    for (const disk of disks) this.#holders.set(disk, holder);
    return true;
  }

  /** The pod is gone from its node. */
  release(uid: string): void {
    this.#forcing.get(uid)?.cancel();
    this.#forcing.delete(uid);
    for (const [disk, holder] of this.#holders) {
      if (holder.uid !== uid) continue;
      this.#holders.delete(disk);
      const waiting = this.#waiting.get(disk) ?? [];
      this.#waiting.delete(disk);
      for (const onFree of waiting) onFree();
    }
  }

  /** The pod is deleted and its node does not answer: `onForced` is called when its disks are taken away, unless it lets go before. */
  releaseByForce(uid: string, onForced: () => void): void {
    if (this.#forcing.has(uid)) return;
    const timer = this.#clock.after(minutes(6), () => {
      onForced();
      this.release(uid);
    });
    this.#forcing.set(uid, timer);
  }

  /** The disks that a pod has. */
  disksOf(uid: string): string[] {
    return [...this.#holders].filter(([, holder]) => holder.uid === uid).map(([disk]) => disk);
  }

  stop(): void {
    for (const timer of this.#forcing.values()) timer.cancel();
  }
}
