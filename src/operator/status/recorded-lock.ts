import type { Ask as AskStatus, Grant as GrantStatus, Job as JobStatus } from '../../api/v1alpha1/lock.schema.ts';
import { name } from '../../model/ids.ts';
import type { Grant, Job } from '../../model/snapshot.ts';
import type { AskRow } from '../lock/ask-row.ts';
import { momentOf, momentOrNull } from './moments.ts';

/** What both kinds that guard pods have on record about evictions. */
export interface RecordedLock {
  readonly grants: readonly Grant[];
  /** `force` is null in all of them: what forces a pod is the annotation that it has now, not one that it once had. */
  readonly asks: readonly AskRow[];
  /** What the engine was told and cannot show again: whom it forgot, who stays, and that one is to go that it does not list; and which evictions a budget refused. */
  readonly jobs: readonly Job[];
}

/** The rows of a status of either kind. */
interface LockRows {
  readonly grants: readonly GrantStatus[];
  readonly asks: readonly AskStatus[];
  readonly jobs: readonly JobStatus[];
}

export const lockIn = (status: LockRows): RecordedLock => ({
  grants: status.grants.map(grantOf),
  asks: status.asks.map(askOf),
  jobs: status.jobs.flatMap(jobOf),
});

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
  // How far an evacuation is stands there for people: that one the engine tells by itself.
  const isTold =
    verb === 'Forget' || verb === 'CancelEvacuation' || verb === 'Evict' || (verb === 'Evacuate' && state === 'Done');
  if (!isTold) return [];
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
