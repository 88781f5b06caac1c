import type { Step } from '../model/decision.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { PredicateName, RoleRules } from '../model/role-rules.ts';
import { newestJob } from '../rules/newest-job.ts';
import type { Survey } from '../rules/survey.ts';
import { wishFor } from './asked.ts';
import { reasonToWaitForRetry } from './engine-job.ts';
import { isHeldByCancel } from './held-by-cancel.ts';
import { inOrder } from './in-order.ts';
import type { Leadership } from './leadership.ts';
import { leadershipOf } from './leadership.ts';
import { reasonToLeaveAlone } from './quiet-engine.ts';
import { rulesOf } from './role-of.ts';
import { askedBeforeEviction } from './rule-predicates.ts';
import { StepBuilder } from './step.ts';

/**
 * Moves leadership away from process groups that are to go and may not go as leaders. Told again until they lead nothing. What has nobody to
 * take it over is not touched: it is the rule that says so. Nor is what only others that leave could take over: they would hand it back.
 */
export function handOff(survey: Survey): Step {
  const step = new StepBuilder('hand-off');
  for (const group of inOrder(survey.snapshot.processGroups)) {
    const wish = group.removal === null ? wishFor(survey, group) : undefined;
    const toGo = wish === undefined ? isLeaving(survey, group) : group.pod?.deletingSince === null;
    if (toGo && handOffGroup(survey, group, step)) step.wake(wish?.until);
  }
  return step.build();
}

/** Tells the engine to move the leadership of one process group away, or says why not. False: it leads nothing, or may lead. */
export function handOffGroup(survey: Survey, group: ProcessGroup, step: StepBuilder): boolean {
  const rules = rulesOf(survey, group);
  if (rules === undefined || !mustNotLead(survey, group, rules)) return false;
  const leads = leadershipOf(survey, group);
  if (leads.unsure !== undefined) {
    step.hold(group.id, reasons.factUnknown({ group: group.id, missing: `who leads ${leads.unsure.name}` }));
    return true;
  }
  const why = whatItLeads(group, leads);
  if (why === undefined) return false;
  const takersLeave = leads.takersLeave ? reasons.takersLeave({ group: group.id, leads: ledBy(leads) }) : undefined;
  const hold =
    reasonToLeaveAlone(survey, group.id, 'keeps its leadership for now') ??
    takersLeave ??
    (leads.canHandOff.length === 0 ? nobodyTakesOver(group, leads) : undefined) ??
    reasonToWaitForRetry(survey.snapshot, newestJob(survey.snapshot, group.id, 'HandOff'));
  if (hold === undefined || hold === takersLeave) step.wake(leads.takerStaysAt);
  if (hold !== undefined) step.hold(group.id, hold);
  else step.act({ act: 'hand-off', group: group.id, processes: leads.canHandOff, reason: why });
  return true;
}

const ledBy = ({ units, quorums }: Leadership): string =>
  [...units.map(({ name }) => name).sort(), ...quorums.map(({ name }) => name)][0] ?? '';

/**
 * Marked, and not yet so far that its leadership does not matter any more. One that is being removed may have become the leader since: while
 * its pod is there it is not deleted as the leader.
 */
function isLeaving(survey: Survey, { id, removal, removingAt, drainedAt, pod }: ProcessGroup): boolean {
  if (removal === null || drainedAt !== null || isHeldByCancel(survey, id)) return false;
  return removingAt === null || (!removal.withoutExclusion && pod !== null && pod.deletingSince === null);
}

const asksForNoLeader: ReadonlySet<PredicateName> = new Set(['leads-no-unit', 'not-quorum-leader', 'follower']);

function mustNotLead(survey: Survey, group: ProcessGroup, { leavesBy }: RoleRules): boolean {
  const { byEngine, bySpec } = askedBeforeEviction(survey, group);
  return leavesBy === 'hand-off' || [...byEngine, ...bySpec].some((predicate) => asksForNoLeader.has(predicate));
}

function whatItLeads(group: ProcessGroup, { units, quorums }: Leadership): Reason | undefined {
  const [unit] = units.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (unit !== undefined) return reasons.leadsUnits({ group: group.id, units: units.length, unit: unit.name });
  const [quorum] = quorums;
  return quorum === undefined ? undefined : reasons.quorumLeader({ group: group.id, quorum: quorum.name });
}

function nobodyTakesOver(group: ProcessGroup, { units, quorums }: Leadership): Reason {
  const [unit] = units.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (unit !== undefined) {
    return reasons.noInSyncFollower({ group: group.id, unit: unit.name, more: units.length - 1 });
  }
  return reasons.noOtherFollower({ group: group.id, quorum: quorums.map(({ name }) => name).join(', ') });
}
