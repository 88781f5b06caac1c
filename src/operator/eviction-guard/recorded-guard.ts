import type { EvictionGuardStatus, GuardedProcess } from '../../api/v1alpha1/eviction-guard.schema.ts';
import type { Zone } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { GroupCondition } from '../../model/process-group.ts';
import type { Instant } from '../../model/time.ts';
import { momentOf, momentOrNull } from '../status/moments.ts';
import type { RecordedLock } from '../status/recorded-lock.ts';
import { lockIn } from '../status/recorded-lock.ts';
import { isConditionType } from '../status/recorded-row.ts';

/** What is on record of one pod. */
export interface RecordedPod {
  readonly pod: string;
  readonly role: string;
  readonly zone: Zone | null;
  readonly addresses: readonly string[];
  readonly conditions: readonly GroupCondition[];
  readonly evacuationAt: Instant | null;
}

/** The part of a guard's snapshot that outlives the process, as its status holds it. */
export interface RecordedGuard extends RecordedLock {
  readonly pods: readonly RecordedPod[];
}

/** What a status has on record. A pod with several processes has as many rows, which say the same of it: the first speaks. */
export function recordedInGuard(status: EvictionGuardStatus): RecordedGuard {
  const pods = new Map<string, RecordedPod>();
  for (const row of status.processes) {
    const { pod } = row;
    if (pod !== null && !pods.has(pod)) pods.set(pod, podOf(row, pod));
  }
  return { pods: [...pods.values()], ...lockIn(status) };
}

const podOf = (
  { role, zone, addresses, conditions, evacuationTimestamp }: GuardedProcess,
  pod: string,
): RecordedPod => ({
  pod,
  role,
  zone: zone === null ? null : name(zone),
  addresses,
  conditions: conditions.flatMap(({ type, timestamp }) =>
    isConditionType(type) ? [{ type, since: momentOf(timestamp) }] : [],
  ),
  evacuationAt: momentOrNull(evacuationTimestamp),
});
