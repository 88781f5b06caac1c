import type { StatusRecord } from '../model/decision.ts';
import type { ProcessGroupId, RoleName } from '../model/ids.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Job, Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';

/**
 * The snapshot as it is once these changes of the status are written. The plan runs its steps one after the other over it, so that each
 * sees what the ones before recorded; the operator writes the same changes before it acts.
 */
export function applyRecords(snapshot: Snapshot, records: readonly StatusRecord[]): Snapshot {
  if (records.length === 0) return snapshot;
  const groups = new Map(snapshot.processGroups.map((group) => [group.id, group]));
  let { grants, maintenance, nextGroupNumber, lastRemovalAt } = snapshot;
  for (const record of records) {
    switch (record.record) {
      case 'group-added':
        groups.set(record.group, newGroup(record.group, record.role, snapshot));
        nextGroupNumber = Math.max(nextGroupNumber, record.number + 1);
        break;
      case 'gone':
        groups.delete(record.group);
        break;
      case 'granted':
        grants = grants.concat(record.grant);
        break;
      case 'grant-ended':
        grants = grants.filter(({ group, pod }) => group !== record.group || pod !== record.pod);
        break;
      case 'maintenance-on':
        maintenance = { zone: record.zone, since: snapshot.now, until: record.until };
        break;
      case 'maintenance-off':
        maintenance = null;
        break;
      default: {
        const before = groups.get(record.group);
        if (before !== undefined) groups.set(record.group, changed(before, record, snapshot));
        if (record.record === 'removing') lastRemovalAt = snapshot.now;
      }
    }
  }
  const processGroups = [...groups.values()];
  const jobs = jobsAfter(snapshot.jobs, records, snapshot.now);
  return { ...snapshot, processGroups, jobs, grants, maintenance, nextGroupNumber, lastRemovalAt };
}

/**
 * What the engine was told, once these changes are written. That a process group keeps its data is on record before it is told; that it is to be
 * emptied takes that back. By the order of both and not by their times, because a clock may be set back.
 */
export function jobsAfter(jobs: readonly Job[], records: readonly StatusRecord[], now: Instant): readonly Job[] {
  let after = jobs;
  for (const record of records) {
    if (record.record !== 'keeping' && record.record !== 'evacuating') continue;
    const stands = ({ verb, group, state }: Job) =>
      verb === 'CancelEvacuation' && group === record.group && state !== 'Failed';
    after =
      record.record === 'keeping'
        ? [...after.filter((job) => !stands(job)), aboutToBeKept(record.group, now)]
        : after.map((job) => (stands(job) ? { ...job, state: 'Recorded' } : job));
  }
  return after;
}

const aboutToBeKept = (group: ProcessGroupId, since: Instant): Job => ({
  verb: 'CancelEvacuation',
  group,
  state: 'Running',
  since,
  attempts: 0,
  retryAt: null,
  message: '',
  percent: null,
  secondsLeft: null,
});

type GroupRecord = Exclude<
  StatusRecord,
  { readonly record: 'group-added' | 'gone' | 'granted' | 'grant-ended' | 'maintenance-on' | 'maintenance-off' }
>;

function changed(group: ProcessGroup, record: GroupRecord, { now }: Snapshot): ProcessGroup {
  switch (record.record) {
    case 'condition-set': {
      const others = group.conditions.filter(({ type }) => type !== record.condition);
      return { ...group, conditions: [...others, { type: record.condition, since: record.since }] };
    }
    case 'condition-cleared':
      return { ...group, conditions: group.conditions.filter(({ type }) => type !== record.condition) };
    case 'taints-seen':
      return { ...group, taints: record.taints };
    case 'addresses':
      return { ...group, addresses: record.addresses };
    case 'zone':
      return { ...group, zone: record.zone };
    case 'marked':
      // Marked once more, for another cause or without exclusion: it has been leaving since the first time.
      return {
        ...group,
        removal: { at: group.removal?.at ?? now, cause: record.cause, withoutExclusion: record.withoutExclusion },
      };
    case 'unmarked':
      return {
        ...group,
        removal: null,
        evacuationAt: record.evacuationStands === true ? group.evacuationAt : null,
        drainedAt: null,
        removingAt: null,
      };
    case 'evacuating':
      return { ...group, evacuationAt: now };
    case 'keeping':
      return group;
    case 'evacuation-ended':
      return { ...group, evacuationAt: null };
    case 'drained':
      return { ...group, drainedAt: now };
    case 'not-drained':
      return { ...group, drainedAt: null, removingAt: null };
    case 'removing':
      return { ...group, removingAt: now };
  }
}

/** A process group that was just decided on: it has nothing yet. */
function newGroup(id: ProcessGroupId, role: RoleName, { spec, now }: Snapshot): ProcessGroup {
  const shape = spec.roles.find(({ name }) => name === role)?.shape;
  const missing = ['MissingProcesses', 'MissingPod'] as const;
  const hasClaim = shape !== undefined && shape !== null && shape.claimSpecHash !== '';
  return {
    id,
    role,
    addresses: [],
    zone: null,
    conditions: [...missing, ...(hasClaim ? (['MissingPVC'] as const) : [])].map((type) => ({ type, since: now })),
    removal: null,
    evacuationAt: null,
    drainedAt: null,
    removingAt: null,
    taints: [],
    pod: null,
    claim: hasClaim ? null : 'none',
    service: shape?.publicIPSource === 'Service' ? null : 'none',
  };
}
