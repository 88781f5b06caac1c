import type { ProcessId } from '../model/ids.ts';
import type { Unit } from '../model/topology.ts';
import type { Counting } from './protection.ts';
import { canProtect, protects } from './protection.ts';
import type { Question } from './question.ts';
import { ofEach } from './question.ts';
import { ownerOf } from './standing.ts';
import type { Held, Survey } from './survey.ts';

/** What a unit must not lose: its last copy, its last running copy, or its writes. */
type AtStake = Counting | 'writes';

/** Why a unit does not survive the loss of just any process group. */
interface Weakness {
  /** The only owner of copies that protect it; undefined where there is none, or where writes are at stake. */
  readonly protector: string | undefined;
}

interface Weak {
  readonly units: ReadonlyMap<Unit, Weakness>;
  readonly copies: ReadonlyMap<ProcessId, readonly Held[]>;
}

/** Found once for a survey, in one pass over its units: a cluster has many, and nearly all of them can lose any one group. */
const remembered = new WeakMap<Survey, Map<AtStake, Weak>>();

/** The copies on the group whose units are weak. The units of all its other copies survive, whatever becomes of it. */
export const criticalCopies = ({ survey, own }: Question, atStake: AtStake): readonly Held[] =>
  ofEach(own, weakIn(survey, atStake).copies);

/** Who protects a unit while a group leaves. One copy elsewhere is enough. */
export function protectionOf(unit: Unit, question: Question, counting: Counting): 'another' | 'nobody' | 'unknown' {
  const weakness = weakIn(question.survey, counting).units.get(unit);
  if (weakness === undefined) return 'another';
  if (weakness.protector !== undefined && weakness.protector !== question.group.id) return 'another';
  const doubtful = unit.replicas.some((replica) => protects(unit, replica, question, counting).is === 'unknown');
  return doubtful ? 'unknown' : 'nobody';
}

/**
 * How many in-sync copies the writes of a unit need (arangodb.md 2.9). One whose writes need all its copies is asked for one less, because
 * otherwise it could never lose any; so a unit of one copy is asked for none.
 */
export const neededForWrites = ({ writeConcern, replicas }: Unit): number =>
  writeConcern === null ? 0 : Math.min(writeConcern, replicas.length - 1);

function weakIn(survey: Survey, atStake: AtStake): Weak {
  let known = remembered.get(survey);
  if (known === undefined) {
    known = new Map();
    remembered.set(survey, known);
  }
  let weak = known.get(atStake);
  if (weak === undefined) {
    weak = findWeak(survey, atStake);
    known.set(atStake, weak);
  }
  return weak;
}

function findWeak(survey: Survey, atStake: AtStake): Weak {
  const units = new Map<Unit, Weakness>();
  const copies = new Map<ProcessId, Held[]>();
  for (const unit of survey.engine.topology?.units ?? []) {
    const weakness = atStake === 'writes' ? weaknessOfWrites(unit, survey) : weaknessOf(unit, survey, atStake);
    if (weakness === undefined) continue;
    units.set(unit, weakness);
    for (const replica of unit.replicas) {
      const held = copies.get(replica.process);
      if (held === undefined) copies.set(replica.process, [{ unit, replica }]);
      else held.push({ unit, replica });
    }
  }
  return { units, copies };
}

/** Undefined where two process groups protect it: then each of them can leave, and everybody else too. */
function weaknessOf(unit: Unit, survey: Survey, counting: Counting): Weakness | undefined {
  let protector: string | undefined;
  for (const replica of unit.replicas) {
    if (canProtect(unit, replica, survey, counting).is !== 'yes') continue;
    const owner = ownerOf(survey, replica.process);
    if (protector !== undefined && owner !== protector) return undefined;
    protector = owner;
  }
  return { protector };
}

const weakWrites: Weakness = { protector: undefined };

/** Undefined where enough copies are left after the loss of the one process group that holds the most of them. */
function weaknessOfWrites(unit: Unit, survey: Survey): Weakness | undefined {
  const copiesOf = new Map<string, number>();
  let copies = 0;
  for (const replica of unit.replicas) {
    if (canProtect(unit, replica, survey, 'any').is !== 'yes') continue;
    const owner = ownerOf(survey, replica.process);
    copiesOf.set(owner, (copiesOf.get(owner) ?? 0) + 1);
    copies += 1;
  }
  return copies - Math.max(0, ...copiesOf.values()) >= neededForWrites(unit) ? undefined : weakWrites;
}
