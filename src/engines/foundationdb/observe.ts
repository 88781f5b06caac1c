import type { ProcessGroupId } from '../../model/ids.ts';
import type { Instant } from '../../model/time.ts';
import type { Observation } from '../engine.ts';
import { coordinatorQuorum, coordinatorsOf } from './coordinators.ts';
import type { DrainProgress } from './drain-progress.ts';
import { bytesLeft, evacuationJob, leavingGroups } from './evacuation-jobs.ts';
import { exclusionsOf } from './exclusions.ts';
import { healthOf } from './health.ts';
import { listedProcesses } from './listed-process.ts';
import { viewOf } from './process-view.ts';
import { runningVersion } from './running-version.ts';
import { soundStatus } from './sound-status.ts';
import type { Status } from './status.schema.ts';

export interface ObserveOptions {
  /** When the status was asked for. */
  readonly observedAt: Instant;
  readonly answeredAt: Instant;
  readonly groupAt: (host: string) => ProcessGroupId | undefined;
  readonly progress: DrainProgress;
}

/** What the status tells, in Drover's words. Throws `EngineUnreachable` where it does not tell of the database. */
export function observationOf(
  given: Status,
  { observedAt, answeredAt, groupAt, progress }: ObserveOptions,
): Observation {
  const status = soundStatus(given);
  const coordinators = coordinatorsOf(status);
  const exclusions = exclusionsOf(status);
  const listed = listedProcesses(status.cluster.processes);
  const views = listed.map((process) => viewOf(process, { status, coordinators, exclusions, answeredAt }));
  const leaving = leavingGroups(views, exclusions, groupAt);
  const left = new Map(leaving.map((group) => [group.group, bytesLeft(group)]));
  const noted = progress.note(left, observedAt);
  const nothing = { percent: null, secondsLeft: null };
  return {
    topology: {
      observedAt,
      processes: views.map(({ process }) => process),
      // Data lies in key ranges that nobody lists: the figures of the health stand for them.
      units: [],
      quorums: [coordinatorQuorum(coordinators, listed)],
      health: healthOf(status, observedAt, runningVersion(status)),
    },
    jobs: leaving.map((group) => evacuationJob(group, observedAt, noted.get(group.group) ?? nothing)),
  };
}
