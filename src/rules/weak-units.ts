import type { ProcessId } from '../model/ids.ts';
import type { Replica, Unit } from '../model/topology.ts';
import type { Counting } from './protection.ts';
import { protects } from './protection.ts';
import type { Question } from './question.ts';
import { ofEach } from './question.ts';
import { standingCopies } from './standing.ts';
import type { EngineIndex, Held, Survey } from './survey.ts';

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

/** What was found among the units while just these processes stood. */
interface Found {
  readonly standing: ReadonlySet<ProcessId>;
  readonly weak: Map<AtStake, Weak>;
}

/**
 * Found once, in one pass over the units: a cluster has many, and nearly all of them can lose any one group. A decision makes many surveys
 * of one engine, and most of what is recorded between them does not change who stands.
 */
const remembered = new WeakMap<Survey, Found>();
const found = new WeakMap<EngineIndex, readonly Found[]>();

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
    known = sharedBy(survey.engine, standingCopies(survey));
    remembered.set(survey, known);
  }
  let weak = known.weak.get(atStake);
  if (weak === undefined) {
    weak = findWeak(survey, known.standing, atStake);
    known.weak.set(atStake, weak);
  }
  return weak;
}

/** What was found for an earlier survey of the same engine in which the same processes stood. */
function sharedBy(engine: EngineIndex, standing: ReadonlySet<ProcessId>): Found {
  const before = found.get(engine) ?? [];
  const same = before.find((one) => one.standing.size === standing.size && standing.isSubsetOf(one.standing));
  if (same !== undefined) return same;
  const first: Found = { standing, weak: new Map() };
  found.set(engine, [...before, first]);
  return first;
}

function findWeak(survey: Survey, standing: ReadonlySet<ProcessId>, atStake: AtStake): Weak {
  const units = new Map<Unit, Weakness>();
  const copies = new Map<ProcessId, Held[]>();
  const { processes, topology } = survey.engine;
  for (const unit of topology?.units ?? []) {
    const weakness =
      atStake === 'writes'
        ? weaknessOfWrites(unit, standing, processes)
        : weaknessOf(unit, standing, processes, atStake);
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

type Processes = EngineIndex['processes'];

/** As `canProtect` says yes, without its reasons: this is asked of every copy of every unit. */
const surelyProtects = (replica: Replica, standing: ReadonlySet<ProcessId>, counting: Counting): boolean =>
  !replica.doomed &&
  replica.state === 'healthy' &&
  replica.inSync === true &&
  (counting === 'any' || replica.running === true) &&
  standing.has(replica.process);

/** The process group that a process leaves with; one without leaves alone. */
const ownerOf = (process: ProcessId, processes: Processes): string =>
  processes.get(process)?.group ?? `process ${process}`;

/** Undefined where two process groups protect it: then each of them can leave, and everybody else too. */
function weaknessOf(
  unit: Unit,
  standing: ReadonlySet<ProcessId>,
  processes: Processes,
  counting: Counting,
): Weakness | undefined {
  let protector: string | undefined;
  for (const replica of unit.replicas) {
    if (!surelyProtects(replica, standing, counting)) continue;
    const owner = ownerOf(replica.process, processes);
    if (protector !== undefined && owner !== protector) return undefined;
    protector = owner;
  }
  return { protector };
}

const weakWrites: Weakness = { protector: undefined };

/** Undefined where enough copies are left after the loss of the one process group that holds the most of them. */
function weaknessOfWrites(unit: Unit, standing: ReadonlySet<ProcessId>, processes: Processes): Weakness | undefined {
  const copiesOf = new Map<string, number>();
  let copies = 0;
  for (const replica of unit.replicas) {
    if (!surelyProtects(replica, standing, 'any')) continue;
    const owner = ownerOf(replica.process, processes);
    copiesOf.set(owner, (copiesOf.get(owner) ?? 0) + 1);
    copies += 1;
  }
  return copies - Math.max(0, ...copiesOf.values()) >= neededForWrites(unit) ? undefined : weakWrites;
}
