import type { RoleSpec } from '../model/cluster-spec.ts';
import type { Zone } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { EngineHealth } from '../model/topology.ts';
import { mayHoldData, rulesFor } from '../rules/role-table.ts';
import type { Survey } from '../rules/survey.ts';
import { isInFlight } from './in-flight.ts';
import { missingSince } from './zones-for-copies.ts';

/** In how many zones those of a role are that stay and serve, and how many its copies need. */
export interface TooFewZones {
  readonly zones: number;
  readonly need: number;
}

/**
 * Successors may come to share zones, while the nodes of those that leave are still taken. Then whoever is to leave last, from a zone in which nobody
 * stays, never can: one more than the spec asks for is made. undefined: nobody is stuck so, or nobody knows.
 */
export function tooFewZonesToLeave(survey: Survey, role: RoleSpec): TooFewZones | undefined {
  const need = zonesNeeded(survey);
  if (typeof need !== 'number') return undefined;
  const zones = zonesOfOthers(survey, role);
  return zones !== undefined && zones.size < need ? { zones: zones.size, need } : undefined;
}

/** Whether the one more is kept: until the other has left, also while the engine does not say how many zones it needs. */
export function keepsOneMore(survey: Survey, role: RoleSpec): boolean {
  const need = zonesNeeded(survey);
  if (need === null) return false;
  const zones = zonesOfOthers(survey, role);
  return zones !== undefined && (need === unknown || zones.size < need);
}

const zonesNeeded = ({ engine }: Survey): EngineHealth['zonesForCopies'] =>
  engine.topology === undefined ? unknown : engine.topology.health.zonesForCopies;

/** The zones of those that stay and serve, where another one has to leave from a zone of its own; undefined: nobody has to. */
function zonesOfOthers({ snapshot }: Survey, { name }: RoleSpec): ReadonlySet<Zone> | undefined {
  const { engine } = snapshot.spec;
  if (!mayHoldData(engine, name) || rulesFor(engine, name)?.replacedAs !== 'new-id') return undefined;
  const groups = snapshot.processGroups.filter(({ role }) => role === name);
  const zones = new Set(groups.filter((group) => stays(group) && serves(group)).flatMap(({ zone }) => zone ?? []));
  return groups.some((group) => isStuck(group, zones)) ? zones : undefined;
}

/** Whether one more is to be made now: as many as the spec asks for are there, serve, it is known where, and there is another zone for it. */
export function lacksOneElsewhere(survey: Survey, role: RoleSpec): boolean {
  const staying = survey.snapshot.processGroups.filter((group) => group.role === role.name && stays(group));
  if (staying.length !== role.count || !staying.every((group) => group.zone !== null && serves(group))) return false;
  const taken = new Set(staying.map(({ zone }) => zone));
  // Where nodes are not read, nobody knows better.
  return survey.snapshot.nodes?.some(({ ready, cordoned, zone }) => ready && !cordoned && !taken.has(zone)) ?? true;
}

const stays = ({ removal }: ProcessGroup): boolean => removal === null;

const serves = (group: ProcessGroup): boolean => missingSince(group) === undefined;

/** It has to go, and not because there are too many. */
const isStuck = (group: ProcessGroup, zones: ReadonlySet<Zone>): boolean =>
  isInFlight(group) &&
  group.evacuationAt === null &&
  group.removal?.cause !== 'Shrink' &&
  (group.zone === null || !zones.has(group.zone));
