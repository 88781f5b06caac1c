import type { ProcessId } from '../model/ids.ts';
import { isTrue, unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Instant } from '../model/time.ts';
import { earliest } from '../model/time.ts';
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
  /** When time alone gives one that has no taker that stays one: the wish for a taker lapses. */
  readonly takerStaysAt: Instant | undefined;
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
  const staying = new Map<ProcessId, Instant | undefined>();
  let hasTaker = false;
  const goesFirst = group.removal !== null || liveWishFor(survey, group)?.forPod === true;
  const consider = (leader: ProcessId, takers: readonly ProcessId[]): void => {
    hasTaker ||= takers.length > 0;
    if (takers.some((taker) => stays(survey, taker, goesFirst))) canHandOff.add(leader);
    staying.set(leader, earliest(staying.get(leader), ...takers.map((taker) => staysAt(survey, taker, goesFirst))));
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
  const waiting = [...staying].filter(([leader]) => !canHandOff.has(leader));
  return {
    units,
    quorums,
    canHandOff: [...canHandOff],
    takersLeave: hasTaker && canHandOff.size === 0,
    takerStaysAt: earliest(...waiting.map(([, at]) => at)),
    unsure,
  };
}

const isUp = ({ engine, gone }: Survey, process: ProcessId): boolean =>
  !gone.has(process) && isTrue(engine.processes.get(process)?.responds ?? unknown);

/**
 * Nobody wants it gone, and it is not marked. One of which only its node is drained stays longer than one that goes first, because that was asked for
 * itself; two of them would hand it to and fro.
 */
function stays(survey: Survey, process: ProcessId, goesFirst: boolean): boolean {
  const group = groupOf(survey, process);
  if (group === undefined) return true;
  const wish = liveWishFor(survey, group);
  return group.removal === null && (wish === undefined || (goesFirst && !wish.forPod));
}

/** When whoever wants it gone is taken to have given up; undefined: it stays, or does not by time alone. */
function staysAt(survey: Survey, process: ProcessId, goesFirst: boolean): Instant | undefined {
  const group = groupOf(survey, process);
  if (group === undefined || group.removal !== null) return undefined;
  const wish = liveWishFor(survey, group);
  return goesFirst ? (wish?.forPodUntil ?? wish?.until) : wish?.until;
}

function groupOf(survey: Survey, process: ProcessId): ProcessGroup | undefined {
  const id = survey.engine.processes.get(process)?.group ?? null;
  return id === null ? undefined : survey.groups.get(id);
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
