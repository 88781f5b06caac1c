import type { ProcessId } from '../model/ids.ts';
import { isTrue, unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Quorum, Unit } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';

/** What a process group leads, and what of that somebody else could take over at once. */
export interface Leadership {
  readonly units: readonly Unit[];
  readonly quorums: readonly Quorum[];
  /** The processes that lead something which has a taker. */
  readonly canHandOff: readonly ProcessId[];
  /** A quorum of it does not say who leads. */
  readonly unsure: Quorum | undefined;
}

export function leadershipOf(survey: Survey, group: ProcessGroup): Leadership {
  const { engine } = survey;
  const own = engine.processesOf.get(group.id) ?? [];
  const mine = new Set(own.map(({ id }) => id));
  const units: Unit[] = [];
  const quorums: Quorum[] = [];
  const canHandOff = new Set<ProcessId>();
  let unsure: Quorum | undefined;
  for (const { id } of own) {
    for (const unit of engine.ledBy.get(id) ?? []) {
      units.push(unit);
      if (hasUnitTaker(survey, unit, mine)) canHandOff.add(id);
    }
    for (const quorum of engine.quorumsOf.get(id) ?? []) {
      if (quorum.leader === unknown) unsure ??= quorum;
      if (quorum.leader !== id) continue;
      quorums.push(quorum);
      if (hasQuorumTaker(survey, quorum, mine)) canHandOff.add(id);
    }
  }
  return { units, quorums, canHandOff: [...canHandOff], unsure };
}

const isUp = ({ engine, gone }: Survey, process: ProcessId): boolean =>
  !gone.has(process) && isTrue(engine.processes.get(process)?.responds ?? unknown);

function hasUnitTaker(survey: Survey, unit: Unit, mine: ReadonlySet<ProcessId>): boolean {
  return unit.replicas.some(
    ({ process, state, inSync, doomed }) =>
      !mine.has(process) && !doomed && state === 'healthy' && isTrue(inSync) && isUp(survey, process),
  );
}

function hasQuorumTaker({ gone }: Survey, quorum: Quorum, mine: ReadonlySet<ProcessId>): boolean {
  return quorum.members.some(
    ({ process, responds, inSync }) => !mine.has(process) && !gone.has(process) && isTrue(responds) && isTrue(inSync),
  );
}
