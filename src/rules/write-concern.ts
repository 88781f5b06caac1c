import { isTrue } from '../model/known.ts';
import { reasons } from '../model/reasons.ts';
import type { Unit } from '../model/topology.ts';
import type { Finding } from './finding.ts';
import { fails, holds, unknownWhether } from './finding.ts';
import { protects } from './protection.ts';
import type { Question } from './question.ts';
import { ofUnlisted } from './unlisted.ts';
import { criticalCopies, neededForWrites } from './weak-units.ts';

/** Every unit with a copy on the group keeps as many in-sync copies as its writes need. */
export function writeConcernSurvives(question: Question): Finding {
  const unlisted = ofUnlisted(question);
  if (unlisted !== undefined) return unlisted;
  let worst: { readonly unit: Unit; readonly finding: Finding } | undefined;
  for (const { unit } of criticalCopies(question, 'writes')) {
    const finding = keepsWriteConcern(unit, question);
    if (finding.finding !== 'holds' && (worst === undefined || isWorse(finding, unit, worst)))
      worst = { unit, finding };
  }
  return worst?.finding ?? holds;
}

/** A failure before a doubt, and of two alike the unit that comes first. */
function isWorse(finding: Finding, unit: Unit, than: { readonly unit: Unit; readonly finding: Finding }): boolean {
  if (finding.finding !== than.finding.finding) return finding.finding === 'fails';
  return unit.id < than.unit.id;
}

function keepsWriteConcern(unit: Unit, question: Question): Finding {
  const needed = neededForWrites(unit);
  const certain: string[] = [];
  const doubts: string[] = [];
  let leaving = 0;
  for (const replica of unit.replicas) {
    const reliance = protects(unit, replica, question, 'any');
    if (reliance.is === 'yes') certain.push(replica.process);
    if (reliance.is === 'unknown') doubts.push(reliance.missing);
    if (question.own.has(replica.process) && isTrue(replica.inSync)) leaving += 1;
  }
  if (certain.length >= needed) return holds;
  const [doubt] = doubts.sort();
  if (doubt !== undefined && certain.length + doubts.length >= needed) return unknownWhether(doubt);
  const inSync = certain.length + leaving;
  return fails(reasons.writeConcern({ group: question.group.id, unit: unit.name, inSync, needed }));
}
