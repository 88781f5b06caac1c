import type { StatusRecord } from '../../model/decision.ts';
import type { ProcessGroupId } from '../../model/ids.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Ask, Grant, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { applyRecords } from '../../plan/apply-records.ts';

/** What the stand-in has recorded: the part of a snapshot that outlives the process, as the status of a StatefulCluster does. */
export interface Recorded {
  readonly rows: readonly ProcessGroup[];
  readonly grants: readonly Grant[];
  readonly asks: readonly Ask[];
  readonly nextGroupNumber: number;
  readonly lastRemovalAt: Instant | null;
  readonly maintenance: Snapshot['maintenance'];
  /** Whom the engine was told to forget, and did: it lists nothing that would show it. */
  readonly forgotten: readonly ProcessGroupId[];
}

export const nothingRecorded: Recorded = {
  rows: [],
  grants: [],
  asks: [],
  nextGroupNumber: 1,
  lastRemovalAt: null,
  maintenance: null,
  forgotten: [],
};

/** The record once these changes are written. */
export function recordedAfter(
  snapshot: Snapshot,
  records: readonly StatusRecord[],
  forgotten: readonly ProcessGroupId[],
): Recorded {
  const after = applyRecords(snapshot, records);
  return {
    rows: after.processGroups,
    grants: after.grants,
    asks: after.asks,
    nextGroupNumber: after.nextGroupNumber,
    lastRemovalAt: after.lastRemovalAt,
    maintenance: after.maintenance,
    forgotten,
  };
}
