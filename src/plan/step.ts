import type { Action, Hold, StatusRecord, Step } from '../model/decision.ts';
import type { ProcessGroupId } from '../model/ids.ts';
import type { Reason } from '../model/reason.ts';
import type { Instant } from '../model/time.ts';
import { earliest } from '../model/time.ts';

/** A step that has nothing to say. */
export const idle: Step = { records: [], actions: [], holds: [], wakeAt: undefined };

/** Collects what one step of the plan says. Every way out of a step leaves a record, an action or a hold with its reason. */
export class StepBuilder {
  readonly #step: string;
  readonly #records: StatusRecord[] = [];
  readonly #actions: Action[] = [];
  readonly #holds: Hold[] = [];
  #wakeAt: Instant | undefined;

  constructor(step: string) {
    this.#step = step;
  }

  record(record: StatusRecord): this {
    this.#records.push(record);
    return this;
  }

  act(action: Action): this {
    this.#actions.push(action);
    return this;
  }

  /** Not yet, and why. A reason that time alone lifts wakes the plan when it does. */
  hold(group: ProcessGroupId | null, reason: Reason): this {
    this.#holds.push({ step: this.#step, group, reason });
    return this.wake(reason.until ?? undefined);
  }

  /** Look again at this moment. */
  wake(at: Instant | undefined): this {
    this.#wakeAt = earliest(this.#wakeAt, at);
    return this;
  }

  build(): Step {
    return { records: this.#records, actions: this.#actions, holds: this.#holds, wakeAt: this.#wakeAt };
  }
}
