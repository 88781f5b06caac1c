import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import { dueAt } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { isSpared, isUnderMaintenance } from './maintenance.ts';
import type { StepBuilder } from './step.ts';

/**
 * Makes sure that the engine knows of the zone before pods with data in it are deleted: recorded, then told, then confirmed. `pending`: not
 * confirmed yet. `elsewhere`: another zone is under maintenance, and only one can be.
 */
export function prepareMaintenance(
  survey: Survey,
  groups: readonly ProcessGroup[],
  step: StepBuilder,
): 'ready' | 'pending' | 'elsewhere' {
  const { maintenance: recorded, now, spec } = survey.snapshot;
  const engineSays = survey.engine.topology?.health.maintenance ?? null;
  const zone = groups.find((group) => isSpared(survey, group))?.zone ?? null;
  if (!spec.maintenance.use || engineSays === null || zone === null) return 'ready';

  const other = [recorded, engineSays].find(
    (one) => one !== null && one !== unknown && one !== 'off' && one.zone !== zone && now < one.until,
  );
  if (other !== undefined && other !== null && other !== unknown && other !== 'off') {
    for (const { id } of groups) {
      step.hold(id, reasons.maintenanceElsewhere({ group: id, zone: other.zone, until: other.until }));
    }
    return 'elsewhere';
  }
  if (recorded !== null && isUnderMaintenance(engineSays, zone)) return 'ready';

  const until = recorded?.until ?? dueAt(now, spec.maintenance.time) ?? now;
  const reason = reasons.maintenanceOn({ zone, until });
  if (recorded === null) step.record({ record: 'maintenance-on', zone, until, reason });
  step.act({ act: 'maintenance-on', zone, time: spec.maintenance.time, reason });
  for (const { id } of groups) step.hold(id, reasons.maintenancePending({ group: id, zone }));
  return 'pending';
}
