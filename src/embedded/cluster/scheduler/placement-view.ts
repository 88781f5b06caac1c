import type { World } from '../../api-server/world.ts';
import { type NodeView, nodesOf } from '../node-view.ts';
import { hasEnded, type PodView, podsOf } from '../pod-view.ts';
import { schedulingView } from './scheduling-view.ts';

/** A node with what is on it. */
export interface Candidate {
  readonly node: NodeView;
  readonly pods: readonly PodView[];
  /** What its pods ask for together, in thousandths. */
  readonly requested: ReadonlyMap<string, number>;
}

/**
 * Who is where at this moment. `assumed` are pods for which a node was chosen and whose disks are being made: they count as if they were there.
 * Pods that have ended take no room.
 */
export function placementView(world: World, assumed: ReadonlyMap<string, string>): Candidate[] {
  const byNode = new Map<string, PodView[]>(nodesOf(world).map((node) => [node.name, []]));
  for (const pod of podsOf(world)) {
    const node = pod.nodeName === '' ? assumed.get(pod.uid) : pod.nodeName;
    if (node !== undefined && !hasEnded(pod)) byNode.get(node)?.push(pod);
  }
  return nodesOf(world).map((node) => candidate(node, byNode.get(node.name) ?? []));
}

function candidate(node: NodeView, pods: readonly PodView[]): Candidate {
  const requested = new Map<string, number>();
  for (const pod of pods) {
    for (const [name, amount] of schedulingView(pod.object).requests) {
      requested.set(name, (requested.get(name) ?? 0) + amount);
    }
  }
  return { node, pods, requested };
}
