import { isFalse, isTrue, unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import type { Instant } from '../model/time.ts';
import { dueAt, seconds } from '../model/time.ts';
import type { Process } from '../model/topology.ts';
import type { Finding } from './finding.ts';
import { fails, holds, unknownWhether } from './finding.ts';
import type { Question } from './question.ts';
import { labelOf, roleOf } from './question.ts';
import { mayHoldData } from './role-table.ts';
import { standingOf } from './standing.ts';
import type { Survey } from './survey.ts';

/** The engine needs about a minute to notice that a process, or what it held, is missing, and claims to be well until then. */
export const lossIsNoticed = seconds(90);

/** The engine serves, and every unit has all its copies. */
export function fullyReplicated({ survey, group }: Question): Finding {
  const { available = unknown, fullyReplicated = unknown } = survey.engine.topology?.health ?? {};
  const subject = `${group.id} stays`;
  if (isFalse(available)) return fails(reasons.engineUnavailable({ subject }));
  if (isFalse(fullyReplicated)) return fails(reasons.notFullyReplicated({ subject }));
  if (available === unknown) return unknownWhether('whether the engine serves');
  return fullyReplicated === unknown ? unknownWhether('whether the engine is fully replicated') : holds;
}

/** Of the zones that may still fail, one is left for this group after those that were let go and that the engine does not count yet. */
export function oneMoreZoneMayFail(question: Question): Finding {
  const figure = question.survey.engine.topology?.health.zonesThatMayFail ?? unknown;
  if (figure === unknown) return unknownWhether('how many zones may fail');
  const own = ownZones(question);
  const letGo = zonesOf(question.survey).letGo.filter((zone) => !own.has(zone)).length;
  if (figure - letGo >= own.size) return holds;
  return fails(reasons.noZoneToSpare({ group: question.group.id, zones: Math.max(0, figure - letGo) }));
}

/** In no other zone a process that holds data is down or was let go, or may hold some before the engine tells of it. */
export function noOtherZoneDown(question: Question): Finding {
  const own = ownZones(question);
  const group = question.group.id;
  const { down, coming, doubtful, anew } = zonesOf(question.survey);
  const zones = down.filter((zone) => !own.has(zone));
  if (zones.length > 0) return fails(reasons.otherZoneDown({ group, zones }));
  const others = coming.filter(({ zone }) => !own.has(zone)).map(({ other }) => other);
  if (others.length > 0) return fails(reasons.notListedYet({ group, others }));
  const doubt = doubtful.find(({ zone }) => !own.has(zone));
  if (doubt !== undefined) return unknownWhether(doubt.missing);
  const fresh = anew.find(({ zone }) => !own.has(zone));
  if (fresh === undefined) return holds;
  return fails(reasons.beganAnew({ group, other: fresh.other, due: fresh.due }));
}

interface Zones {
  /** Sorted by name, as the doubtful ones are. */
  readonly down: readonly string[];
  /** Whose pods run, and which the engine has never listed; by their names. */
  readonly coming: readonly { readonly zone: string; readonly other: ProcessGroup['id'] }[];
  readonly letGo: readonly string[];
  /** What is missing to say whether a zone is down. */
  readonly doubtful: readonly { readonly zone: string; readonly missing: string }[];
  /** Who began anew in each zone, and by when the engine knows what that cost; what takes longest first. */
  readonly anew: readonly { readonly zone: string; readonly other: string; readonly due: Instant }[];
}

/** The same for every group of a survey, and it takes all its processes to work it out. */
const remembered = new WeakMap<Survey, Zones>();

function zonesOf(survey: Survey): Zones {
  const known = remembered.get(survey);
  if (known !== undefined) return known;
  const zones = surveyZones(survey);
  remembered.set(survey, zones);
  return zones;
}

function surveyZones(survey: Survey): Zones {
  const down = new Set<string>();
  const letGo = new Set<string>();
  const doubtful = new Map<string, string>();
  const coming: Zones['coming'][number][] = [];
  const anew: Zones['anew'][number][] = [];
  const { engine } = survey.snapshot.spec;
  for (const process of survey.engine.topology?.processes ?? []) {
    // What was drained takes nothing away, however long it takes to be gone.
    if (!mayHoldData(engine, roleOf(survey, process.id)) || isTrue(process.drained)) continue;
    const zone = zoneOfProcess(survey, process);
    const standing = standingOf(survey, process.id);
    if (standing.is === 'no') down.add(zone);
    const before = doubtful.get(zone);
    const first = standing.is === 'unknown' && (before === undefined || standing.missing < before);
    if (first) doubtful.set(zone, standing.missing);
    const due = lossNoticedBy(survey, process);
    if (due !== undefined) anew.push({ zone, other: labelOf(survey, process.id), due });
    if (survey.gone.has(process.id)) letGo.add(zone);
  }
  for (const group of survey.groups.values()) {
    if (!mayHoldData(engine, group.role) || survey.engine.processesOf.has(group.id)) continue;
    const absence = absenceOf(survey, group);
    if (absence === 'coming') coming.push({ zone: zoneOfGroup(group), other: group.id });
    if (absence === 'gone') down.add(zoneOfGroup(group));
    if (survey.letGo.has(group.id)) letGo.add(zoneOfGroup(group));
  }
  return {
    down: [...down].sort(),
    letGo: [...letGo],
    coming: coming.sort((a, b) => (a.other < b.other ? -1 : 1)),
    anew: anew.sort((a, b) => b.due - a.due || (a.other < b.other ? -1 : 1)),
    doubtful: [...doubtful.keys()].sort().map((zone) => ({ zone, missing: doubtful.get(zone) ?? '' })),
  };
}

/** Until when a process that began anew may have lost its disk without the engine knowing; undefined: it did not, or long ago. */
function lossNoticedBy({ snapshot, groups }: Survey, { group }: Process): Instant | undefined {
  const restartedAt = (group === null ? undefined : groups.get(group))?.pod?.restartedAt ?? null;
  const due = restartedAt === null ? undefined : dueAt(restartedAt, lossIsNoticed);
  return due !== undefined && snapshot.now < due ? due : undefined;
}

/**
 * Of one that the engine does not list: whether it did once, and it was not drained. One without a zone has never been anywhere, and one of Drover's
 * own that was never listed and whose pod does not run has never run: neither holds anything. If it runs, it may be given data before it is listed.
 * The pod of somebody else may be a new one for an old disk.
 */
function absenceOf({ snapshot }: Survey, group: ProcessGroup): 'none' | 'coming' | 'gone' {
  const { zone, drainedAt, removingAt, addresses, pod } = group;
  if (zone === null || drainedAt !== null || removingAt !== null) return 'none';
  if (!snapshot.spec.ownsPods || addresses.length > 0) return 'gone';
  return pod === null || pod.phase === 'Pending' ? 'none' : 'coming';
}

function ownZones({ survey, group, processes }: Question): ReadonlySet<string> {
  if (processes.length === 0) return new Set([zoneOfGroup(group)]);
  return new Set(processes.map((process) => zoneOfProcess(survey, process)));
}

function zoneOfProcess(survey: Survey, { zone, group, id }: Process): string {
  if (zone !== null) return zone;
  const row = group === null ? undefined : survey.groups.get(group);
  return row === undefined ? `the zone of ${id}` : zoneOfGroup(row);
}

/** Without a known zone it counts as one of its own. */
const zoneOfGroup = ({ zone, id }: ProcessGroup): string => zone ?? `the zone of ${id}`;
