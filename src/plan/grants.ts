import type { Action, Precondition, Step } from '../model/decision.ts';
import { allow } from '../model/decision.ts';
import { forcedInWords } from '../model/forced.ts';
import type { ProcessGroupId } from '../model/ids.ts';
import type { Pod, ProcessGroup } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Grant, Job } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { dueAt, instant, seconds } from '../model/time.ts';
import { exemptionOf } from '../rules/drain-policy.ts';
import { askAbout } from '../rules/question.ts';
import type { Survey } from '../rules/survey.ts';
import { countsAsGone, graceAfterClosing } from '../rules/survey.ts';
import { mayBeEvicted } from '../rules/verdict.ts';
import type { Wish } from './asked.ts';
import { wishFor } from './asked.ts';
import { heldByBudget, isRefusedUnder, refusedEviction, tryAgainAt } from './refused-evictions.ts';
import { rulesOf } from './role-of.ts';
import { StepBuilder } from './step.ts';

/** An open lock that nobody used is closed again. */
const openFor = seconds(10);
/** What the engine said longer ago than this is not good enough to let something go. */
const viewGoodFor = seconds(10);

/**
 * Which pod may go now: at most one in a decision, in the order in which they were asked for. What was let go before counts as gone, and what a budget
 * of somebody else held waits for its next try. `taken` are the actions of the other steps of this decision: a pod that one of them takes away is not
 * seen to be going yet.
 */
export function grants(survey: Survey, taken: readonly Action[] = []): Step {
  const step = new StepBuilder('grants');
  for (const grant of survey.snapshot.grants.toSorted(byPod)) tend(survey, grant, step);

  let another = justTaken(survey, taken);
  const unsafe = unsafelyLetGo(survey);
  for (const wanted of wantedPods(survey)) {
    const { id } = wanted.group;
    const { pod, refused } = wanted;
    const later = refused === undefined ? undefined : tryAgainAt(refused, survey.snapshot.now);
    step.wake(wanted.wish.forPod?.until);
    const eviction = mayBeEvicted(survey, wanted.group);
    const forced = wanted.wish.force !== undefined;
    if (eviction.kind !== 'allow') step.wake(wanted.wish.force?.until);
    const first = another ?? (forced ? undefined : unsafe);
    const isHeld = eviction.kind !== 'allow' && !forced;
    if (refused !== undefined && !isHeld) step.hold(id, heldByBudget(pod, refused)).wake(later);
    if (isHeld) for (const reason of eviction.reasons) step.hold(id, reason);
    else if (later !== undefined) continue;
    else if (first !== undefined) step.hold(id, reasons.anotherGranted({ group: id, granted: first }));
    else if (eviction.kind === 'allow' && !isFresh(survey, wanted.group)) {
      step.hold(id, reasons.viewTooOld({ group: id, observedAt: observedAt(survey) }));
    } else {
      letGo(survey, wanted, eviction.kind === 'allow', step);
      another = id;
    }
  }
  return step.build();
}

interface Wanted {
  readonly group: ProcessGroup;
  readonly pod: Pod;
  readonly wish: Wish;
  /** When it was first asked for. */
  readonly since: Instant;
  /** The last try, where a budget of somebody else held it. */
  readonly refused: Job | undefined;
}

/** What someone wants gone and nobody has let go yet: who asked first first, and then those that were refused, the one that has waited longest first. */
function wantedPods(survey: Survey): readonly Wanted[] {
  const { grants, processGroups } = survey.snapshot;
  const granted = new Set(grants.filter((grant) => countsAsGone(grant, survey.snapshot)).map(({ pod }) => pod));
  return processGroups
    .flatMap((group) => {
      const { pod } = group;
      const wish = wishFor(survey, group);
      if (wish?.forPod === undefined || pod === null || pod.deletingSince !== null || group.removingAt !== null)
        return [];
      const { since } = wish.forPod;
      return granted.has(pod.uid) ? [] : [{ group, pod, wish, since, refused: refusedEviction(survey, group) }];
    })
    .sort(
      (a, b) =>
        (a.refused?.retryAt ?? 0) - (b.refused?.retryAt ?? 0) ||
        a.since - b.since ||
        (a.group.id < b.group.id ? -1 : 1),
    );
}

function letGo(survey: Survey, { group, pod, wish }: Wanted, allowed: boolean, step: StepBuilder): void {
  const { now } = survey.snapshot;
  const reason = reasonFor(group, wish, allowed);
  const grant: Grant = {
    group: group.id,
    pod: pod.uid,
    node: pod.node,
    grantedAt: now,
    closedAt: null,
    goneAt: null,
    exemption: exemptionFor(survey, group, wish, allowed),
  };
  step.record({ record: 'granted', grant, reason });
  step.act({ act: 'let-go', group: group.id, pod: preconditionOf(pod), reason });
  step.wake(dueAt(now, openFor));
  if (allowed && needsView(survey, group)) step.wake(dueAt(observedAt(survey), viewGoodFor));
}

