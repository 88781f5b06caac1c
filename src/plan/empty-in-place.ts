import type { ProcessGroupId } from '../model/ids.ts';
import { isTrue } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import { allOf } from '../model/role-rules.ts';
import { evaluate } from '../rules/evaluate.ts';
import { askAbout } from '../rules/question.ts';
import type { Survey } from '../rules/survey.ts';
import { inOrder } from './in-order.ts';
import { rulesOf } from './role-of.ts';
import { placesForCopies, reasonByZones } from './zones-for-copies.ts';

/**
 * Whose turn it is to be emptied where it is, of roles that would be replaced if Drover owned their pods. Without successors each of them is one
 * process less for the engine, so that they go one at a time, and only while the engine could do without one.
 */
export class InPlace {
  readonly #survey: Survey;
  #taken: ProcessGroupId | undefined;

  constructor(survey: Survey) {
    this.#survey = survey;
    this.#taken = inOrder(survey.snapshot.processGroups).find((group) => this.#isBeingEmptied(group))?.id;
  }

  /** Whether it is emptied where it is because nobody here can replace it. */
  concerns(group: ProcessGroup): boolean {
    const { ownsPods } = this.#survey.snapshot.spec;
    return !ownsPods && rulesOf(this.#survey, group)?.leavesBy === 'replace';
  }

  /** Takes the turn, or says why not. */
  take(group: ProcessGroup): Reason | undefined {
    if (!this.concerns(group) || group.evacuationAt !== null) return undefined;
    if (this.#taken !== undefined) return reasons.anotherEmptied({ group: group.id, first: this.#taken });
    const answer = evaluate(canSpareOne, askAbout('eviction', this.#survey, group));
    if (answer.kind !== 'allow') return answer.reasons[0];
    const role = this.#survey.snapshot.processGroups.filter((other) => other.role === group.role);
    const tooFewZones = reasonByZones(this.#survey, group, placesForCopies(this.#survey, role));
    if (tooFewZones !== undefined) return tooFewZones;
    this.#taken = group.id;
    return undefined;
  }

  #isBeingEmptied(group: ProcessGroup): boolean {
    const processes = this.#survey.engine.processesOf.get(group.id) ?? [];
    return this.concerns(group) && group.evacuationAt !== null && processes.some(({ drained }) => !isTrue(drained));
  }
}

const canSpareOne = allOf('fully-replicated', 'one-more-zone-may-fail');
