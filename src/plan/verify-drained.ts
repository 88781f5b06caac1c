import type { Step } from '../model/decision.ts';
import { isFalse, unknown } from '../model/known.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import { dueAt, instant, seconds } from '../model/time.ts';
import type { Process, Topology } from '../model/topology.ts';
import { drained } from '../rules/drained.ts';
import { lastWordIsToKeep } from '../rules/last-word.ts';
import { newestJob } from '../rules/newest-job.ts';
import { askAbout } from '../rules/question.ts';
import type { Survey } from '../rules/survey.ts';
import { neverRan } from '../rules/unlisted.ts';
import type { Marked } from './marked.ts';
import { markedGroups } from './marked.ts';
import { seatOf } from './quorum-seat.ts';
import { expectedProcesses } from './reporting.ts';
import { rulesOf } from './role-of.ts';
import { StepBuilder } from './step.ts';
import { isTakenForEmpty } from './taken-for-empty.ts';

/** Old generations of the log may hold what is nowhere else. */
const mostGenerations = 1;
/** The engine needs about a minute to notice a dead process, and claims full replication until then. */
const deathIsNoticed = seconds(90);

/**
 * Which evacuated process groups the engine confirms to be empty. Nothing else counts as a confirmation: not that a command returned, not
 * that a job says it is done, not that a process is gone.
 */
export function verifyDrained(survey: Survey): Step {
  const step = new StepBuilder('verify-drained');
  for (const group of markedGroups(survey)) {
    if (!isToBeVerified(survey, group)) continue;
    if (group.drainedAt !== null) {
      if (isUsedAgain(survey, group)) {
        step.record({ record: 'not-drained', group: group.id, reason: reasons.usedAgain({ group: group.id }) });
      }
      continue;
    }
    const doubt = reasonToDoubt(survey, group);
    if (doubt !== undefined) step.hold(group.id, doubt);
    else step.record({ record: 'drained', group: group.id, reason: reasons.drained({ group: group.id }) });
  }
  return step.build();
}

/**
 * It is being emptied, or was verified; or there never was anything to empty: its pod found no place. It may still find one afterwards, even when it is on
 * record that it goes.
 */
function isToBeVerified(survey: Survey, group: Marked): boolean {
  if (group.removal.withoutExclusion) return false;
  if (group.removingAt !== null) return isTakenForEmpty(group);
  if (group.evacuationAt !== null || group.drainedAt !== null) return true;
  return rulesOf(survey, group)?.drainedBeforeRemoval === true && neverRan(askAbout('replacement', survey, group));
}

/** Someone included it by hand. What is merely unknown does not take a confirmation back. */
const isUsedAgain = ({ engine }: Survey, group: Marked): boolean =>
  (engine.processesOf.get(group.id) ?? []).some(({ excluded, drained }) => isFalse(excluded) || isFalse(drained));

function reasonToDoubt(survey: Survey, group: Marked): Reason | undefined {
  const { engine } = survey;
  const subject = `${group.id} is not taken for drained`;
  if (engine.unreachable !== undefined) {
    return reasons.engineUnreachable({ subject, why: engine.unreachable.unreachable, since: engine.unreachable.since });
  }
  if (engine.topology === undefined) return undefined;
  const listed = engine.processesOf.get(group.id) ?? [];
  if (neverRan(askAbout('replacement', survey, group))) return undefined;
  return (
    reasonAgainstEngine(engine.topology, group, subject) ??
    reasonAgainstSeat(survey, group) ??
    reasonAgainstRecord(survey, engine.topology, group) ??
    reasonAgainstListed(survey, group, listed) ??
    (listed.length < expectedProcesses(survey, group) ? reasonAgainstAbsent(survey, engine.topology, group) : undefined)
  );
}

function reasonAgainstEngine({ health }: Topology, { id }: Marked, subject: string): Reason | undefined {
  if (health.available === unknown) {
    return reasons.factUnknown({ group: id, missing: 'whether the engine serves requests' });
  }
  if (!health.available) return reasons.engineUnavailable({ subject });
  const generations = health.activeGenerations;
  if (generations === unknown) {
    return reasons.factUnknown({ group: id, missing: 'how many log generations are active' });
  }
  if (generations === null || generations <= mostGenerations) return undefined;
  return reasons.manyGenerations({ subject, generations, most: mostGenerations });
}

