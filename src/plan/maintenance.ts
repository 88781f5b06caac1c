import type { Step } from '../model/decision.ts';
import type { Zone } from '../model/ids.ts';
import { isTrue, unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import { needsRecreation } from './pod-changes.ts';
import { allReport } from './reporting.ts';
import { rulesOf } from './role-of.ts';
import { idle, StepBuilder } from './step.ts';

/**
 * When a maintenance that Drover began ends: when every pod of the zone runs the new spec, reports, and the engine has caught up; or when its
 * time is over. It stays recorded until the engine shows that it ended, so that a crash in between only means that the engine is told again.
 */
export function maintain(survey: Survey): Step {
  const { maintenance, now } = survey.snapshot;
  if (maintenance === null) return idle;
  const { zone, until } = maintenance;
  const step = new StepBuilder('maintenance');
  const engineSays = survey.engine.topology?.health.maintenance;
  const confirmed = isUnderMaintenance(engineSays, zone);

  if (now >= until) {
    const reason = reasons.maintenanceOver({ zone, because: 'its time is over' });
    step.record({ record: 'maintenance-off', reason });
    if (confirmed) step.act({ act: 'maintenance-off', reason });
    return step.build();
  }
  const groups = survey.snapshot.processGroups.filter((group) => group.zone === zone && isSpared(survey, group));
  if (engineSays === undefined || engineSays === unknown || groups.some((group) => needsRecreation(survey, group))) {
    return step.hold(null, reasons.maintenanceOn({ zone, until })).build();
  }
  if (!confirmed) {
    const reason = reasons.maintenanceOver({ zone, because: 'the engine ended it' });
    return step.record({ record: 'maintenance-off', reason }).build();
  }
  if (!groups.every((group) => isBack(survey, group))) {
    return step.hold(null, reasons.maintenanceOn({ zone, until })).build();
  }
  const caughtUp = survey.engine.topology?.health.caughtUp;
  if (caughtUp !== null && !isTrue(caughtUp ?? unknown)) {
    return step.hold(null, reasons.notCaughtUp({ zone })).wake(until).build();
  }
  const reason = reasons.maintenanceOver({ zone, because: 'its pods are back' });
  return step.act({ act: 'maintenance-off', reason }).wake(until).build();
}

type EngineMaintenance = NonNullable<Survey['engine']['topology']>['health']['maintenance'];

/** The engine confirms that this zone is under maintenance. */
export const isUnderMaintenance = (says: EngineMaintenance | undefined, zone: Zone): boolean =>
  typeof says === 'object' && says !== null && says.zone === zone;

/** Maintenance spares the data of storage processes from being moved. The transaction system is recruited anew in any case. */
export function isSpared(survey: Survey, group: ProcessGroup): boolean {
  const rules = rulesOf(survey, group);
  return group.removal === null && rules !== undefined && rules.holdsData && !rules.transactionSystem;
}

/** Its processes are those of a pod that runs the new spec; `allReport` leaves out what the engine remembers of the pod before. */
const isBack = (survey: Survey, group: ProcessGroup): boolean =>
  group.pod !== null && group.pod.deletingSince === null && allReport(survey, group);
