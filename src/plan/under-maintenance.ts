import type { Zone } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Instant } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { rulesOf } from './role-of.ts';

interface Maintenance {
  readonly zone: Zone;
  readonly until: Instant;
}

/**
 * The maintenance that explains why a process group may be away: its zone is under maintenance, as recorded or as the engine says, and it
 * holds data that the engine leaves in place meanwhile. Logs and stateless processes are not covered by it.
 */
export function maintenanceOf(survey: Survey, group: ProcessGroup): Maintenance | undefined {
  const { snapshot, engine } = survey;
  const told = engine.topology?.health.maintenance ?? null;
  const known = told === unknown || told === 'off' ? null : told;
  let end: Instant | undefined;
  for (const one of [snapshot.maintenance, known]) {
    if (one === null || one.zone !== group.zone || one.until <= snapshot.now) continue;
    if (end === undefined || one.until > end) end = one.until;
  }
  if (end === undefined || group.zone === null) return undefined;

  const rules = rulesOf(survey, group);
  return rules?.holdsData === true && !rules.transactionSystem ? { zone: group.zone, until: end } : undefined;
}
