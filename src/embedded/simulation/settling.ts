import type { ConditionType } from '../../model/process-group.ts';
import { reasons } from '../../model/reasons.ts';
import { textAt } from '../api-server/json.ts';
import { storedAs } from '../cluster/resources.ts';
import { roleOfGroup, specHashAnnotation } from '../stand-in/manifests.ts';
import type { Violation } from './invariants/violation.ts';
import { violation } from './invariants/violation.ts';
import type { SimulatedWorld } from './world.ts';
import { namespace } from './world.ts';

/** Once nothing happens any more, everything is over by then: failures found, replaced, moved, removed. In seconds. */
export const settlesWithin = 6 * 3600;

/** People who want two things that exclude each other learn it from Drover, and let go of one: what they had cancelled. */
export function giveWay(world: SimulatedWorld): void {
  if (world.judge.waits.some(({ code }) => code === reasons.conflictingRequests.code))
    world.spec = { ...world.spec, cancelReplacements: [] };
}

/** Why the database is not at rest yet; undefined: it is, as people want it. */
export function unsettled(world: SimulatedWorld): Violation | undefined {
  const { spec, judge, database } = world;
  const { rows } = judge.recorded();
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
  const old = outdated(world);
  if (old !== undefined) return stuck(`${old} is not as people want it`);
  const excluded = database.model.whole().processes.find((process) => process.excluded === true);
  if (excluded === undefined) return undefined;
  return violation('I9', `${excluded.id} stays, and the engine is still to move its data away`);
}

/** A pod or a claim that was made from an older spec. */
function outdated({ cluster, spec }: SimulatedWorld): string | undefined {
  for (const [kind, hash] of [
    [storedAs.pods, 'specHash'],
    [storedAs.claims, 'claimSpecHash'],
  ] as const) {
    for (const { object } of cluster.world.store.collection(kind).entries(namespace)) {
      const name = textAt(object, 'metadata', 'name');
      const shape = roleOfGroup(spec, name)?.shape;
      const is = textAt(object, 'metadata', 'annotations', specHashAnnotation);
      if (shape !== undefined && shape !== null && is !== shape[hash]) return name;
    }
  }
  return undefined;
}
