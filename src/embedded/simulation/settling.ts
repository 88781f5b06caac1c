import type { ConditionType, ProcessGroup } from '../../model/process-group.ts';
import { reasons } from '../../model/reasons.ts';
import type { Violation } from './invariants/violation.ts';
import { violation } from './invariants/violation.ts';
import { sayWaits } from './say-waits.ts';
import type { SimulatedWorld } from './world.ts';

/** Once nothing happens any more, everything is over by then: failures found, replaced, moved, removed. In seconds. */
export const settlesWithin = 6 * 3600;

/**
 * People who want two things that exclude each other learn it from Drover, and let go of one: what they had cancelled. So do those who read that a pod has
 * lost its place, and is not replaced because they said so.
 */
export async function giveWay({ judge: { waits }, subject }: SimulatedWorld): Promise<void> {
  const lost = new Set(waits.filter(({ code }) => noPlace.has(code)).map(({ evidence }) => evidence['group']));
  const excludeEachOther = waits.some(
    ({ code, evidence }) =>
      code === reasons.conflictingRequests.code || (code === reasons.cancelled.code && lost.has(evidence['group'])),
  );
  if (excludeEachOther) await subject.cancelNothing();
}

const noPlace: ReadonlySet<string> = new Set([reasons.unschedulable.code, reasons.placeWanted.code]);

/** Why the database is not at rest yet; undefined: it is, as people want it. `inTheEnd`: nothing more comes by itself. */
export function unsettled({ judge, subject }: SimulatedWorld, inTheEnd = false): Violation | undefined {
  const { roles } = subject;
  const { rows } = subject.recorded();
  const stuck = (what: string) => violation('I7', [what, ...sayWaits(judge.waits)].join('; '));
  // With automatic replacement off the condition stays, for people to see.
  const isReplaced = (row: ProcessGroup) => roles.some(({ name, isReplaced }) => name === row.role && isReplaced);
  const matters = (row: ProcessGroup, type: ConditionType) => type !== 'NodeTaintReplacing' || isReplaced(row);
  // Nor is a pod replaced then that lost its place to another one, and those whose place it would take wait for it: it is told, and people have to act.
  const isLeftToPeople = (row: ProcessGroup) =>
    row.removal === null &&
    !isReplaced(row) &&
    judge.waits.some(({ code, evidence }) => noPlace.has(code) && evidence['group'] === row.id);
  // Until they have acted its role is short of one, which in the end the others of it wait for.
  const abandoned = new Set<string>(inTheEnd ? rows.filter(isLeftToPeople).map(({ role }) => role) : []);
  for (const { name, count } of roles) {
    const there = rows.filter(({ role }) => role === name).length;
    if (there !== count && !abandoned.has(name)) return stuck(`${there} ${name} instead of ${count}`);
  }
  const bad = rows.find(
    (row) =>
      !isLeftToPeople(row) &&
      !abandoned.has(row.role) &&
      (row.removal !== null || row.conditions.some(({ type }) => matters(row, type))),
  );
  if (bad !== undefined) {
    const conditions = bad.conditions.map(({ type }) => type).join(', ');
    return stuck(`${bad.id}: ${bad.removal === null ? conditions : 'still leaving'}`);
  }
  const old = rows.some(isLeftToPeople) ? undefined : subject.outdated();
  if (old !== undefined) return stuck(`${old} is not as people want it`);
  const left = subject.leftBehind();
  return left === undefined ? undefined : violation('I9', left);
}
