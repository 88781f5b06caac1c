import { reasons } from '../model/reasons.ts';
import type { Unit } from '../model/topology.ts';
import type { Finding } from './finding.ts';
import { fails, unknownWhether } from './finding.ts';
import type { Judgement } from './last-copy.ts';
import { countingFor, judge, missingFor } from './last-copy.ts';
import { explainProtection } from './protection.ts';
import type { Question } from './question.ts';
import type { Held } from './survey.ts';
import type { PolicyRules } from './unit-policy.ts';

/** Copies of a group that are judged alike: the one whose unit comes first speaks for them. */
interface Alike {
  first: Held;
  readonly units: Set<Unit>;
  copies: number;
}

type Kind = Exclude<Judgement, 'free'>;

/** What is told first matters most. */
const kinds: readonly Kind[] = ['last', 'last-running', 'failed', 'kept', 'unknown'];

/** Those of these copies on a group that hold it, told in one finding for each kind of reason, however many there are. */
export function holdUps(
  question: Question,
  copies: readonly Held[],
  ruleOf: (unit: Unit) => PolicyRules,
): readonly Finding[] {
  const found = new Map<Kind, Alike>();
  let unplaceable: Held | undefined;
  for (const held of copies) {
    const rules = ruleOf(held.unit);
    const judgement = judge(held, rules.holds, question);
    if (judgement === 'free') continue;
    add(found, judgement, held);
    if (rules.moves !== 'nothing' && held.unit.unplaceable !== null) unplaceable = firstOf(unplaceable, held);
  }
  const findings = kinds.flatMap((kind) => {
    const alike = found.get(kind);
    return alike === undefined ? [] : [findingOf(kind, alike, question, ruleOf(alike.first.unit).holds)];
  });
  return unplaceable === undefined ? findings : [...findings, cannotPlace(unplaceable, question)];
}

function add(found: Map<Kind, Alike>, kind: Kind, held: Held): void {
  const alike = found.get(kind);
  if (alike === undefined) {
    found.set(kind, { first: held, units: new Set([held.unit]), copies: 1 });
    return;
  }
  // Of those that are kept the copies are counted, and there may be very many.
  if (kind !== 'kept') alike.units.add(held.unit);
  alike.copies += 1;
  alike.first = firstOf(alike.first, held);
}

const firstOf = (before: Held | undefined, held: Held): Held =>
  before === undefined || held.unit.id < before.unit.id ? held : before;

function findingOf(
  kind: Kind,
  { first, units, copies }: Alike,
  question: Question,
  holds: PolicyRules['holds'],
): Finding {
  const { unit } = first;
  const said = { group: question.group.id, unit: unit.name, more: units.size - 1 };
  const others = () => explainProtection(unit, question, countingFor(holds)).others;
  switch (kind) {
    case 'last':
      return fails(reasons.lastReplica({ ...said, others: others(), ...progressOf(unit) }));
    case 'last-running':
      return fails(reasons.lastRunningReplica(said));
    case 'failed':
      return fails(reasons.noHealthyReplica({ ...said, others: others() }));
    case 'kept':
      return fails(reasons.holdsReplicas({ group: question.group.id, copies, unit: unit.name, ...progressOf(unit) }));
    case 'unknown':
      return unknownWhether(missingFor(first, holds, question));
  }
}

const progressOf = ({ copying }: Unit) => ({
  percent: copying?.percent ?? null,
  bytes: copying?.bytes ?? null,
  secondsLeft: copying?.secondsLeft ?? null,
});

function cannotPlace({ unit }: Held, { group }: Question): Finding {
  const engineSays = unit.unplaceable ?? 'it does not say why';
  return fails(reasons.unplaceable({ group: group.id, unit: unit.name, engineSays }));
}
