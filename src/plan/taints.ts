import type { StatusRecord, Step } from '../model/decision.ts';
import type { NodeName, ProcessGroupId } from '../model/ids.ts';
import type { Node } from '../model/node.ts';
import type { ConditionType, ProcessGroup, TaintClock } from '../model/process-group.ts';
import type { Reason } from '../model/reason.ts';
import { reasons } from '../model/reasons.ts';
import type { Instant } from '../model/time.ts';
import { dueAt, earliest } from '../model/time.ts';
import type { Survey } from '../rules/survey.ts';
import { isHeldByCancel } from './held-by-cancel.ts';
import { isOnItsWayOut } from './in-flight.ts';
import { inOrder } from './in-order.ts';
import { StepBuilder } from './step.ts';
import { clocksOf, sameClocks } from './taint-clocks.ts';
import { TaintOptions } from './taint-options.ts';
import { maintenanceOf } from './under-maintenance.ts';

/**
 * Which process groups are on tainted nodes. `NodeTaintDetected` at once; `NodeTaintReplacing` when one of the taints has been on the node
 * for its duration, each by its own clock. `NodeTaintReplacing` stays when the taint goes away: only a cancel, or emptying the options before
 * the group is marked, clears it. Without options no node is looked at.
 */
export function observeTaints(survey: Survey): Step {
  const step = new StepBuilder('taints');
  const { spec, processGroups } = survey.snapshot;
  const options = new TaintOptions(spec.replacements);
  if (options.off) {
    for (const group of inOrder(processGroups)) forgetTaints(group, step);
    return step.build();
  }
  if (survey.nodes === undefined) return step.hold(null, reasons.nodesUnreadable({})).build();

  for (const group of inOrder(processGroups)) {
    const node = group.pod?.node ?? null;
    // Not scheduled: there is no node to look at, and what was seen of the last one stays.
    if (node !== null) observe(survey, options, { group, name: node, node: survey.nodes.get(node) }, step);
  }
  return step.build();
}

interface Place {
  readonly group: ProcessGroup;
  readonly name: NodeName;
  /** undefined: the node object is gone while its pod remains. */
  readonly node: Node | undefined;
}

function observe(survey: Survey, options: TaintOptions, place: Place, step: StepBuilder): void {
  const maintenance = maintenanceOf(survey, place.group);
  if (maintenance === undefined) {
    const { records, holds, next } = look(survey, options, place, survey.snapshot.now);
    for (const record of records) step.record(record);
    for (const hold of holds) step.hold(place.group.id, hold);
    step.wake(next);
    return;
  }
  const { until } = maintenance;
  const { records, holds, next, isToBeReplaced } = look(survey, options, place, until);
  const { id } = place.group;
  if (isToBeReplaced === true) step.hold(id, reasons.underMaintenance({ group: id, ...maintenance }));
  step.wake(records.length + holds.length > 0 ? until : next);
}

interface Sight {
  readonly records: readonly StatusRecord[];
  readonly holds: readonly Reason[];
  /** When a taint will have been there for its duration. */
  readonly next?: Instant | undefined;
  /** A taint leads to a replacement, now or later, which nothing else tells of yet. */
  readonly isToBeReplaced?: boolean;
}

/** What there is to say of the taints at this moment. */
function look(survey: Survey, options: TaintOptions, { group, name, node }: Place, at: Instant): Sight {
  const lost = node === undefined ? [reasons.nodeUnknown({ group: group.id, node: name })] : [];
  // A node that is gone is lost, not pardoned: the clocks that ran on it run on.
  const clocks = node === undefined ? group.taints : clocksOf(group, name, options.matching(node), at);
  const stopped = isHeldByCancel(survey, group.id);
  const records: StatusRecord[] = seen(group, stopped ? [] : clocks);
  if (isOnItsWayOut(group)) return { records, holds: lost };

  if (node !== undefined) records.push(...detected(group, clocks, at));
  if (stopped || has(group, 'NodeTaintReplacing')) return { records, holds: lost };

  const timed = clocks.map((clock) => ({ clock, due: dueAt(clock.since, options.durationOf(clock.key) ?? 'never') }));
  const next = earliest(...timed.map(({ due }) => due));
  const tellsOfReplacement = group.removal === null && survey.snapshot.spec.replacements.enabled;
  const isToBeReplaced = tellsOfReplacement && next !== undefined;
  if (next !== undefined && next <= at) {
    records.push({ record: 'condition-set', group: group.id, condition: 'NodeTaintReplacing', since: at });
    return { records, holds: lost, isToBeReplaced };
  }
  const holds = [...lost, ...(tellsOfReplacement ? waiting(group.id, timed, next) : [])];
  return { records, holds, next, isToBeReplaced };
}

function seen(group: ProcessGroup, taints: readonly TaintClock[]): StatusRecord[] {
  return sameClocks(group.taints, taints) ? [] : [{ record: 'taints-seen', group: group.id, taints }];
}

function detected(group: ProcessGroup, clocks: readonly TaintClock[], now: Instant): StatusRecord[] {
  const condition = 'NodeTaintDetected';
  const present = has(group, condition);
  if (clocks.length === 0) return present ? [{ record: 'condition-cleared', group: group.id, condition }] : [];
  if (present) return [];
  const since = earliest(now, ...clocks.map((clock) => clock.since)) ?? now;
  return [{ record: 'condition-set', group: group.id, condition, since }];
}

interface Timed {
  readonly clock: TaintClock;
  readonly due: Instant | undefined;
}

function waiting(group: ProcessGroupId, timed: readonly Timed[], next: Instant | undefined): readonly Reason[] {
  const first = timed.find(({ due }) => due === next);
  if (first === undefined) return [];
  const { key } = first.clock;
  return [next === undefined ? reasons.taintIgnored({ group, key }) : reasons.taintTooYoung({ group, key, due: next })];
}

function forgetTaints(group: ProcessGroup, step: StepBuilder): void {
  for (const record of seen(group, [])) step.record(record);
  const forgotten: ConditionType[] = ['NodeTaintDetected'];
  if (group.removal === null) forgotten.push('NodeTaintReplacing');
  for (const condition of forgotten) {
    if (has(group, condition)) step.record({ record: 'condition-cleared', group: group.id, condition });
  }
}

const has = ({ conditions }: ProcessGroup, condition: ConditionType): boolean =>
  conditions.some(({ type }) => type === condition);
