import { isFalse, unknown } from '../model/known.ts';
import type { Replica, Unit } from '../model/topology.ts';
import type { Reliance } from './finding.ts';
import { doubted, notRelied } from './finding.ts';
import type { Question } from './question.ts';
import { labelOf } from './question.ts';
import { copiesStand } from './standing.ts';
import type { Survey } from './survey.ts';

/** Which copies count. `running`: only those in use, as `allow-if-replica-is-stopped` has it. */
export type Counting = 'any' | 'running';

/** Why the other copies of a unit do not protect it, as `db-1: failed`, and what is not known of them. */
export function explainProtection(
  unit: Unit,
  question: Question,
  counting: Counting,
): { readonly others: readonly string[]; readonly doubt: string } {
  const others: string[] = [];
  const doubts: string[] = [];
  for (const replica of unit.replicas) {
    if (question.own.has(replica.process)) continue;
    const reliance = protects(unit, replica, question, counting);
    if (reliance.is === 'no') others.push(`${labelOf(question.survey, replica.process)}: ${reliance.why}`);
    if (reliance.is === 'unknown') doubts.push(reliance.missing);
  }
  return { others: others.sort(), doubt: doubts.sort()[0] ?? `what protects ${unit.name}` };
}

/** Whether this copy protects its unit while the group leaves. */
export function protects(unit: Unit, replica: Replica, question: Question, counting: Counting): Reliance {
  if (question.own.has(replica.process)) return leavesToo;
  return canProtect(unit, replica, question.survey, counting);
}

/**
 * A copy can protect its unit if it is healthy, in sync, not doomed, and on a process that stands. It may be running or stopped, and it may
 * be on its way elsewhere: the engine takes it away only after its successor is complete.
 */
export function canProtect(unit: Unit, replica: Replica, survey: Survey, counting: Counting): Reliance {
  const { process, state, inSync, running } = replica;
  if (replica.doomed) return beingDeleted;
  if (state !== 'healthy' && state !== unknown) return incomplete[state];
  if (isFalse(inSync)) return notInSync;
  if (counting === 'running' && isFalse(running)) return stopped;
  const stands = copiesStand(survey, process);
  if (stands.is !== 'yes') return stands;
  if (state === 'healthy' && inSync === true && (counting === 'any' || running === true)) return stands;
  return doubted(`whether the copy of ${unit.name} on ${labelOf(survey, process)} is ${doubtAbout(replica)}`);
}

const doubtAbout = ({ state, inSync }: Replica): string =>
  state === unknown ? 'healthy' : inSync === unknown ? 'in sync' : 'running';

// Made once: there may be a hundred thousand copies to look at.
const leavesToo = notRelied('leaves too');
const beingDeleted = notRelied('being deleted');
const notInSync = notRelied('not in sync');
const stopped = notRelied('stopped');
const incomplete = {
  failed: notRelied('failed'),
  rebuilding: notRelied('rebuilding'),
  unused: notRelied('unused'),
} as const;
