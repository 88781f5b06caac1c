import type { RoleSpec } from '../model/cluster-spec.ts';
import type { Step } from '../model/decision.ts';
import type { ProcessGroupId } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import { rulesFor } from '../rules/role-table.ts';
import type { Survey } from '../rules/survey.ts';
import { groupId } from './group-number.ts';
import { isInFlight } from './in-flight.ts';
import { isListed } from './listed.ts';
import { Room } from './room.ts';
import type { Shortage } from './shortages.ts';
import { shortages } from './shortages.ts';
import { idle, StepBuilder } from './step.ts';
import { reasonAgainstSuccessor } from './successor-held.ts';

/** As many rows as the status has room for. */
const mostGroups = 1000;

/**
 * Adds process groups until each role has as many as the spec asks for. Marked ones do not count, so each gets a successor; where the successor
 * takes over the identity there is nothing to add. While a new one finds no place, a quota is full, or the engine says nothing, no more successors
 * are added, but what is really missing still is. Where those that stay share zones, so that another one cannot leave, one more is added.
 */
export function grow(survey: Survey): Step {
  const { cluster, spec, processGroups, share } = survey.snapshot;
  if (!spec.ownsPods) return idle;
  const step = new StepBuilder('grow');
  const ids = new NewIds(survey);
  const room = new Room(survey);
  for (const { role, have, missing, waiting, elsewhere } of shortages(survey)) {
    if (rulesFor(spec.engine, role.name) === undefined) {
      step.hold(null, reasons.noSuchRole({ group: role.name, role: role.name }));
      continue;
    }
    // Those that wait still serve: what is missing beyond them is a real shortage.
    const successors = waiting.filter((group) => mayHaveSuccessor(survey, group, room, step)).length;
    add(role, { have, number: missing - waiting.length + successors, elsewhere }, ids, step);
  }
  if (share.unread !== undefined && processGroups.some(isInFlight)) {
    step.hold(null, reasons.quotasUnreadable({ subject: cluster, why: share.unread }));
  }
  return step.build();
}

function mayHaveSuccessor(survey: Survey, group: ProcessGroup, room: Room, step: StepBuilder): boolean {
  const reason = reasonAgainstSuccessor(survey, group, room);
  if (reason !== undefined) step.hold(group.id, reason);
  return reason === undefined;
}

interface Missing extends Pick<Shortage, 'have' | 'elsewhere'> {
  readonly number: number;
}

function add(role: RoleSpec, { have, number, elsewhere }: Missing, ids: NewIds, step: StepBuilder): void {
  for (let added = 0; added < number; added += 1) {
    const next = ids.next(role);
    if (next === undefined) {
      const why = `the status lists ${mostGroups} process groups at most`;
      step.hold(null, reasons.noRoom({ group: role.name, why }));
      return;
    }
    const what = { group: next.id, role: role.name };
    const reason =
      elsewhere === undefined
        ? reasons.grow({ ...what, have, want: role.count })
        : reasons.oneMoreElsewhere({ ...what, ...elsewhere });
    step.record({ record: 'group-added', group: next.id, role: role.name, number: next.number, reason });
  }
}

/** Hands out ids that nothing had before: the number only goes up, also past ids that the engine or the spec still speaks of. */
class NewIds {
  readonly #survey: Survey;
  #next: number;
  #rowsLeft: number;

  constructor(survey: Survey) {
    this.#survey = survey;
    this.#next = survey.snapshot.nextGroupNumber;
    this.#rowsLeft = mostGroups - survey.snapshot.processGroups.length;
  }

  /** undefined: the status is full. */
  next({ name, shape }: RoleSpec): { readonly id: ProcessGroupId; readonly number: number } | undefined {
    if (this.#rowsLeft <= 0) return undefined;
    this.#rowsLeft -= 1;
    for (;;) {
      const number = this.#next;
      this.#next += 1;
      const id = groupId(shape?.idPrefix ?? '', name, number);
      if (!this.#isSpokenOf(id)) return { id, number };
    }
  }

  #isSpokenOf(id: ProcessGroupId): boolean {
    const { groups, engine, snapshot } = this.#survey;
    const { processGroupsToRemove, processGroupsToRemoveWithoutExclusion, cancelReplacements } = snapshot.spec;
    const lists = [processGroupsToRemove, processGroupsToRemoveWithoutExclusion, cancelReplacements];
    return groups.has(id) || engine.processesOf.has(id) || lists.some((list) => isListed(list, id));
  }
}
