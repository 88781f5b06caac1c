import type { RoleName } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import { isOnItsWayOut } from './in-flight.ts';
import { inOrder } from './in-order.ts';
import { isListed, isTargeted } from './listed.ts';
import { roleOf, rulesOf } from './role-of.ts';

/** A new process group that finds no node, and what the scheduler says. */
export interface Stuck {
  readonly group: ProcessGroup;
  readonly schedulerSays: string;
}

/**
 * New process groups, by role, that the scheduler finds no place for, the first of each role by id. One that had a place before tells nothing
 * about room, its disk may be on a dead node; nor does one made from an older spec, or made unschedulable on purpose.
 */
export function stuckGroups(survey: Survey): ReadonlyMap<RoleName, readonly Stuck[]> {
  const stuck = new Map<RoleName, Stuck[]>();
  for (const group of inOrder(survey.snapshot.processGroups)) {
    const schedulerSays = group.pod?.unschedulable ?? null;
    if (schedulerSays === null || !isEvidence(survey, group)) continue;
    stuck.set(group.role, [...(stuck.get(group.role) ?? []), { group, schedulerSays }]);
  }
  return stuck;
}

function isEvidence(survey: Survey, group: ProcessGroup): boolean {
  if (group.removal !== null || group.addresses.length > 0) return false;
  if (isTargeted(survey.snapshot.spec.buggify.noSchedule, group.id)) return false;
  return group.pod?.shape.specHash === roleOf(survey, group)?.shape?.specHash;
}

/** Whether the successors of process groups would find room: a replacement whose successor would not is not started. */
export class Room {
  readonly #survey: Survey;
  readonly #unmarked = new Map<RoleName, number>();
  readonly #stuck: ReadonlyMap<RoleName, readonly Stuck[]>;

  constructor(survey: Survey) {
    this.#survey = survey;
    this.#stuck = stuckGroups(survey);
    for (const { role, removal } of survey.snapshot.processGroups) {
      if (removal === null) this.#unmarked.set(role, (this.#unmarked.get(role) ?? 0) + 1);
    }
  }

  /** Why its successor would find no room; undefined: it would, or it needs none. */
  reasonAgainst(group: ProcessGroup): Reason | undefined {
    if (!this.#needsSuccessor(group)) return undefined;
    const why = this.#shareSays(group) ?? this.#schedulerSays(group) ?? this.#leavingSays(group);
    return why === undefined ? undefined : reasons.noRoom({ group: group.id, why });
  }

  /** This one leaves: its successor will take its place. */
  take({ role }: ProcessGroup): void {
    this.#unmarked.set(role, (this.#unmarked.get(role) ?? 0) - 1);
  }

  /** A lower count is met without a successor, and one that takes over the identity takes over the place as well. */
  #needsSuccessor(group: ProcessGroup): boolean {
    if (rulesOf(this.#survey, group)?.replacedAs === 'same-id-wiped') return false;
    const want = roleOf(this.#survey, group)?.count ?? 0;
    return (this.#unmarked.get(group.role) ?? 0) <= want;
  }

  #shareSays({ id }: ProcessGroup): string | undefined {
    const { reserved, quota } = this.#survey.snapshot.share;
    if (reserved === 'all') return quota?.message;
    return isListed(reserved, id) ? undefined : (quota?.message ?? 'what room there is goes to others first');
  }

  /** It waits for a place itself, and one of its role is about to free one: a successor would only wait behind it. */
  #leavingSays({ id, role }: ProcessGroup): string | undefined {
    if (this.#stuck.get(role)?.some(({ group }) => group.id === id) !== true) return undefined;
    const other = inOrder(this.#survey.snapshot.processGroups).find(
      (one) => one.role === role && one.pod !== null && isOnItsWayOut(one),
    );
    return other === undefined ? undefined : `${other.id} has not left its place yet`;
  }

  #schedulerSays({ id, role }: ProcessGroup): string | undefined {
    return this.#stuck.get(role)?.find(({ group }) => group.id !== id)?.schedulerSays;
  }
}
