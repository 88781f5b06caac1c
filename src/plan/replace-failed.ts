import type { Step } from '../model/decision.ts';
import type { ConditionType, GroupCondition, ProcessGroup, RemovalCause } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import { dueAt } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { isHeldByCancel } from './held-by-cancel.ts';
import { InFlight } from './in-flight.ts';
import { inOrder } from './in-order.ts';
import { isTargeted } from './listed.ts';
import { reasonToWaitForLock } from './missing-lock.ts';
import { reasonNeverToReplace } from './replaceable.ts';
import { Room } from './room.ts';
import { idle, StepBuilder } from './step.ts';
import { taintBrake } from './tainted-zones.ts';
import { maintenanceOf } from './under-maintenance.ts';
import { waitsForFailed } from './waits-for-failed.ts';

/** The conditions that make a process group be replaced when it has had one of them for `failureDetectionTimeSeconds`. */
export const failures: readonly ConditionType[] = [
  'MissingProcesses',
  'PodFailing',
  'MissingPod',
  'MissingPVC',
  'MissingService',
  'PodPending',
  'ProcessIsMarkedAsExcluded',
];

/**
 * Marks the process groups that have failed for long enough, or have been to be replaced for a taint for long enough, by id, as many as
 * `replacements.maxConcurrentReplacements` leaves free. Nothing is marked while the engine is not known to serve.
 */
export function replaceFailed(survey: Survey): Step {
  const { ownsPods, replacements, buggify } = survey.snapshot.spec;
  if (!ownsPods || !replacements.enabled) return idle;
  const candidates = inOrder(survey.snapshot.processGroups).filter(isCandidate);
  if (candidates.length === 0) return idle;

  const step = new StepBuilder('replace-failed');
  if (buggify.emptyMonitorConf) {
    for (const { id } of candidates) step.hold(id, reasons.monitorConfEmpty({}));
    return step.build();
  }

  const limits = new Limits(survey);
  for (const group of candidates) {
    const exempt = reasonToExempt(survey, group);
    if (exempt === undefined) replaceWhenDue(survey, group, limits, step);
    else step.hold(group.id, exempt);
  }
  return step.build();
}

const isCandidate = (group: ProcessGroup): boolean =>
  group.removal === null && (failureOf(group) !== undefined || taintOf(group) !== undefined);

/** What keeps this one from being replaced however long it fails. */
function reasonToExempt(survey: Survey, group: ProcessGroup): Reason | undefined {
  const { id } = group;
  if (isHeldByCancel(survey, id)) return reasons.cancelled({ group: id });
  if (isTargeted(survey.snapshot.spec.buggify.crashLoop, id)) return reasons.crashLoopOnPurpose({ group: id });
  const maintenance = maintenanceOf(survey, group);
  if (maintenance !== undefined) return reasons.underMaintenance({ group: id, ...maintenance });
  // Another one would wait for the same lock.
  return reasonToWaitForLock(survey, group) ?? reasonNeverToReplace(survey, group);
}

/** Why this one is to be replaced now; the failure counts first, because no brake holds it. */
interface Cause {
  readonly cause: RemovalCause;
  readonly reason: Reason;
}

function replaceWhenDue(survey: Survey, group: ProcessGroup, limits: Limits, step: StepBuilder): void {
  const failure = failureCause(survey, group);
  const taint = failure !== undefined && 'cause' in failure ? undefined : taintCause(survey, group, limits);
  const due = [failure, taint].find((one): one is Cause => one !== undefined && 'cause' in one);
  if (due === undefined) {
    for (const wait of [failure, taint]) if (wait !== undefined && !('cause' in wait)) step.hold(group.id, wait);
    return;
  }
  const hold = limits.reasonAgainst(group);
  if (hold !== undefined) {
    step.hold(group.id, hold);
    return;
  }
  limits.take(group);
  step.record({ record: 'marked', group: group.id, cause: due.cause, withoutExclusion: false, reason: due.reason });
}

function failureCause({ snapshot }: Survey, group: ProcessGroup): Cause | Reason | undefined {
  const failure = failureOf(group);
  if (failure === undefined) return undefined;
  const { type: condition, since } = failure;
  const due = dueAt(since, snapshot.spec.replacements.failureDetectionTime);
  if (due !== undefined && snapshot.now < due) {
    return reasons.failureTooYoung({ group: group.id, condition, since, due });
  }
  return { cause: 'Failed', reason: reasons.failed({ group: group.id, condition, since }) };
}

function taintCause({ snapshot }: Survey, group: ProcessGroup, limits: Limits): Cause | Reason | undefined {
  const taint = taintOf(group);
  if (taint === undefined) return undefined;
  const due = dueAt(taint.since, snapshot.spec.replacements.taintReplacementTime);
  if (due !== undefined && snapshot.now < due) return reasons.taintHold({ group: group.id, due });
  const { brake } = limits;
  if (brake !== undefined) return reasons.taintBrake({ group: group.id, ...brake });
  const node = group.pod?.node ?? 'its node';
  const keys = group.taints.map(({ key }) => key).sort();
  return { cause: 'Tainted', reason: reasons.tainted({ group: group.id, node, keys }) };
}

/** The failure that has lasted longest. */
function failureOf({ conditions }: ProcessGroup): GroupCondition | undefined {
  let first: GroupCondition | undefined;
  for (const condition of conditions) {
    if (failures.includes(condition.type) && (first === undefined || isEarlier(condition, first))) first = condition;
  }
  return first;
}

const isEarlier = (a: GroupCondition, b: GroupCondition): boolean =>
  a.since === b.since ? failures.indexOf(a.type) < failures.indexOf(b.type) : a.since < b.since;

const taintOf = ({ conditions }: ProcessGroup): GroupCondition | undefined =>
  conditions.find(({ type }) => type === 'NodeTaintReplacing');

/** What holds back a replacement that is due. */
class Limits {
  readonly #survey: Survey;
  readonly #inFlight: InFlight;
  readonly #room: Room;
  #brake: ReturnType<typeof taintBrake> | 'not asked' = 'not asked';

  constructor(survey: Survey) {
    this.#survey = survey;
    this.#inFlight = new InFlight(survey, survey.snapshot.spec.replacements.maxConcurrentReplacements);
    this.#room = new Room(survey);
  }

  /** The mass event that holds taint replacement, where there is one. */
  get brake(): ReturnType<typeof taintBrake> {
    if (this.#brake === 'not asked') this.#brake = taintBrake(this.#survey);
    return this.#brake;
  }

  reasonAgainst(group: ProcessGroup): Reason | undefined {
    const full = this.#inFlight.full((other) => !waitsForFailed(this.#survey, other, group));
    return (
      reasonEngineIsNotServing(this.#survey, group) ??
      (full && reasons.replacementCap({ group: group.id, ...full })) ??
      this.#room.reasonAgainst(group)
    );
  }

  take(group: ProcessGroup): void {
    this.#inFlight.take();
    this.#room.take(group);
  }
}

/** An engine that is down makes everything look failed: then nothing is. */
function reasonEngineIsNotServing({ engine }: Survey, { id }: ProcessGroup): Reason | undefined {
  const subject = `${id} is not marked`;
  if (engine.topology === undefined) {
    const { unreachable = 'it was not read', since = 0 } = engine.unreachable ?? {};
    return reasons.engineUnreachable({ subject, why: unreachable, since });
  }
  const { available } = engine.topology.health;
  if (available === 'unknown') return reasons.factUnknown({ group: id, missing: 'whether the engine serves requests' });
  return available ? undefined : reasons.engineUnavailable({ subject });
}
