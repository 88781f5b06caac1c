import type { ProcessGroupStatus } from '../../api/v1alpha1/process-group.schema.ts';
import { name } from '../../model/ids.ts';
import type { ConditionType, ProcessGroup, Removal, RemovalCause, TaintClock } from '../../model/process-group.ts';
import { conditionTypes } from '../../model/process-group.ts';
import { momentOf, momentOrNull } from './moments.ts';

/** What a row of a status has on record. Its objects are not: they are seen anew every time. */
export function rowOf(row: ProcessGroupStatus): ProcessGroup {
  return {
    id: name(row.processGroupID),
    role: name(row.role),
    addresses: row.addresses,
    zone: row.faultDomain === null ? null : name(row.faultDomain),
    conditions: row.conditions.flatMap(({ type, timestamp }) =>
      isConditionType(type) ? [{ type, since: momentOf(timestamp) }] : [],
    ),
    removal: removalOf(row),
    evacuationAt: momentOrNull(row.evacuationTimestamp),
    drainedAt: momentOrNull(row.exclusionTimestamp),
    removingAt: momentOrNull(row.removingTimestamp),
    taints: row.taints.map((taint) => clockOf(taint, row.nodeName)),
    pod: null,
    claim: null,
    service: null,
  };
}

const known: ReadonlySet<string> = new Set(conditionTypes);

/** Whether this Drover knows the condition. One that it does not know says nothing to it, and stays in the row. */
export const isConditionType = (type: string): type is ConditionType => known.has(type);

const causes: { readonly [cause in RemovalCause]: true } = {
  Requested: true,
  Failed: true,
  Tainted: true,
  Misconfigured: true,
  Shrink: true,
  Evicted: true,
};

const isCause = (reason: string): reason is RemovalCause => Object.hasOwn(causes, reason);

/**
 * What a mark is taken for whose reason this Drover does not know. It stays marked, or it would count again and its successor would be removed
 * instead. `Requested` is the one that only a person undoes: `Evicted` ends by itself, and `Shrink` leaves without a successor.
 */
const unknownCause: RemovalCause = 'Requested';

function removalOf({ removalTimestamp, removalReason, exclusionSkipped }: ProcessGroupStatus): Removal | null {
  if (removalTimestamp === null) return null;
  return { at: momentOf(removalTimestamp), cause: causeOf(removalReason), withoutExclusion: exclusionSkipped };
}

/** The cause that a written reason stands for. */
export const causeOf = (reason: string | null): RemovalCause =>
  reason !== null && isCause(reason) ? reason : unknownCause;

function clockOf({ key, since, node }: ProcessGroupStatus['taints'][number], nodeName: string | null): TaintClock {
  const on = node ?? nodeName;
  return { key, since: momentOf(since), ...(on !== null && { node: name(on) }) };
}
