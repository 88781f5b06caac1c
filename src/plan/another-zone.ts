import type { RoleSpec } from '../model/cluster-spec.ts';
import type { Zone } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
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
 * stays, never can: one more than the spec asks for is made, and kept until it has left. undefined: nobody is stuck so.
 */
export function tooFewZonesToLeave({ snapshot, engine }: Survey, role: RoleSpec): TooFewZones | undefined {
  const need = engine.topology?.health.zonesForCopies;
  const { engine: type } = snapshot.spec;
  if (typeof need !== 'number' || !mayHoldData(type, role.name)) return undefined;
  if (rulesFor(type, role.name)?.replacedAs !== 'new-id') return undefined;
  const groups = snapshot.processGroups.filter((group) => group.role === role.name);
  const zones = new Set(groups.filter((group) => stays(group) && serves(group)).flatMap(({ zone }) => zone ?? []));
  if (zones.size >= need || !groups.some((group) => isStuck(group, zones))) return undefined;
  return { zones: zones.size, need };
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
