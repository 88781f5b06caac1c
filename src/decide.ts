import type { Action, Decision, StatusRecord, Step, Verdict } from './model/decision.ts';
import type { Snapshot } from './model/snapshot.ts';
import type { Instant } from './model/time.ts';
import { earliest } from './model/time.ts';
import { applyRecords } from './plan/apply-records.ts';
import { cancelReplacements } from './plan/cancel.ts';
import { createObjects } from './plan/create-objects.ts';
import { evacuate } from './plan/evacuate.ts';
import { evacuateAsked } from './plan/evacuate-asked.ts';
import { forget } from './plan/forget.ts';
import { grants } from './plan/grants.ts';
import { grow } from './plan/grow.ts';
import { handOff } from './plan/hand-off.ts';
import { inOrder } from './plan/in-order.ts';
import { maintain } from './plan/maintenance.ts';
import { observeConditions } from './plan/observe-conditions.ts';
import { recreate } from './plan/recreate.ts';
import { remove } from './plan/remove.ts';
import { removeRequested } from './plan/remove-requested.ts';
import { replaceAsked } from './plan/replace-asked.ts';
import { replaceFailed } from './plan/replace-failed.ts';
import { replaceMisconfigured } from './plan/replace-misconfigured.ts';
import { reseat } from './plan/reseat.ts';
import { setUp } from './plan/set-up.ts';
import { shrink } from './plan/shrink.ts';
import { observeTaints } from './plan/taints.ts';
import { verifyDrained } from './plan/verify-drained.ts';
import { withLetGo } from './rules/joint.ts';
import type { Survey } from './rules/survey.ts';
import { surveyOf } from './rules/survey.ts';
import { verdictOf } from './rules/verdict.ts';

/** Asks one question of the plan. `taken` is what the steps before it want done. */
type PlanStep = (survey: Survey, taken: readonly Action[]) => Step;

/**
 * The plan, in order: first what is seen, then who is to leave, then who is missing, then how those that leave get out, and last who may go
 * now. Each step sees what those before it recorded, and none waits for another.
 */
const plan: readonly PlanStep[] = [
  setUp,
  observeConditions,
  observeTaints,
  cancelReplacements,
  removeRequested,
  replaceMisconfigured,
  replaceFailed,
  replaceAsked,
  shrink,
  grow,
  createObjects,
  handOff,
  reseat,
  evacuate,
  evacuateAsked,
  verifyDrained,
  remove,
  forget,
  maintain,
  recreate,
  grants,
];

/** A record can bring up another one, a mark for example its successor; more rounds than this would be a defect. */
const mostRounds = 8;

/**
 * The one door into the core: what holds, what to record, what to do, what waits, and when to ask again. Pure: the same snapshot gives the
 * same decision, whatever the order of its lists, and nothing is read but the snapshot.
 *
 * The plan is gone through until there is nothing left to record. What is to be done and what waits is what the last round says: it is what
 * holds once everything is recorded, which the operator does first.
 */
export function decide(snapshot: Snapshot): Decision {
  const records: StatusRecord[] = [];
  let round = goThrough(surveyOf(snapshot));
  for (let rounds = 1; round.records.length > 0 && rounds < mostRounds; rounds++) {
    records.push(...round.records);
    round = goThrough(round.survey);
  }
  records.push(...round.records);
  const survey = withTaken(round.survey, round.actions);
  const verdicts = inOrder(survey.snapshot.processGroups).map((group) => verdictOf(survey, group));
  return {
    cluster: snapshot.cluster,
    at: snapshot.now,
    verdicts,
    records,
    actions: round.actions,
    holds: round.holds,
    wakeAt: earliest(round.wakeAt, ...verdicts.flatMap(changesBy)),
  };
}

/** When what is said of a process group changes by time alone. */
const changesBy = ({ eviction, replacement }: Verdict): readonly (Instant | undefined)[] =>
  [eviction, replacement].flatMap((answer) =>
    answer.kind === 'allow' ? [] : answer.reasons.map(({ until }) => until ?? undefined),
  );

/** What this decision takes away by itself counts as gone in its verdicts, as a grant would. One that is drained takes nothing with it. */
function withTaken(survey: Survey, actions: readonly Action[]): Survey {
  return actions.reduce((before, action) => {
    if (action.act !== 'delete-pod' && action.act !== 'delete-group') return before;
    const group = before.groups.get(action.group);
    return group === undefined || group.drainedAt !== null ? before : withLetGo(before, group);
  }, survey);
}

/** One round over the plan, and what is known once its records are written. */
function goThrough(before: Survey): Step & { readonly survey: Survey } {
  let survey = before;
  const steps: Step[] = [];
  const taken: Action[] = [];
  for (const step of plan) {
    const said = step(survey, taken);
    steps.push(said);
    taken.push(...said.actions);
    if (said.records.length === 0) continue;
    survey = surveyOf(applyRecords(survey.snapshot, said.records), survey.engine);
  }
  return {
    survey,
    records: steps.flatMap(({ records }) => records),
    actions: taken,
    holds: steps.flatMap(({ holds }) => holds),
    wakeAt: earliest(...steps.map(({ wakeAt }) => wakeAt)),
  };
}