/** By whose leave a rule is not asked: that of whoever annotated the pod, or of the drain policy. */
function exemptionFor(survey: Survey, group: ProcessGroup, { force }: Wish, allowed: boolean): string | null {
  if (!allowed && force !== undefined) return forcedInWords(force);
  return exemptionOf(askAbout('eviction', survey, group));
}

function reasonFor(group: ProcessGroup, { by, force, forPod }: Wish, allowed: boolean): Reason {
  return allowed || force === undefined
    ? reasons.ruleHolds({ group: group.id, by: forPod?.by ?? by })
    : reasons.forced({ group: group.id, why: force.why, source: force.source, by: force.by });
}

/** Two grants of one pod cannot be, and must not make the order matter. */
const byPod = (a: Grant, b: Grant): number =>
  a.pod < b.pod || (a.pod === b.pod && (a.group < b.group || (a.group === b.group && a.grantedAt < b.grantedAt)))
    ? -1
    : 1;

/** What becomes of a grant that was given before. */
function tend(survey: Survey, grant: Grant, step: StepBuilder): void {
  if (!countsAsGone(grant, survey.snapshot)) {
    step.record({ record: 'grant-ended', group: grant.group, pod: grant.pod });
    return;
  }
  // A closed one ends by time, whatever became of its pod.
  if (grant.closedAt !== null && grant.goneAt === null) step.wake(dueAt(grant.closedAt, graceAfterClosing));
  const group = survey.groups.get(grant.group);
  const pod = group?.pod?.uid === grant.pod ? group.pod : undefined;
  if (grant.goneAt !== null || group === undefined || pod === undefined || pod.deletingSince !== null) return;
  const wish = wishFor(survey, group);
  const refused = wish?.forPod === undefined ? undefined : refusedEviction(survey, group);
  if (refused !== undefined) step.hold(group.id, heldByBudget(pod, refused)).wake(wish?.forPod?.until);
  if (grant.closedAt !== null) {
    const due = dueAt(grant.closedAt, graceAfterClosing);
    // When the grace is over is no answer to when the budget lets it go.
    if (refused === undefined)
      step.hold(group.id, reasons.grantClosed({ group: group.id, closedAt: grant.closedAt, due }));
    return;
  }
  const isRefused = refused !== undefined && isRefusedUnder(grant, refused);
  const why = isRefused ? heldByBudget(pod, refused) : reasonToClose(survey, grant, group);
  if (why !== undefined) {
    step.act({ act: 'close', group: group.id, pod: preconditionOf(pod), reason: why });
    return;
  }
  step.wake(dueAt(grant.grantedAt, openFor));
  if (wish?.forPod === undefined) return;
  step.wake(wish.forPod.until);
  if (grant.exemption !== null) step.wake(wish.force?.until);
  const reason = reasonFor(group, wish, grant.exemption === null);
  step.act({ act: 'let-go', group: group.id, pod: preconditionOf(pod), reason });
}

/** Unused for too long, or no longer safe: the lock closes while the pod is still there. */
function reasonToClose(survey: Survey, grant: Grant, group: ProcessGroup): Reason | undefined {
  const eviction = grant.exemption === null ? mayBeEvicted(survey, group) : allow;
  if (eviction.kind !== 'allow') return eviction.reasons[0];
  const unused = survey.snapshot.now >= dueAt(grant.grantedAt, openFor);
  return unused ? reasons.grantUnused({ group: group.id, grantedAt: grant.grantedAt }) : undefined;
}

/** A pod that another step takes away in this decision. One that is drained takes nothing with it. */
function justTaken({ groups }: Survey, taken: readonly Action[]): ProcessGroupId | undefined {
  for (const action of taken) {
    if (action.act !== 'delete-pod' && action.act !== 'delete-group') continue;
    const group = groups.get(action.group);
    const isSeen = group === undefined || group.pod === null || group.pod.deletingSince !== null;
    if (!isSeen && group.drainedAt === null) return action.group;
  }
  return undefined;
}

/** A pod went against the rules. Until the engine shows what that did, no rule can be relied on. */
function unsafelyLetGo({ snapshot }: Survey): ProcessGroupId | undefined {
  return snapshot.grants
    .filter((grant) => grant.exemption !== null && countsAsGone(grant, snapshot))
    .map(({ group }) => group)
    .sort()[0];
}

/** Roles that are left out of the lock may go whatever the engine says. */
const needsView = (survey: Survey, group: ProcessGroup): boolean => rulesOf(survey, group)?.locked !== false;

/** The engine was read less than 10 s ago, and after the last grant. A time in the future is not to be relied on. */
function isFresh(survey: Survey, group: ProcessGroup): boolean {
  if (!needsView(survey, group)) return true;
  const { now, grants } = survey.snapshot;
  const seen = observedAt(survey);
  const due = dueAt(seen, viewGoodFor);
  return seen <= now && now < due && grants.every(({ grantedAt }) => seen > grantedAt);
}

const observedAt = ({ engine }: Survey): Instant => engine.topology?.observedAt ?? instant(0);

const preconditionOf = ({ uid, resourceVersion }: Pod): Precondition => ({ uid, resourceVersion });
