import { bytes, count, duration, list } from '../phrases.ts';
import { reason } from '../reason.ts';
import { seconds } from '../time.ts';

// An interface would not do: only a type alias can be evidence.
type CopyProgress = {
  readonly percent: number | null;
  readonly bytes: number | null;
  readonly secondsLeft: number | null;
};

function progress({ percent, bytes: size, secondsLeft }: CopyProgress): string {
  if (percent === null) return '';
  const of = size === null ? '' : ` of ${bytes(size)}`;
  const left = secondsLeft === null ? '' : `, about ${duration(seconds(secondsLeft))} left`;
  return `; another copy is being made, ${percent} %${of}${left}`;
}

/** Why a process may not go: data. */
export const dataReasons = {
  lastReplica: reason('LastReplica', {
    meaning: 'No other copy of a unit is healthy, in sync, on a process that responds, and not already let go.',
    says: (evidence: { group: string; unit: string; others: readonly string[]; more: number } & CopyProgress) =>
      `${evidence.group} stays: it holds the only healthy copy of ${evidence.unit}` +
      (evidence.others.length > 0 ? ` (${list(evidence.others)})` : '') +
      (evidence.more > 0 ? `, and of ${count(evidence.more, 'other unit')}` : '') +
      progress(evidence),
    liftedBy: 'a second healthy copy of the unit on a process that stays',
    example: {
      group: 'db-3',
      unit: 'shard s10042',
      others: ['db-1: failed'],
      more: 0,
      percent: 62,
      bytes: 126_701_535_232,
      secondsLeft: 240,
    },
  }),
  lastRunningReplica: reason('LastRunningReplica', {
    meaning: 'The policy is allow-if-replica-is-stopped, and no other running copy of a unit protects it.',
    says: (evidence: { group: string; unit: string; more: number }) =>
      `${evidence.group} stays: it holds the only healthy running copy of ${evidence.unit}` +
      (evidence.more > 0 ? `, and of ${count(evidence.more, 'other unit')}` : ''),
    liftedBy: 'a second healthy copy on a process that stays, or the unit being stopped',
    example: { group: 'im-a', unit: 'volume pvc-1', more: 0 },
  }),
  noHealthyReplica: reason('NoHealthyReplica', {
    meaning:
      'The process holds a failed copy of a unit, and no healthy copy is left: it may be all there is to salvage.',
    says: (evidence: { group: string; unit: string; others: readonly string[]; more: number }) =>
      `${evidence.group} stays: its copy of ${evidence.unit} failed, and no other copy is healthy` +
      (evidence.others.length > 0 ? ` (${list(evidence.others)})` : '') +
      (evidence.more > 0 ? `; the same goes for ${count(evidence.more, 'other unit')}` : ''),
    liftedBy: 'a healthy copy on a process that stays, or the unit being deleted',
    example: { group: 'im-a', unit: 'volume pvc-1', others: ['im-b: failed'], more: 0 },
  }),
  holdsReplicas: reason('HoldsReplicas', {
    meaning: 'The policy is block-for-eviction, and the process still holds copies.',
    says: (evidence: { group: string; copies: number; unit: string } & CopyProgress) =>
      `${evidence.group} stays: ${count(evidence.copies, 'copy', 'copies')} must move away first, next ${evidence.unit}${progress(evidence)}`,
    liftedBy: 'every copy having moved to another process',
    example: { group: 'im-a', copies: 3, unit: 'volume pvc-1', percent: 10, bytes: null, secondsLeft: null },
  }),
  unplaceable: reason('CannotPlaceCopy', {
    meaning: 'The engine finds no place for another copy, so moving the data away cannot end.',
    says: (evidence: { group: string; unit: string; engineSays: string }) =>
      `${evidence.group} stays: the engine finds no place for another copy of ${evidence.unit}: ${evidence.engineSays}`,
    liftedBy: 'room for another copy on a node that stays: add a disk or a node, or relax the placement rules',
    example: { group: 'im-a', unit: 'volume pvc-1', engineSays: 'precheck new replica failed: insufficient storage' },
  }),
  leadsUnits: reason('LeadsUnits', {
    meaning: 'The process still leads units, and its role may only go when it leads none.',
    says: (evidence: { group: string; units: number; unit: string }) =>
      `${evidence.group} stays: it leads ${count(evidence.units, 'unit')}, first ${evidence.unit}`,
    liftedBy: 'another process taking over the leadership',
    example: { group: 'db-3', units: 4, unit: 'shard s10042' },
  }),
  noInSyncFollower: reason('NoInSyncFollower', {
    meaning: 'A unit that the process leads has no follower that could take over.',
    says: (evidence: { group: string; unit: string; more: number }) =>
      `${evidence.group} stays: it leads ${evidence.unit}, which has no in-sync follower` +
      (evidence.more > 0 ? `; so ${evidence.more === 1 ? 'does' : 'do'} ${count(evidence.more, 'other unit')}` : ''),
    liftedBy: 'a follower of the unit getting in sync',
    example: { group: 'db-3', unit: 'shard s10042', more: 2 },
  }),
  takersLeave: reason('TakersLeave', {
    meaning:
      'All that could take over what the process leads are to leave too, so that leadership would only be passed around.',
    says: ({ group, leads }: { group: string; leads: string }) =>
      `${group} goes on leading ${leads} for now: those that could take over are leaving too`,
    liftedBy: 'a follower that stays getting in sync',
    example: { group: 'db-3', leads: 'shard s10042' },
  }),
  writeConcern: reason('WriteConcern', {
    meaning: 'Without this process a unit would have fewer in-sync copies than its writes need.',
    says: (evidence: { group: string; unit: string; inSync: number; needed: number }) =>
      `${evidence.group} stays: ${evidence.unit} has ${count(evidence.inSync, 'in-sync copy', 'in-sync copies')} and its writes need ${evidence.needed}`,
    liftedBy: 'one more copy of the unit getting in sync',
    example: { group: 'db-3', unit: 'shard s10042', inSync: 2, needed: 2 },
  }),
  attachedUnit: reason('AttachedUnit', {
    meaning: 'A unit that is in use is served through this process.',
    says: (evidence: { group: string; unit: string; more: number }) =>
      `${evidence.group} stays: ${evidence.unit} is attached and served through it` +
      (evidence.more > 0 ? `; so ${evidence.more === 1 ? 'is' : 'are'} ${count(evidence.more, 'other unit')}` : ''),
    liftedBy: 'the pods that use the unit having left the node',
    example: { group: 'im-a', unit: 'volume pvc-1', more: 0 },
  }),
  notDrained: reason('NotDrained', {
    meaning: 'The engine does not confirm yet that the process holds no data and no role.',
    says: (evidence: { group: string; percent: number | null; secondsLeft: number | null }) =>
      `${evidence.group} stays: it is not drained yet` +
      (evidence.percent === null ? '' : `, ${evidence.percent} %`) +
      (evidence.secondsLeft === null ? '' : `, about ${duration(seconds(evidence.secondsLeft))} left`),
    liftedBy: 'the engine confirming that it holds no data and no role',
    example: { group: 'storage-4', percent: 40, secondsLeft: 600 },
  }),
};
