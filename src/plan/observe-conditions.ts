import type { Step } from '../model/decision.ts';
import { isFalse, isTrue } from '../model/known.ts';
import type { ConditionType, ProcessGroup } from '../model/process-group.ts';
import { conditionTypes } from '../model/process-group.ts';
import type { Instant } from '../model/time.ts';
import { dueAt, seconds } from '../model/time.ts';
import type { Process } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';
import { isOnItsWayOut } from './in-flight.ts';
import { inOrder } from './in-order.ts';
import { failures } from './replace-failed.ts';
import { expectedProcesses } from './reporting.ts';
import { roleOf } from './role-of.ts';
import { StepBuilder } from './step.ts';
import { maintenanceOf } from './under-maintenance.ts';
import { recordWhereabouts } from './whereabouts.ts';

/** A pod that has been terminating for so long is failing: its kubelet may be cut off. */
const terminatingTooLong = seconds(300);

/** One process group at one moment, as a condition is judged by. */
interface Facts {
  readonly group: ProcessGroup;
  readonly specHash: string | undefined;
  readonly processesWanted: number;
  /** What the engine lists of this group; undefined: it cannot be read or lists nothing at all, so that it says nothing. */
  readonly processes: readonly Process[] | undefined;
  readonly at: Instant;
}

/** `undefined`: nobody can tell, so the condition stays as it is. */
type Judge = (facts: Facts) => boolean | undefined;

/** Which conditions a process group has. Those about taints have their own step. */
const judges: { readonly [type in ConditionType]?: Judge } = {
  MissingProcesses: missesProcesses,
  PodFailing: isPodFailing,
  MissingPod: ({ group }) => group.pod === null,
  MissingPVC: ({ group }) => group.claim === null,
  MissingService: ({ group }) => group.service === null,
  PodPending: ({ group }) => group.pod?.phase === 'Pending',
  ProcessIsMarkedAsExcluded: isExcluded,
  IncorrectPodSpec: ({ group, specHash }) =>
    group.pod !== null && specHash !== undefined && group.pod.shape.specHash !== specHash,
  ResourcesTerminating: () => false,
};

/** On its way out a process group is only asked whether its objects are still going; nothing else about it matters. */
const judgesOnTheWayOut: { readonly [type in ConditionType]: Judge } = {
  MissingProcesses: () => false,
  PodFailing: () => false,
  MissingPod: () => false,
  MissingPVC: () => false,
  MissingService: () => false,
  PodPending: () => false,
  ProcessIsMarkedAsExcluded: () => false,
  NodeTaintReplacing: () => false,
  NodeTaintDetected: () => false,
  IncorrectPodSpec: () => false,
  ResourcesTerminating: ({ group: { pod, claim, service } }) =>
    pod === null ||
    pod.deletingSince !== null ||
    (claim !== null && claim !== 'none' && claim.deleting) ||
    service === 'terminating',
};

/**
 * What is the matter with each process group, and since when: a condition that holds on keeps its time. While a zone is under maintenance
 * the conditions of its data are left as they are, because its pods are expected to be away; only that a pod differs from the spec is noted all the same,
 * because it is on account of this that the pod is deleted. What depends on the engine only changes when the engine answers. Addresses and zones are recorded too: they are needed once the process is gone.
 */
export function observeConditions(survey: Survey): Step {
  const step = new StepBuilder('observe-conditions');
  for (const group of inOrder(survey.snapshot.processGroups)) {
    recordWhereabouts(survey, group, step);
    const facts = factsOf(survey, group);
    const clock = clockOf(survey, facts);
    for (const condition of conditionTypes) observe(condition, facts, clock, step);
  }
  return step.build();
}

/** When time alone can change a condition. */
interface Clock {
  /** Under maintenance nothing is judged. */
  readonly frozen: boolean;
  readonly moments: readonly Instant[];
  /** What fails has failed since now. */
  readonly anew: boolean;
}

/** Time changes a condition when a maintenance ends, and when a pod has been terminating for too long: whichever comes last. */
function clockOf(survey: Survey, facts: Facts): Clock {
  const { group } = facts;
  const thaw = maintenanceOf(survey, group)?.until;
  const tooLong = terminatingTooLongAt(group);
  const { now } = survey.snapshot;
  const moments = [thaw, tooLong].filter((at): at is Instant => at !== undefined && at > now && at >= (thaw ?? now));
  return { frozen: thaw !== undefined, moments, anew: isToBeMadeAgain(facts) };
}

/**
 * Whether people have just now asked for the pod to be made again: they took off its hash, or injected a fault, or took one back. Whatever failed until
 * then did so as the pod was meant to be, or is what they are mending.
 */
function isToBeMadeAgain({ group, specHash = '' }: Facts): boolean {
  const isKnown = group.conditions.some(({ type }) => type === 'IncorrectPodSpec');
  return !isKnown && group.pod?.shape.specHash === '' && specHash !== '';
}

function observe(condition: ConditionType, facts: Facts, { frozen, moments, anew }: Clock, step: StepBuilder): void {
  const { group, at: now } = facts;
  const judge = isOnItsWayOut(group) ? judgesOnTheWayOut[condition] : judges[condition];
  if (judge === undefined) return;

  const present = group.conditions.some(({ type }) => type === condition);
  const holds = frozen
    ? present || (condition === 'IncorrectPodSpec' && judge(facts) === true)
    : (judge(facts) ?? present);
  const restarts = anew && !frozen && failures.includes(condition);
  if (holds && (!present || restarts)) step.record({ record: 'condition-set', group: group.id, condition, since: now });
  if (!holds && present) step.record({ record: 'condition-cleared', group: group.id, condition });
  for (const at of moments) if ((judge({ ...facts, at }) ?? present) !== holds) step.wake(at);
}

function factsOf(survey: Survey, group: ProcessGroup): Facts {
  const { topology, processesOf } = survey.engine;
  const listsAny = topology !== undefined && topology.processes.length > 0;
  return {
    group,
    specHash: roleOf(survey, group)?.shape?.specHash,
    processesWanted: expectedProcesses(survey, group),
    processes: listsAny ? (processesOf.get(group.id) ?? []) : undefined,
    at: survey.snapshot.now,
  };
}

function missesProcesses({ processes, processesWanted }: Facts): boolean | undefined {
  if (processes === undefined) return undefined;
  const responding = processes.filter(({ responds }) => isTrue(responds)).length;
  const silent = processes.filter(({ responds }) => isFalse(responds)).length;
  if (responding >= processesWanted) return false;
  return processes.length - silent < processesWanted ? true : undefined;
}

function isPodFailing({ group, at }: Facts): boolean | undefined {
  const { pod } = group;
  if (pod === null) return false;
  const tooLong = terminatingTooLongAt(group);
  if (tooLong !== undefined && at >= tooLong) return true;
  if (pod.phase === 'Pending') return undefined;
  return pod.phase === 'Failed' || !pod.ready;
}

function terminatingTooLongAt({ pod }: ProcessGroup): Instant | undefined {
  return pod === null || pod.deletingSince === null ? undefined : dueAt(pod.deletingSince, terminatingTooLong);
}

/** Excluded although nothing of ours wants it to be: it takes up a place and does no work. */
function isExcluded(facts: Facts): boolean | undefined {
  const { group, processes } = facts;
  if (group.removal !== null || group.evacuationAt !== null) return false;
  if (processes === undefined || missesProcesses(facts) !== false) return undefined;
  if (processes.some(({ excluded }) => isTrue(excluded))) return true;
  return processes.every(({ excluded }) => isFalse(excluded)) ? false : undefined;
}
