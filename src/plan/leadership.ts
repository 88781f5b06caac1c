import type { ProcessId } from '../model/ids.ts';
import { isTrue, unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Quorum, Unit } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';
import { liveWishFor } from './live-wish.ts';

/** What a process group leads, and what of that somebody else could take over at once and keep. */
export interface Leadership {
  readonly units: readonly Unit[];
  readonly quorums: readonly Quorum[];
  /** The processes that lead something which has a taker that stays. */
  readonly canHandOff: readonly ProcessId[];
  /** There are takers, and all of them leave too: leadership that is handed to them only comes back, and stops the copying meanwhile. */
  readonly takersLeave: boolean;
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
  let hasTaker = false;
  const consider = (leader: ProcessId, takers: readonly ProcessId[]): void => {
    hasTaker ||= takers.length > 0;
    if (takers.some((taker) => stays(survey, taker))) canHandOff.add(leader);
  };
  let unsure: Quorum | undefined;
  for (const { id } of own) {
    for (const unit of engine.ledBy.get(id) ?? []) {
      units.push(unit);
      consider(id, unitTakers(survey, unit, mine));
    }
    for (const quorum of engine.quorumsOf.get(id) ?? []) {
      if (quorum.leader === unknown) unsure ??= quorum;
      if (quorum.leader !== id) continue;
      quorums.push(quorum);
      consider(id, quorumTakers(survey, quorum, mine));
    }
  }
  return { units, quorums, canHandOff: [...canHandOff], takersLeave: hasTaker && canHandOff.size === 0, unsure };
}

const isUp = ({ engine, gone }: Survey, process: ProcessId): boolean =>
  !gone.has(process) && isTrue(engine.processes.get(process)?.responds ?? unknown);

/** Nobody wants it gone, and it is not marked. */
function stays(survey: Survey, process: ProcessId): boolean {
  const id = survey.engine.processes.get(process)?.group ?? null;
  const group = id === null ? undefined : survey.groups.get(id);
  return group === undefined || (group.removal === null && liveWishFor(survey, group) === undefined);
}

function unitTakers(survey: Survey, unit: Unit, mine: ReadonlySet<ProcessId>): readonly ProcessId[] {
  return unit.replicas
    .filter(
      ({ process, state, inSync, doomed }) =>
        !mine.has(process) && !doomed && state === 'healthy' && isTrue(inSync) && isUp(survey, process),
    )
    .map(({ process }) => process);
}

function quorumTakers({ gone }: Survey, quorum: Quorum, mine: ReadonlySet<ProcessId>): readonly ProcessId[] {
  return quorum.members
    .filter(
      ({ process, responds, inSync }) => !mine.has(process) && !gone.has(process) && isTrue(responds) && isTrue(inSync),
    )
    .map(({ process }) => process);
}
