import type { Step } from '../model/decision.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import { askAbout } from '../rules/question.ts';
import type { Survey } from '../rules/survey.ts';
import { dataTravels } from '../rules/travel.ts';
import { mayBeEvicted } from '../rules/verdict.ts';
import { isHeldByCancel } from './held-by-cancel.ts';
import type { LiveWish } from './live-wish.ts';
import { askedFirst, lastWanted, liveWishFor } from './live-wish.ts';
import { reasonNeverToReplace } from './replaceable.ts';
import { rulesOf } from './role-of.ts';
import { Room } from './room.ts';
import { idle, StepBuilder } from './step.ts';
import { Successors } from './successors.ts';
import { undoEvacuation, unmark } from './undo-evacuation.ts';

/** Nobody moves data before the whole answer is there: a moment lifts these. */
const unclear: ReadonlySet<string> = new Set([
  reasons.engineUnreachable.code,
  reasons.engineUnavailable.code,
  reasons.factUnknown.code,
  reasons.viewTooOld.code,
  reasons.anotherGranted.code,
]);

/** Nobody moves data for these alone: a hand-off lifts them. */
const liftedByHandOff: ReadonlySet<string> = new Set([
  reasons.quorumLeader.code,
  reasons.notFollower.code,
  reasons.leadsUnits.code,
]);

/**
 * Being asked to go starts the work: a process group that leaves by replacement, because its data is tied to its node, is marked when someone
 * wants its pod gone and the rules do not let it go as it is. When nobody wants that any more it is unmarked, until its objects are going.
 */
export function replaceAsked(survey: Survey): Step {
  if (!survey.snapshot.spec.ownsPods) return idle;
  const step = new StepBuilder('replace-asked');
  const room = new Room(survey);
  const successors = new Successors(survey);
  for (const group of askedFirst(survey)) {
    if (group.removal?.cause === 'Evicted') keepOnlyIfWanted(survey, group, successors, step);
    else if (group.removal === null) consider(survey, group, room, step);
  }
  return step.build();
}

function keepOnlyIfWanted(survey: Survey, group: ProcessGroup, successors: Successors, step: StepBuilder): void {
  if (group.removal === null || group.removingAt !== null) return;
  const wish = liveWishFor(survey, group);
  if (wish !== undefined) {
    step.wake(wish.until);
    return;
  }
  const lastAsked = lastWanted(survey, group) ?? group.removal.at;
  unmark(survey, group, reasons.notAskedAnyMore({ group: group.id, lastAsked }), step);
  successors.dismissFor(group, step);
}

function consider(survey: Survey, group: ProcessGroup, room: Room, step: StepBuilder): void {
  const live = liveWishFor(survey, group);
  const wish = live !== undefined && leavesByReplacement(survey, group) ? live : undefined;
  const wait = wish === undefined ? undefined : reasonToWait(survey, group);
  if (wish === undefined || wait === undefined || wish.forced) {
    if (wait !== undefined) step.wake(wish?.forcedUntil);
    if (group.evacuationAt !== null) finishUndoing(survey, group, step);
    return;
  }
  step.wake(wish.until);
  if (isHeldByCancel(survey, group.id)) {
    step.hold(group.id, reasons.cancelled({ group: group.id }));
    return;
  }
  const passing = unclear.has(wait.code) || liftedByHandOff.has(wait.code);
  const hold = passing ? wait : (reasonNeverToReplace(survey, group) ?? room.reasonAgainst(group));
  if (hold === undefined) mark(group, wish, room, step);
  else step.hold(group.id, hold);
}

function mark(group: ProcessGroup, wish: LiveWish, room: Room, step: StepBuilder): void {
  room.take(group);
  const reason = reasons.evicted({ group: group.id, by: wish.by, drains: wish.drains });
  step.record({ record: 'marked', group: group.id, cause: 'Evicted', withoutExclusion: false, reason });
}

/** By replacement always where the role says so; where it says hand-off, its tied data is lost with the node, so the same holds. */
function leavesByReplacement(survey: Survey, group: ProcessGroup): boolean {
  const rules = rulesOf(survey, group);
  if (rules === undefined) return false;
  const byRole = rules.leavesBy === 'replace';
  const byData = rules.leavesBy === 'hand-off' && rules.holdsData && rules.replacedAs === 'new-id';
  return (byRole || byData) && !dataTravels(askAbout('eviction', survey, group));
}

/**
 * Why its pod does not leave as it is, first what is not clear yet, then what only a replacement lifts; undefined: it may leave. Where another
 * pod was just let go everything waits for the result of that, which takes seconds.
 */
function reasonToWait(survey: Survey, group: ProcessGroup): Reason | undefined {
  const answer = mayBeEvicted(survey, group);
  if (answer.kind === 'allow') return undefined;
  const granted = [...survey.letGo].filter((id) => id !== group.id).sort()[0];
  if (granted !== undefined) return reasons.anotherGranted({ group: group.id, granted });
  return (
    answer.reasons.find(({ code }) => unclear.has(code)) ??
    answer.reasons.find(({ code }) => !liftedByHandOff.has(code)) ??
    answer.reasons[0]
  );
}

/** It was unmarked while the engine was moving its data, and the engine has not shown yet that it stopped. */
function finishUndoing(survey: Survey, group: ProcessGroup, step: StepBuilder): void {
  // A cancel undoes its own; what is emptied in place for a drain is undone by the step that does that.
  if (isHeldByCancel(survey, group.id) || rulesOf(survey, group)?.leavesBy === 'evacuate') return;
  const because = 'it is no longer to be removed';
  undoEvacuation(survey, group, reasons.evacuationCancelled({ group: group.id, because, leftovers: [] }), step);
}