function reasonAgainstSeat(survey: Survey, group: Marked): Reason | undefined {
  const seat = seatOf(survey, group);
  return seat === undefined ? undefined : reasons.isCoordinator({ group: group.id, quorum: seat.quorum.name });
}

/** What was seen before it was told to go says nothing of what came after. */
function reasonAgainstRecord(survey: Survey, { observedAt }: Topology, group: Marked): Reason | undefined {
  const isNews = group.evacuationAt !== null && observedAt > group.evacuationAt && !lastWordIsToKeep(survey, group);
  return isNews ? undefined : drainingOf(survey, group);
}

function drainingOf({ snapshot }: Survey, { id }: Marked): Reason {
  const job = newestJob(snapshot, id, 'Evacuate');
  return reasons.draining({ group: id, percent: job?.percent ?? null, secondsLeft: job?.secondsLeft ?? null });
}

/** Every process of the group must be excluded and hold nothing. */
function reasonAgainstListed(survey: Survey, group: Marked, listed: readonly Process[]): Reason | undefined {
  if (listed.length === 0) return undefined;
  const draining = drainingOf(survey, group);
  if (listed.some(({ excluded }) => isFalse(excluded))) return draining;
  const unsure = listed.find(({ excluded }) => excluded === unknown);
  if (unsure !== undefined) {
    return reasons.factUnknown({ group: group.id, missing: `whether ${unsure.id} is excluded` });
  }
  const finding = drained(askAbout('replacement', survey, group));
  if (finding.finding === 'unknown') return reasons.factUnknown({ group: group.id, missing: finding.missing });
  return finding.finding === 'holds' ? undefined : draining;
}

/**
 * A process that the engine does not list cannot say that it is empty. It is taken for empty when the engine has every copy elsewhere: it is
 * fully replicated, in an observation that began after the evacuation was recorded, which was carried out, when the process has been missing for
 * long enough that the engine has noticed, and no unit names a process that is not listed (it could be this one). One whose pod began anew may be about
 * to be listed, under an address that is not excluded: it has the same time for that.
 */
function reasonAgainstAbsent({ snapshot, engine }: Survey, topology: Topology, group: Marked): Reason | undefined {
  const { id } = group;
  const job = newestJob(snapshot, id, 'Evacuate');
  // On record is not told: whoever wrote it down may have crashed, or got no answer. Another process of it shows that it was.
  const isTold = engine.processesOf.has(id) || job?.state === 'Running' || job?.state === 'Done';
  if (!isTold) return reasons.draining({ group: id, percent: null, secondsLeft: null });
  const missing = group.conditions.find(({ type }) => type === 'MissingProcesses');
  if (missing === undefined) return reasons.factUnknown({ group: id, missing: 'since when its process is missing' });
  const due = dueAt(instant(Math.max(missing.since, beganAt(group))), deathIsNoticed);
  if (snapshot.now < due) {
    return reasons.podsSettling({ subject: `${id} is not taken for drained`, other: id, due });
  }
  if (topology.health.fullyReplicated === unknown) {
    return reasons.factUnknown({ group: id, missing: 'whether the engine is fully replicated' });
  }
  if (!topology.health.fullyReplicated) {
    return reasons.notFullyReplicated({ subject: `${id} is not taken for drained` });
  }
  const nameless = [...engine.heldBy.keys()].filter((process) => !engine.processes.has(process)).sort()[0];
  if (nameless === undefined) return undefined;
  return reasons.factUnknown({ group: id, missing: `whether ${nameless}, which still holds data, belongs to it` });
}

/** When its pod, or a container of it, last began; a pod that is going begins nothing. */
function beganAt({ pod }: Marked): number {
  if (pod === null || pod.deletingSince !== null) return -Infinity;
  return Math.max(pod.createdAt, pod.restartedAt ?? -Infinity);
}
