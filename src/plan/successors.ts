import type { RoleName } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import { newestFirst, numberOf } from './group-number.ts';
import { isHeldByCancel } from './held-by-cancel.ts';
import { roleOf } from './role-of.ts';
import type { StepBuilder } from './step.ts';

/** Kubernetes cuts off what is less than a second. */
const coarseness = 1000;

/**
 * The process groups that were made to take the place of others. One whose replacement is given up leaves its successor without a place, and that
 * one goes: the cluster is where it was, and no older process group has to move its data for it.
 */
export class Successors {
  readonly #survey: Survey;
  readonly #unmarked: Map<RoleName, ProcessGroup[]>;

  constructor(survey: Survey) {
    this.#survey = survey;
    const unmarked = survey.snapshot.processGroups.filter(({ removal }) => removal === null);
    this.#unmarked = Map.groupBy(unmarked.sort(newestFirst), ({ role }) => role);
  }

  /** `group`, which is marked, stays: marks its youngest successor, unless it has none, or there is a place for both by now. */
  dismissFor(group: ProcessGroup, step: StepBuilder): void {
    const { id, role, removal } = group;
    const others = this.#unmarked.get(role) ?? [];
    this.#unmarked.set(role, [...others, group]);
    const [have, want] = [others.length + 1, roleOf(this.#survey, group)?.count ?? 0];
    if (removal === null || removal.cause === 'Shrink' || have <= want) return;
    const isYounger = (one: ProcessGroup): boolean =>
      numberOf(one.id) > numberOf(id) && (one.pod === null || one.pod.createdAt + coarseness > removal.at);
    const successor = others.find((one) => isYounger(one) && !isHeldByCancel(this.#survey, one.id));
    if (successor === undefined) return;
    this.#unmarked.set(role, [...others.filter((one) => one !== successor), group]);
    const because = `it was made to succeed ${id}, which stays`;
    const reason = reasons.shrink({ group: successor.id, role, have, want, because });
    step.record({ record: 'marked', group: successor.id, cause: 'Shrink', withoutExclusion: false, reason });
  }
}
