import type { ProcessGroup } from '../model/process-group.ts';
import type { Survey } from '../rules/survey.ts';

/** On its way out for good: drained, or let go without that. Nothing about it is kept up, judged or counted any more. */
export const isOnItsWayOut = ({ removal, drainedAt, removingAt }: ProcessGroup): boolean =>
  removal !== null && (drainedAt !== null || removingAt !== null || removal.withoutExclusion);

/** Marked, whatever the cause, and not yet verified drained: its data may still be on the move. */
export const isInFlight = (group: ProcessGroup): boolean => group.removal !== null && !isOnItsWayOut(group);

/** A limit that is reached. */
interface InFlightLimit {
  readonly inFlight: number;
  readonly cap: number;
}

/** How many replacements may be in flight, and how many are. A drained one that is stuck terminating does not count. */
export class InFlight {
  readonly #groups: readonly ProcessGroup[];
  readonly #cap: number | null;
  #taken = 0;

  /** `cap` null: no limit. */
  constructor({ snapshot }: Survey, cap: number | null) {
    this.#groups = snapshot.processGroups.filter(isInFlight);
    this.#cap = cap;
  }

  /** The limit that is reached, by those that count; undefined: one more may start. */
  full(counts: (group: ProcessGroup) => boolean = () => true): InFlightLimit | undefined {
    const cap = this.#cap;
    if (cap === null || this.#groups.length + this.#taken < cap) return undefined;
    const inFlight = this.#groups.filter(counts).length + this.#taken;
    return inFlight < cap ? undefined : { inFlight, cap };
  }

  /** One more is in flight from now on. */
  take(): void {
    this.#taken += 1;
  }
}
