import { decide } from '../../src/decide.ts';
import type { GuardedPod, Published } from '../../src/operator/lock/desk.ts';
import { rulesFor } from '../../src/rules/role-table.ts';
import { largeSnapshot } from '../decide/large-snapshot.ts';

const groups = 100;

/** What the controller lays down about a cluster of 100 process groups that all hold data and are all asked to leave. */
export function heldCluster(): Published {
  const snapshot = largeSnapshot(groups, 2, 1000);
  const pods = new Map<string, GuardedPod>();
  for (const { id, role, pod } of snapshot.processGroups) {
    const locked = rulesFor(snapshot.spec.engine, role)?.locked !== false;
    if (pod !== null) pods.set(pod.name, { group: id, pod, locked });
  }
  return { decision: decide(snapshot), pods, asks: [], leaving: new Set(snapshot.nodes?.map((node) => node.name)) };
}
