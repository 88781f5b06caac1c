import { isTrue, unknown } from '../model/known.ts';
import { reasons } from '../model/reasons.ts';
import type { Unit } from '../model/topology.ts';
import type { Finding } from './finding.ts';
import { fails, holds, unknownWhether } from './finding.ts';
import { explainProtection } from './protection.ts';
import type { Question } from './question.ts';
import { heldBy, isGone, ofEach } from './question.ts';
import { notQuorumLeader } from './quorum.ts';
import { dataMayAlwaysGo, policyOf, policyRules } from './unit-policy.ts';
import { ofUnlisted } from './unlisted.ts';
import { criticalCopies, protectionOf } from './weak-units.ts';

/** The group leads no unit. */
export function leadsNoUnit(question: Question): Finding {
  const unlisted = ofUnlisted(question);
  if (unlisted !== undefined) return unlisted;
  const led = ledBy(question);
  const first = firstOf(led);
  if (first === undefined) return holds;
  return fails(reasons.leadsUnits({ group: question.group.id, units: led.length, unit: first.name }));
}

/** Every unit that the group leads has a follower that could take over at once. */
export function ledUnitsHaveInSyncFollower(question: Question): Finding {
  const unlisted = ofUnlisted(question);
  if (unlisted !== undefined) return unlisted;
  const led = criticalCopies(question, 'any').filter(({ replica }) => replica.leader);
  const without = new Set<Unit>();
  const doubtful: Unit[] = [];
  for (const { unit } of led) {
    const protection = protectionOf(unit, question, 'any');
    if (protection === 'nobody') without.add(unit);
    if (protection === 'unknown') doubtful.push(unit);
  }
  const first = firstOf([...without]);
  if (first !== undefined) {
    return fails(reasons.noInSyncFollower({ group: question.group.id, unit: first.name, more: without.size - 1 }));
  }
  const doubt = firstOf(doubtful);
  return doubt === undefined ? holds : unknownWhether(explainProtection(doubt, question, 'any').doubt);
}

/** The group follows: it leads neither a unit nor a quorum, and someone who stays leads what it has a copy of. */
export function follower(question: Question): Finding {
  const unlisted = ofUnlisted(question);
  if (unlisted !== undefined) return unlisted;
  if (ledBy(question).length > 0) return fails(reasons.notFollower({ group: question.group.id }));
  const quorum = notQuorumLeader(question);
  if (quorum.finding === 'fails') return fails(reasons.notFollower({ group: question.group.id }));
  if (quorum.finding !== 'holds') return quorum;
  return followsSomeone(question);
}

function followsSomeone(question: Question): Finding {
  const units = heldBy(question).map(({ unit }) => unit);
  if (units.length === 0) return unknownWhether('whom it follows: the engine lists no copy on it');
  const leaderless = firstOf(
    units.filter((unit) => unit.replicas.every(({ leader, process }) => !leader || isGone(question, process))),
  );
  return leaderless === undefined ? holds : unknownWhether(`who leads ${leaderless.name}`);
}

/** No unit that is in use is served through the group. Units under `always-allow` are not asked about. */
export function noAttachedUnitLed(question: Question): Finding {
  const { spec } = question.survey.snapshot;
  if (dataMayAlwaysGo(spec)) return holds;
  const unlisted = ofUnlisted(question);
  if (unlisted !== undefined) return unlisted;
  const led = ledBy(question).filter((unit) => policyRules[policyOf(unit, spec)].holds !== 'nothing');
  const attached = led.filter((unit) => isTrue(unit.attached));
  const first = firstOf(attached);
  if (first !== undefined) {
    return fails(reasons.attachedUnit({ group: question.group.id, unit: first.name, more: attached.length - 1 }));
  }
  const doubtful = firstOf(led.filter((unit) => unit.attached === unknown));
  return doubtful === undefined ? holds : unknownWhether(`whether ${doubtful.name} is attached`);
}

/** The units that processes of the group lead, each once. */
function ledBy({ survey, own }: Question): readonly Unit[] {
  const units = ofEach(own, survey.engine.ledBy);
  return own.size < 2 ? units : [...new Set(units)];
}

/** The one whose id comes first. */
function firstOf(units: readonly Unit[]): Unit | undefined {
  let first: Unit | undefined;
  for (const unit of units) if (first === undefined || unit.id < first.id) first = unit;
  return first;
}
