import type { DrainPolicy } from '../model/cluster-spec.ts';
import type { Answer } from '../model/decision.ts';
import { allow } from '../model/decision.ts';
import type { Unit } from '../model/topology.ts';
import { drained } from './drained.ts';
import type { Finding } from './finding.ts';
import { answerOf } from './finding.ts';
import { holdUps } from './hold-ups.ts';
import { judge } from './last-copy.ts';
import type { Question } from './question.ts';
import { heldBy } from './question.ts';
import type { Held } from './survey.ts';
import { dataTravels } from './travel.ts';
import type { PolicyRules } from './unit-policy.ts';
import { dataMayAlwaysGo, policyOf, policyRules } from './unit-policy.ts';
import { holdsNothing, notListed } from './unlisted.ts';
import { criticalCopies } from './weak-units.ts';

/** May the group go, as far as the policy of each unit that it has a copy of is concerned? */
export function mayGoByPolicy(question: Question): Answer {
  if (holdsNothing(question)) return allow;
  const policies = policiesFor(question);
  const findings = [...holdUps(question, policies.copies, policies.of), ...unseenUnits(question)];
  return answerOf(findings, question.group.id);
}

/** Does every unit survive if the group leaves for good? No policy lets the last copy be deleted. */
export function unitsSurvive(question: Question): Answer {
  if (holdsNothing(question)) return allow;
  const unlisted = question.processes.length === 0 && !unitsAreUnseen(question);
  const strictly = () => policyRules['block-if-contains-last-replica'];
  return answerOf(
    unlisted ? [notListed] : holdUps(question, criticalCopies(question, 'any'), strictly),
    question.group.id,
  );
}

/** The copies on the group that the policies want moved away before it goes: every one, the last ones, or none. Sorted by unit. */
export function copiesToMove(question: Question): readonly Held[] {
  const policies = policiesFor(question);
  const moved = policies.copies.filter((held) => {
    const { moves } = policies.of(held.unit);
    // A doomed copy goes by itself.
    if (moves === 'nothing' || held.replica.doomed) return false;
    // From a failed copy nothing can be copied, and what is not known to be the last may not be.
    return moves === 'every' || judge(held, 'last', question) === 'last';
  });
  return moved.sort(byUnit);
}

/** What the spec lets go although it may be the last of its kind, in words for the record; null where no exemption is needed. */
export function exemptionOf(question: Question): string | null {
  const policies = policiesFor(question);
  const exempt = criticalCopies(question, 'any').filter((held) => {
    const { holds } = policies.of(held.unit);
    if (holds !== 'nothing' && holds !== 'last-running') return false;
    return judge(held, holds, question) === 'free' && judge(held, 'last', question) !== 'free';
  });
  const [first, ...more] = exempt.sort(byUnit);
  if (first === undefined) return null;
  const policy = policyOf(first.unit, question.survey.snapshot.spec);
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return `${policy} lets it go: nothing else protects ${first.unit.name}${others}`;
}

/** By unit, and copies of one unit by the process that they are on. */
function byUnit(a: Held, b: Held): number {
  if (a.unit !== b.unit) return a.unit.id < b.unit.id ? -1 : 1;
  return a.replica.process < b.replica.process ? -1 : 1;
}

/** What the policies of the units on a group ask, and the copies that they can ask anything about. */
interface Policies {
  readonly of: (unit: Unit) => PolicyRules;
  readonly copies: readonly Held[];
}

function policiesFor(question: Question): Policies {
  const { spec } = question.survey.snapshot;
  const travels = dataTravels(question);
  const asked = new Set([spec, ...spec.unitPolicies].map(({ drainPolicy }) => rulesOf(drainPolicy, travels).holds));
  return {
    of: (unit) => rulesOf(policyOf(unit, spec), travels),
    copies: asked.has('every')
      ? heldBy(question)
      : criticalCopies(question, asked.has('last-running') ? 'running' : 'any'),
  };
}

/** Travelling data comes back with its pod, so only what nothing else protects has to move. */
function rulesOf(policy: DrainPolicy, travels: boolean): PolicyRules {
  const relaxed = travels && policy === 'block-for-eviction';
  return policyRules[relaxed ? 'block-for-eviction-if-contains-last-replica' : policy];
}

/** The engine gives a figure for all its units instead of listing them. */
const unitsAreUnseen = ({ survey }: Question): boolean => {
  const health = survey.engine.topology?.health;
  return health !== undefined && health.zonesThatMayFail !== null;
};

/** Whether the policy asks for an empty process where there is no list of what is on it. */
export const mustBeEmptyByPolicy = (question: Question): boolean =>
  unitsAreUnseen(question) &&
  policyRules[question.survey.snapshot.spec.drainPolicy].holds === 'every' &&
  !dataTravels(question);

/** What the policies ask where there is no list to look at. */
function unseenUnits(question: Question): readonly Finding[] {
  const { spec } = question.survey.snapshot;
  if (unitsAreUnseen(question)) return mustBeEmptyByPolicy(question) ? [drained(question)] : [];
  return question.processes.length > 0 || dataMayAlwaysGo(spec) ? [] : [notListed];
}
