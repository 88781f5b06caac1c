import type { Ask as AskStatus, Grant as GrantStatus, Job as JobStatus } from '../../api/v1alpha1/lock.schema.ts';
import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import { name } from '../../model/ids.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Grant, Job, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { AskRow } from '../lock/ask-row.ts';
import { momentOf, momentOrNull } from './moments.ts';
import { rowOf } from './recorded-row.ts';

/** The part of a snapshot that outlives the process, as a status holds it. */
export interface Recorded {
  /** Without pod, claim and service: those are seen anew every time. */
  readonly rows: readonly ProcessGroup[];
  readonly grants: readonly Grant[];
  /** `force` is null in all of them: what forces a pod is the annotation that it has now, not one that it once had. */
  readonly asks: readonly AskRow[];
  /** What the engine was told and cannot show again: whom it forgot. The others it tells by itself. */
  readonly jobs: readonly Job[];
  readonly nextGroupNumber: number;
  readonly lastRemovalAt: Instant | null;
  readonly maintenance: Snapshot['maintenance'];
}

/** What both kinds that guard pods have on record. */
type LockRecorded = Pick<Recorded, 'grants' | 'asks' | 'jobs'>;

/** What a status of either kind has on record about evictions. */
export const lockRecordedIn = (status: Pick<StatefulClusterStatus, 'grants' | 'asks' | 'jobs'>): LockRecorded => ({
  grants: status.grants.map(grantOf),
  asks: status.asks.map(askOf),
  jobs: status.jobs.flatMap(jobOf),
});

/** What a status has on record. What a newer Drover wrote and this one does not know is passed over, and never read as permission. */
export function recordedIn(status: StatefulClusterStatus): Recorded {
  const { maintenance } = status;
  return {
    rows: status.processGroups.map(rowOf),
    ...lockRecordedIn(status),
    nextGroupNumber: status.nextProcessGroupNumber,
    lastRemovalAt: momentOrNull(status.lastRemovalTimestamp),
    maintenance:
      maintenance === null
        ? null
        : { zone: name(maintenance.zone), since: momentOf(maintenance.since), until: momentOf(maintenance.until) },
  };
}

const grantOf = (grant: GrantStatus): Grant => ({
  group: name(grant.process),
  pod: name(grant.uid),
  node: grant.node === null ? null : name(grant.node),
  grantedAt: momentOf(grant.grantedAt),
  closedAt: momentOrNull(grant.closedAt),
  goneAt: momentOrNull(grant.goneAt),
  exemption: grant.exemption === null ? null : grant.exemption.reason,
});

const askOf = (ask: AskStatus): AskRow => ({
  group: name(ask.process),
  pod: name(ask.uid),
  node: ask.node === null ? null : name(ask.node),
  source: ask.source,
  by: ask.by,
  since: momentOf(ask.since),
  lastSeen: momentOf(ask.lastSeen),
  force: null,
  name: ask.pod,
  times: ask.times,
  cordoned: ask.nodeCordoned,
  letGoAt: momentOrNull(ask.letGoAt),
});

function jobOf({ verb, process, state, since, attempts, retryAt, message, progressPercent }: JobStatus): Job[] {
  if (verb !== 'Forget') return [];
  return [
    {
      verb,
      group: name(process),
      state,
      since: momentOf(since),
      attempts,
      retryAt: momentOrNull(retryAt),
      message,
      percent: progressPercent,
      secondsLeft: null,
    },
  ];
}
