import type { Random } from '../../../kube/random.ts';
import { randomInteger } from '../../../kube/random.ts';
import type { NodeView } from '../node-view.ts';
import { zoneOf } from '../node-view.ts';
import type { PodView } from '../pod-view.ts';
import { untolerated } from '../tolerations.ts';
import type { Candidate } from './placement-view.ts';
import { companyOf } from './topology-spread.ts';

/**
 * The best of the nodes that will do: fewest taints that only discourage, then spread as the pod wishes, then apart from pods of the same owner
 * (by node, then by zone), then the emptiest. Among equals chance decides, as in the real scheduler.
 */
export function chooseNode(
  pod: PodView,
  fitting: readonly Candidate[],
  all: readonly Candidate[],
  random: Random,
): Candidate | undefined {
  let best: Candidate[] = [];
  let bestRank: readonly number[] = [];
  const company = companyOf(pod, all);
  for (const candidate of fitting) {
    const rank = rankOf(pod, candidate, all, company);
    const order = best.length === 0 ? -1 : compare(rank, bestRank);
    if (order > 0) continue;
    if (order < 0) best = [];
    best.push(candidate);
    bestRank = rank;
  }
  return best.length < 2 ? best[0] : best[randomInteger(random, 0, best.length)];
}

/** Smaller is better, the first difference counts. */
function rankOf(
  pod: PodView,
  { node, pods, requested }: Candidate,
  all: readonly Candidate[],
  company: (node: NodeView) => number,
): readonly number[] {
  const isSibling = (other: PodView) => pod.controller !== undefined && other.controller?.uid === pod.controller.uid;
  const inZone = all.filter((other) => zoneOf(other.node) === zoneOf(node)).flatMap((other) => other.pods);
  const share = (name: string) => (requested.get(name) ?? 0) / (node.allocatable.get(name) ?? 1);
  return [
    untolerated(node.taints, pod.tolerations, ['PreferNoSchedule']) === undefined ? 0 : 1,
    company(node),
    pods.filter(isSibling).length,
    inZone.filter(isSibling).length,
    Math.round((share('cpu') + share('memory')) * 100),
    pods.length,
  ];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
