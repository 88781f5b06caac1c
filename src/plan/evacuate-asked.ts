import type { Step } from '../model/decision.ts';
import type { NodeName } from '../model/ids.ts';
import { isFalse, isTrue } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Unit } from '../model/topology.ts';
import { copiesToMove, mustBeEmptyByPolicy } from '../rules/drain-policy.ts';
import { lastWordIsToKeep } from '../rules/last-word.ts';
import { newestJob } from '../rules/newest-job.ts';
import type { Question } from '../rules/question.ts';
import { askAbout, heldBy } from '../rules/question.ts';
import type { Held, Survey } from '../rules/survey.ts';
import { toldToTravel } from '../rules/travel.ts';
import { policyOf, policyRules } from '../rules/unit-policy.ts';
import type { Wish } from './asked.ts';
import { leavingNodes, wishFor } from './asked.ts';
import { InPlace } from './empty-in-place.ts';
import { reasonToWaitForRetry } from './engine-job.ts';
import { giveUpSeat } from './give-up-seat.ts';
import { isListed } from './listed.ts';
import { askedFirst } from './live-wish.ts';
import { reasonToLeaveAlone } from './quiet-engine.ts';
import { rulesOf } from './role-of.ts';
import { askedBeforeEviction } from './rule-predicates.ts';
import { StepBuilder } from './step.ts';
import { isToBeKept, mayBeExcludedByAddress, mayBeFromBefore, tellToKeep } from './undo-evacuation.ts';

/**
 * Moves data away from pods that someone wants gone, where the role leaves that way, or would be replaced and the pods are somebody else's: everything
 * where its rule asks for an empty process, else the copies that the drain policy of each unit names. Undone when nobody wants them gone any more. A copy that is on its way when the
 * policy would no longer name it is left to arrive: taking it back would leave one copy too many.
 */
export function evacuateAsked(survey: Survey): Step {
  const step = new StepBuilder('evacuate-asked');
  const leaving = leavingNodes(survey);
  const inPlace = new InPlace(survey);
  for (const group of askedFirst(survey)) {
    if (group.removal !== null || group.pod === null) continue;
    if (rulesOf(survey, group)?.leavesBy !== 'evacuate' && !inPlace.concerns(group)) continue;
    const wish = wishFor(survey, group);
    if (wish !== undefined) {
      if (empty(survey, group, { ...wish, leaving, inPlace }, step) || group.evacuationAt !== null)
        step.wake(wish.until);
    } else if (group.evacuationAt !== null) undo(survey, group, step);
  }
  return step.build();
}

/** A wish, where the data must not go, and whose turn it is. */
interface Leave extends Wish {
  readonly inPlace: InPlace;
  readonly leaving: readonly NodeName[];
}

/** Whether there is anything to say. */
function empty(survey: Survey, group: ProcessGroup, wish: Leave, step: StepBuilder): boolean {
  const question = askAbout('eviction', survey, group);
  const whole = mustBeEmpty(question);
  const copies = whole ? [] : copiesToMove(question);
  const kept = lastWordIsToKeep(survey, group);
  if (whole ? !kept && question.processes.every(({ drained }) => isTrue(drained)) : copies.length === 0) {
    if (isNamedNoMore(question)) undo(survey, group, step, 'the drain policy does not ask for it any more');
    return whole && group.pod?.deletingSince === null && giveUpSeat(survey, group, step);
  }
  if (group.pod?.deletingSince !== null) return false;
  const hold = reasonToLeaveAlone(survey, group.id, 'is not emptied yet') ?? wish.inPlace.take(group);
  if (hold !== undefined) {
    step.hold(group.id, hold);
    return true;
  }
  const reason = reasons.emptiedForDrain({
    group: group.id,
    by: wish.by,
    drains: wish.drains,
    copies: whole ? null : copies.length,
    avoid: wish.leaving,
  });
  if (group.evacuationAt === null || isToBeKept(survey, group))
    step.record({ record: 'evacuating', group: group.id, reason });
  if (whole) giveUpSeat(survey, group, step);
  for (const stuck of unplaceable(copies, group)) step.hold(group.id, stuck);
  const retry = reasonToWaitForRetry(survey.snapshot, newestJob(survey.snapshot, group.id, 'Evacuate'));
  if (retry !== undefined) step.hold(group.id, retry);
  else tell(question, whole, copies, reason, step);
  return true;
}

/**
 * The spec asks for an empty process, or the role's own rule does and nobody said that the data travels. A role that would be replaced may also go as
 * it is: then only the drain policy asks for it.
 */
