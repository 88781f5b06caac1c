import type { ProcessGroup } from '../model/process-group.ts';
import type { Survey } from '../rules/survey.ts';

/** On its way out for good: drained, or let go without that. Nothing about it is kept up, judged or counted any more. */
export const isOnItsWayOut = ({ removal, drainedAt, removingAt }: ProcessGroup): boolean =>
  removal !== null && (drainedAt !== null || removingAt !== null || removal.withoutExclusion);

/** Marked, whatever the cause, and not yet verified drained: its data may still be on the move. */
export const isInFlight = (group: ProcessGroup): boolean => group.removal !== null && !isOnItsWayOut(group);

/** How many replacements may be in flight, and how many are, of those that `counts` lets in. A drained one that is stuck terminating does not count. */
export class InFlight {
  #count: number;
  readonly #cap: number | null;

  /** `cap` null: no limit. */
  constructor({ snapshot }: Survey, cap: number | null, counts: (group: ProcessGroup) => boolean = () => true) {
    this.#count = snapshot.processGroups.filter((group) => isInFlight(group) && counts(group)).length;
    this.#cap = cap;
  }

  /** The limit that is reached; undefined: one more may start. */
  get full(): { readonly inFlight: number; readonly cap: number } | undefined {
    return this.#cap === null || this.#count < this.#cap ? undefined : { inFlight: this.#count, cap: this.#cap };
  }

  /** One more is in flight from now on. */
  take(): void {
    this.#count += 1;
  }
}
