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

/** What a status has on record. What a newer Drover wrote and this one does not know is passed over, and never read as permission. */
export function recordedIn(status: StatefulClusterStatus): Recorded {
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
