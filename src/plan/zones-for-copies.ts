import type { ProcessGroupId } from '../model/ids.ts';
import { isTrue, unknown } from '../model/known.ts';
import type { GroupCondition, ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import { mayHoldData } from '../rules/role-table.ts';
import type { Survey } from '../rules/survey.ts';

/** Where the process groups of a role are that serve and are not being emptied. */
export type PlacesForCopies = Map<ProcessGroupId, string>;

/** One without a known zone counts as in one of its own. */
export const placesForCopies = (survey: Survey, role: readonly ProcessGroup[]): PlacesForCopies =>
  new Map(
    role
      .filter((group) => missingSince(group) === undefined && !isBeingEmptied(survey, group))
      .map(({ id, zone }) => [id, zone ?? `the zone of ${id}`]),
  );

/**
 * Why one may not be emptied because of where the others are. Data that finds no zone for a copy is never moved, and all that waits for that waits
 * for ever. Whoever leaves a zone in which others stay may go.
 */
export function reasonByZones(
  { snapshot, engine }: Survey,
  { id, role }: ProcessGroup,
  places: PlacesForCopies,
): Reason | undefined {
  const need = engine.topology?.health.zonesForCopies ?? unknown;
  const own = places.get(id);
  if (need === unknown || own === undefined || !mayHoldData(snapshot.spec.engine, role)) return undefined;
  const others = new Set([...places].flatMap(([other, zone]) => (other === id ? [] : [zone])));
  if (others.has(own) || others.size >= need) return undefined;
  return reasons.tooFewZones({ group: id, role, zones: others.size, need });
}

export const missingSince = (group: ProcessGroup): GroupCondition | undefined =>
  group.conditions.find(({ type }) => type === 'MissingProcesses');

/** One that was cancelled serves again only once the engine has included it. */
export function isBeingEmptied({ engine }: Survey, group: ProcessGroup): boolean {
  if (group.removal !== null && group.evacuationAt !== null) return true;
  const processes = engine.processesOf.get(group.id) ?? [];
  return processes.length > 0 && processes.every(({ excluded }) => isTrue(excluded));
}
