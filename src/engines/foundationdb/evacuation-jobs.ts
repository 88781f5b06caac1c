import type { ProcessGroupId } from '../../model/ids.ts';
import type { Known } from '../../model/known.ts';
import { isTrue, unknown } from '../../model/known.ts';
import type { Job } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { Progress } from './drain-progress.ts';
import type { Exclusion } from './exclusions.ts';
import type { ProcessView } from './process-view.ts';

/** A process group that the database was told to empty. */
export interface Leaving {
  readonly group: ProcessGroupId;
  /** Those of it that the database lists; none where it is known by its exclusion alone. */
  readonly processes: readonly ProcessView[];
}

/**
 * Every process group of which something is excluded, sorted: those with a process that says so, and those that are on the list and have no
 * process any more. `groupAt` tells whose address it was.
 */
export function leavingGroups(
  views: readonly ProcessView[],
  exclusions: Known<readonly Exclusion[]>,
  groupAt: (host: string) => ProcessGroupId | undefined,
): readonly Leaving[] {
  const groups = new Set(views.flatMap(({ process: { group, excluded } }) => (isTrue(excluded) ? (group ?? []) : [])));
  const listed = new Set(views.flatMap(({ process: { group } }) => group ?? []));
  for (const exclusion of exclusions === unknown ? [] : exclusions) {
    const group = groupOf(exclusion, groupAt);
    if (group !== undefined && !listed.has(group)) groups.add(group);
  }
  return [...groups].sort().map((group) => ({
    group,
    processes: views.filter(({ process }) => process.group === group),
  }));
}

function groupOf(exclusion: Exclusion, groupAt: (host: string) => ProcessGroupId | undefined) {
  if (exclusion.by === 'address') return groupAt(exclusion.address.host);
  return exclusion.group;
}

/** How many bytes lie on the group; null where a process is not listed, or does not tell. */
export function bytesLeft({ processes }: Leaving): number | null {
  const roles = processes.map(({ listed }) => listed.status.roles);
  if (roles.length === 0 || roles.includes(undefined)) return null;
  const stored = roles.flatMap((all) => (all ?? []).filter(({ role }) => role === 'storage'));
  return stored.some(({ stored_bytes }) => stored_bytes === undefined)
    ? null
    : stored.reduce((sum, { stored_bytes = 0 }) => sum + stored_bytes, 0);
}

/**
 * The evacuation as the database shows it. It is done when every process of the group that is listed is drained, and never while none is:
 * then nobody can say what it holds. Since when it was told nobody remembers, so the job is as old as the observation.
 */
export function evacuationJob(leaving: Leaving, observedAt: Instant, { percent, secondsLeft }: Progress): Job {
  const done = leaving.processes.length > 0 && leaving.processes.every(({ process }) => isTrue(process.drained));
  return {
    verb: 'Evacuate',
    group: leaving.group,
    state: done ? 'Done' : 'Running',
    since: observedAt,
    attempts: 1,
    retryAt: null,
    message: done ? `${leaving.group} holds nothing any more` : whatIsLeft(leaving),
    percent: done ? 100 : percent,
    secondsLeft: done ? null : secondsLeft,
  };
}

const gibibyte = 1024 ** 3;

function whatIsLeft(leaving: Leaving): string {
  const { group, processes } = leaving;
  if (processes.length === 0) return `${group} is excluded and not listed: what it holds is not known`;
  const staying = processes.find(({ process }) => !isTrue(process.excluded));
  if (staying !== undefined) return `${staying.process.id} of ${group} is not known to be excluded`;
  const bytes = bytesLeft(leaving);
  if (bytes !== null && bytes > 0) return `${(bytes / gibibyte).toFixed(1)} GiB are left on ${group}`;
  const roles = [...new Set(processes.flatMap(({ listed }) => (listed.status.roles ?? []).map(({ role }) => role)))];
  if (roles.length > 0) return `${group} still is ${roles.sort().join(', ')}`;
  return `${group} shows no role, and the database cannot vouch for that yet`;
}
