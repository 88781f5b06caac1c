import type { Step } from '../model/decision.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import type { Survey } from '../rules/survey.ts';
import { isOnItsWayOut } from './in-flight.ts';
import { inOrder } from './in-order.ts';
import { reasonToWaitForLock, reasonToWarnOfNoLock } from './missing-lock.ts';
import { reasonNotToTry, refusedObject } from './refused-objects.ts';
import { roleOf } from './role-of.ts';
import { idle, StepBuilder } from './step.ts';

/**
 * Makes the pod, claim and service of every process group that lacks them. One that is marked and still being drained is brought back up if
 * its pod dies, because its data has to get off it; one that is drained is not. An object of the same name that is still going is waited for.
 */
export function createObjects(survey: Survey): Step {
  if (!survey.snapshot.spec.ownsPods) return idle;
  const step = new StepBuilder('create-objects');
  const bare = reasonToWarnOfNoLock(survey);
  if (bare !== undefined) step.hold(null, bare);
  for (const group of tiedFirst(inOrder(survey.snapshot.processGroups))) {
    if (isOnItsWayOut(group)) continue;
    reportPlacement(survey, group, step);
    const lacking = objectsLackingIn(group);
    if (lacking.length === 0) continue;
    if ((roleOf(survey, group)?.shape ?? null) === null) {
      step.hold(group.id, reasons.noSuchRole({ group: group.id, role: group.role }));
      continue;
    }
    const refused = reasonToWaitForLock(survey, group) ?? reasonNotToTry(survey, group, `${group.id} is not created`);
    if (refused !== undefined) step.hold(group.id, refused);
    for (const { what, going } of lacking) {
      if (going === undefined) {
        if (refused !== undefined) continue;
        step.act({ act: 'create', what, group: group.id, reason: reasons.objectMissing({ group: group.id, what }) });
      } else step.hold(group.id, reasons.objectTerminating({ group: group.id, what: going }));
    }
  }
  return step.build();
}

/** The scheduler serves who comes first. One whose data is tied to a node has that one place, and a new one would fit there, too. */
const tiedFirst = (groups: readonly ProcessGroup[]): readonly ProcessGroup[] =>
  groups.toSorted((a, b) => Number(isTiedToItsPlace(b)) - Number(isTiedToItsPlace(a)));

const isTiedToItsPlace = ({ claim, zone }: ProcessGroup): boolean =>
  zone !== null && claim !== null && claim !== 'none' && !claim.travels;

type What = 'pod' | 'claim' | 'service';

interface Lacking {
  readonly what: What;
  /** The old object that has to be gone first. */
  readonly going?: What;
}

function objectsLackingIn({ pod, claim, service }: ProcessGroup): readonly Lacking[] {
  const lacking: Lacking[] = [];
  const claimIsGoing = claim !== null && claim !== 'none' && claim.deleting;
  if (claim === null) lacking.push({ what: 'claim' });
  if (claimIsGoing) lacking.push({ what: 'claim', going: 'claim' });
  if (service === null) lacking.push({ what: 'service' });
  if (service === 'terminating') lacking.push({ what: 'service', going: 'service' });
  // A pod on a claim that is going would hold the claim up, and then have none.
  if (pod === null && !claimIsGoing) lacking.push({ what: 'pod' });
  if (pod !== null && pod.deletingSince !== null) lacking.push({ what: 'pod', going: 'pod' });
  return lacking;
}

/** The API server's, the scheduler's and the kubelet's own words, where a pod finds no place or does not come up there. */
function reportPlacement(survey: Survey, group: ProcessGroup, step: StepBuilder): void {
  const { pod, id } = group;
  const { quota } = survey.snapshot.share;
  const counted = quota !== null && (quota.refused?.includes(id) ?? true) ? quota.message : undefined;
  const refused = refusedObject(survey, group);
  // What is refused for want of room alone is tried with every look: room may come at any time.
  const serverSays = counted ?? (refused?.retryAt === null ? refused.message : undefined);
  if (pod === null && serverSays !== undefined) step.hold(id, reasons.quotaFull({ group: id, serverSays }));
  const schedulerSays = pod?.unschedulable ?? null;
  if (schedulerSays !== null) step.hold(id, reasons.unschedulable({ group: id, schedulerSays }));
  const kubeletSays = pod === null || pod.deletingSince !== null ? null : pod.broken;
  if (kubeletSays !== null) step.hold(id, reasons.podBroken({ group: id, kubeletSays }));
}