function mustBeEmpty(question: Question): boolean {
  const { survey, group } = question;
  const { byEngine, bySpec } = askedBeforeEviction(survey, group);
  if (bySpec.includes('drained')) return true;
  if (rulesOf(survey, group)?.leavesBy === 'replace') return mustBeEmptyByPolicy(question);
  return byEngine.includes('drained') && !toldToTravel(question);
}

function tell(question: Question, whole: boolean, copies: readonly Held[], reason: Reason, step: StepBuilder): void {
  const { group, processes, survey } = question;
  const shown = whole
    ? processes.every(({ excluded }) => isTrue(excluded))
    : copies.every(({ replica }) => replica.movingAway);
  if (shown && !lastWordIsToKeep(survey, group)) {
    const job = newestJob(survey.snapshot, group.id, 'Evacuate');
    step.hold(group.id, progress(group, copies, job?.percent ?? null, job?.secondsLeft ?? null));
    return;
  }
  const units = { units: [...new Set(copies.map(({ unit }) => unit.id))] };
  step.act({
    act: 'evacuate',
    group: group.id,
    processes: processes.map(({ id }) => id),
    addresses: [],
    reason,
    ...(whole ? {} : units),
  });
}

function progress(
  { id }: ProcessGroup,
  copies: readonly Held[],
  percent: number | null,
  secondsLeft: number | null,
): Reason {
  const [first] = copies;
  if (first === undefined) return reasons.draining({ group: id, percent, secondsLeft });
  const { name, copying } = first.unit;
  return reasons.holdsReplicas({
    group: id,
    copies: copies.length,
    unit: name,
    percent: copying?.percent ?? percent,
    bytes: copying?.bytes ?? null,
    secondsLeft: copying?.secondsLeft ?? secondsLeft,
  });
}

function unplaceable(copies: readonly Held[], { id }: ProcessGroup): readonly Reason[] {
  return [...new Set(copies.map(({ unit }) => unit))].flatMap(({ name, unplaceable: engineSays }) =>
    engineSays === null ? [] : [reasons.unplaceable({ group: id, unit: name, engineSays })],
  );
}

/** Copies are on their way that no policy names any more, whatever their number: the policy was changed. */
function isNamedNoMore(question: Question): boolean {
  const { group, survey } = question;
  if (group.evacuationAt === null || mustBeEmpty(question)) return false;
  const { spec } = survey.snapshot;
  const moving = [...heldBy(question)].filter(({ replica }) => replica.movingAway);
  return moving.length > 0 && moving.every(({ unit }) => policyRules[policyOf(unit, spec)].moves === 'nothing');
}

/** Tells the engine that the data stays, until an observation that began after it was told to move it shows that nothing moves. */
function undo(survey: Survey, group: ProcessGroup, step: StepBuilder, because = 'nobody wants it gone any more'): void {
  // The step that cancels replacements has it in hand.
  if (isListed(survey.snapshot.spec.cancelReplacements, group.id)) return;
  const { topology, unreachable } = survey.engine;
  if (topology === undefined || group.evacuationAt === null) {
    const { unreachable: why = 'no answer', since = survey.snapshot.now } = unreachable ?? {};
    step.hold(
      group.id,
      reasons.engineUnreachable({ subject: `${group.id} is not told to keep its data yet`, why, since }),
    );
    return;
  }
  const question = askAbout('eviction', survey, group);
  // What is not listed is away: what it was told stands until it is back, and is taken back then.
  if (question.processes.length === 0 && rulesOf(survey, group)?.leavesBy === 'replace') return;
  const held = [...heldBy(question)];
  // What is not known may still be so: to tell it once more does no harm.
  const moving =
    held.some(({ replica }) => replica.movingAway) || question.processes.some(({ excluded }) => !isFalse(excluded));
  const reason = reasons.evacuationCancelled({
    group: group.id,
    because,
    leftovers: leftovers(held.map(({ unit }) => unit)),
  });
  const stands = moving || mayBeFromBefore(survey, group) || mayBeExcludedByAddress(survey, group);
  if (stands) tellToKeep(survey, group, reason, step);
  else step.record({ record: 'evacuation-ended', group: group.id, reason });
}

/** A copy that was begun elsewhere is finished, and stays until someone takes it away. */
function leftovers(units: readonly Unit[]): readonly string[] {
  const begun = units.filter(
    ({ copying, replicas }) =>
      copying !== null || replicas.some(({ state, doomed }) => state === 'rebuilding' && !doomed),
  );
  return [...new Set(begun.map(({ name }) => name))].sort();
}
