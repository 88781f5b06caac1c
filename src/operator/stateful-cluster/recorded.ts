import type { StatefulClusterStatus } from '../../api/v1alpha1/stateful-cluster-status.schema.ts';
import { name } from '../../model/ids.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { momentOf, momentOrNull } from '../status/moments.ts';
import type { RecordedLock } from '../status/recorded-lock.ts';
import { lockIn } from '../status/recorded-lock.ts';
import { rowOf } from '../status/recorded-row.ts';

/** The part of a snapshot that outlives the process, as a status holds it. */
export interface Recorded extends RecordedLock {
  /** Without pod, claim and service: those are seen anew every time. */
  readonly rows: readonly ProcessGroup[];
  readonly nextGroupNumber: number;
  readonly lastRemovalAt: Instant | null;
  readonly maintenance: Snapshot['maintenance'];
}

/** Kept for as long as the status is the same object, which is until somebody writes to it. */
const known = new WeakMap<StatefulClusterStatus, Recorded>();

/** What a status has on record. What a newer Drover wrote and this one does not know is passed over, and never read as permission. */
export function recordedIn(status: StatefulClusterStatus): Recorded {
  const before = known.get(status);
  if (before !== undefined) return before;
  const recorded = read(status);
  known.set(status, recorded);
  return recorded;
}

function read(status: StatefulClusterStatus): Recorded {
  const { maintenance } = status;
  return {
    rows: status.processGroups.map(rowOf),
    ...lockIn(status),
    nextGroupNumber: status.nextProcessGroupNumber,
    lastRemovalAt: momentOrNull(status.lastRemovalTimestamp),
    maintenance:
      maintenance === null
        ? null
        : { zone: name(maintenance.zone), since: momentOf(maintenance.since), until: momentOf(maintenance.until) },
  };
}
