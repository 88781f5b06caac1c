import type { Taint } from '../../../kube/resources.ts';
import { conditionOf } from '../condition-view.ts';
import { type NodeView, readiness } from '../node-view.ts';

export const notReady = 'node.kubernetes.io/not-ready';
export const unreachable = 'node.kubernetes.io/unreachable';
export const outOfService = 'node.kubernetes.io/out-of-service';
const unschedulable = 'node.kubernetes.io/unschedulable';

/** The NoSchedule taints that conditions stand for (`nodeConditionToTaintKeyStatusMap`). */
const byCondition: readonly (readonly [type: string, status: string, taint: string])[] = [
  ['Ready', 'False', notReady],
  ['Ready', 'Unknown', unreachable],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];
const managed = new Set([...byCondition.map(([, , taint]) => taint), unschedulable]);

/** The taints with the NoSchedule ones as conditions and cordon ask for, or undefined where they are so already. */
export function withNoSchedule(node: NodeView, now: string): Taint[] | undefined {
  // A node of which nobody has said anything yet keeps the taint that it was born with.
  if (readiness(node) === '') return undefined;
  const wanted = byCondition
    .filter(([type, status]) => conditionOf(node, type)?.status === status)
    .map(([, , taint]) => taint);
  if (node.unschedulable) wanted.push(unschedulable);
  return swapped(node, 'NoSchedule', managed, wanted, now);
}

/** The taints with the NoExecute one of `wanted`, or with none: not-ready and unreachable exclude each other. */
export function withNoExecute(node: NodeView, wanted: string | undefined, now: string): Taint[] | undefined {
  return swapped(node, 'NoExecute', new Set([notReady, unreachable]), wanted === undefined ? [] : [wanted], now);
}

function swapped(
  { taints }: NodeView,
  effect: string,
  ours: ReadonlySet<string>,
  wanted: readonly string[],
  now: string,
): Taint[] | undefined {
  const isOurs = (taint: Taint) => taint.effect === effect && ours.has(taint.key);
  const kept = taints.filter((taint) => !isOurs(taint) || wanted.includes(taint.key));
  const added = wanted.filter((key) => !taints.some((taint) => isOurs(taint) && taint.key === key));
  if (added.length === 0 && kept.length === taints.length) return undefined;
  return [...kept, ...added.map((key) => ({ key, effect, timeAdded: now }))];
}
