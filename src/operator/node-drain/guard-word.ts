import type { EvictionGuard, StatefulCluster } from '../../api/kinds.ts';
import type { Progress } from '../../api/v1alpha1/progress.schema.ts';
import type { WaitingReason } from '../../api/v1alpha1/waiting-reason.schema.ts';
import type { GuardWord, WaitReason } from '../../model/drain.ts';
import type { ClusterKey } from '../../model/ids.ts';
import { reasons } from '../../model/reasons.ts';
import type { Instant } from '../../model/time.ts';
import { instant } from '../../model/time.ts';
import { momentOf, momentOrNull, timestampOf } from '../status/moments.ts';

type Jobs = StatefulCluster['status']['jobs'];

/** What is on record of the process groups of a cluster, by their ids. */
export function wordsOfCluster(
  by: ClusterKey,
  { processGroups, jobs }: Pick<StatefulCluster['status'], 'processGroups' | 'jobs'>,
  now: Instant,
): ReadonlyMap<string, GuardWord> {
  return new Map(
    processGroups.map(({ processGroupID, role, verdict, waitingFor, progress }) => {
      const isNever = verdict === 'never' || waitingFor.some(({ code }) => code === reasons.neverEvicted.code);
      // One that leaves waits for other things as well.
      const holds = waitingFor.length > 0 || verdict === 'wait';
      const kind = isNever ? 'never' : holds ? 'wait' : 'allow';
      const why = waitingFor.length > 0 ? waitingFor : unasked(processGroupID, role, kind, now);
      return [processGroupID, word(by, kind, why, { progress, job: jobFor(processGroupID, jobs) }, now)];
    }),
  );
}

/** What is on record of the processes of a guard, by the names of their pods. */
export function wordsOfGuard(
  by: ClusterKey,
  { processes, jobs }: Pick<EvictionGuard['status'], 'processes' | 'jobs'>,
  now: Instant,
): ReadonlyMap<string, GuardWord> {
  return new Map(
    processes.flatMap(({ pod, verdict, waitingFor, progress }): [string, GuardWord][] =>
      pod === null || verdict === 'none'
        ? []
        : [[pod, word(by, verdict, waitingFor, { progress, job: jobFor(pod, jobs) }, now)]],
    ),
  );
}

/** What there is to say of one that nobody has asked for yet. */
function unasked(group: string, role: string, verdict: GuardWord['verdict'], now: Instant): readonly WaitingReason[] {
  if (verdict === 'allow') return [];
  const { code, message } =
    verdict === 'never' ? reasons.neverEvicted({ group, role }) : reasons.notAskedYet({ group });
  return [{ code, message, since: timestampOf(now), until: null }];
}

function word(
  by: ClusterKey,
  verdict: GuardWord['verdict'],
  waitingFor: readonly WaitingReason[],
  { progress, job }: Measured,
  now: Instant,
): GuardWord {
  const why = waitingFor.map(
    ({ code, message, since, until }): WaitReason => ({
      code,
      message,
      since: momentOf(since),
      until: momentOrNull(until),
    }),
  );
  const progressPercent = progress?.percent ?? job?.percent ?? null;
  const said = { by, verdict, reasons: why, progressPercent };
  if (verdict !== 'wait') return { ...said, estimatedEnd: null };
  const byTime = endOf(why);
  const byEngine = momentOrNull(progress?.estimatedEnd ?? null);
  const moreFollows = byTime === null && byEngine !== null && progress?.moreFollows === true;
  return { ...said, estimatedEnd: byTime ?? byEngine ?? extrapolated(job, now), moreFollows };
}

/** When time alone lifts all of it. */
function endOf(why: readonly WaitReason[]): Instant | null {
  let last: Instant | null = null;
  for (const { until } of why) {
    if (until === null) return null;
    if (last === null || until > last) last = until;
  }
  return last;
}

/** What is on record of how far it is. */
interface Measured {
  /** As evictions are told it. */
  readonly progress: Progress | undefined;
  readonly job: RunningJob | undefined;
}

interface RunningJob {
  readonly percent: number;
  readonly since: Instant;
}

/** How far the engine is with moving away what the process holds, where it says so. */
function jobFor(process: string, jobs: Jobs): RunningJob | undefined {
  const job = jobs.find(
    (one) =>
      one.process === process && one.verb === 'Evacuate' && one.state === 'Running' && one.progressPercent !== null,
  );
  return job === undefined ? undefined : { percent: job.progressPercent ?? 0, since: momentOf(job.since) };
}

/** As fast as so far, where the engine has no word on the end. Below a few percent that says nothing. */
function extrapolated(job: RunningJob | undefined, now: Instant): Instant | null {
  if (job === undefined || job.percent < 5 || now <= job.since) return null;
  return instant(Math.round(job.since + ((now - job.since) * 100) / job.percent));
}
