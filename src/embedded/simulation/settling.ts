import type { ConditionType } from '../../model/process-group.ts';
import { reasons } from '../../model/reasons.ts';
import type { Violation } from './invariants/violation.ts';
import { violation } from './invariants/violation.ts';
import type { SimulatedWorld } from './world.ts';

/** Once nothing happens any more, everything is over by then: failures found, replaced, moved, removed. In seconds. */
export const settlesWithin = 6 * 3600;

/** People who want two things that exclude each other learn it from Drover, and let go of one: what they had cancelled. */
export async function giveWay({ judge, subject }: SimulatedWorld): Promise<void> {
  if (judge.waits.some(({ code }) => code === reasons.conflictingRequests.code)) await subject.cancelNothing();
}

/** Why the database is not at rest yet; undefined: it is, as people want it. */
export function unsettled({ judge, subject }: SimulatedWorld): Violation | undefined {
  const { spec } = subject;
  const { rows } = subject.recorded();
  const stuck = (what: string) => violation('I7', [what, ...judge.waits.map(({ message }) => message)].join('; '));
  for (const { name, count } of spec.roles) {
    const there = rows.filter(({ role }) => role === name).length;
    if (there !== count) return stuck(`${there} ${name} instead of ${count}`);
  }
  // With automatic replacement off the condition stays, for people to see.
  const matters = (type: ConditionType) => type !== 'NodeTaintReplacing' || spec.replacements.enabled;
  // Nor is a pod replaced then that lost its place to another one: it is told, and people have to act.
  const isLeftToPeople = (id: string) =>
    !spec.replacements.enabled &&
    judge.waits.some(({ code, evidence }) => code === reasons.unschedulable.code && evidence['group'] === id);
  const bad = rows.find(
    ({ id, removal, conditions }) =>
      !isLeftToPeople(id) && (removal !== null || conditions.some(({ type }) => matters(type))),
  );
  if (bad !== undefined) {
    const conditions = bad.conditions.map(({ type }) => type).join(', ');
    return stuck(`${bad.id}: ${bad.removal === null ? conditions : 'still leaving'}`);
  }
  const old = subject.outdated();
  if (old !== undefined) return stuck(`${old} is not as people want it`);
  const left = subject.leftBehind();
  return left === undefined ? undefined : violation('I9', left);
}
