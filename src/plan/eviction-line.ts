import type { DrainPod, PodToEvict } from '../model/drain.ts';

/**
 * An eviction takes at least 100 ms in the API server however fast the client is, so that only many at once make a drain fast; and beyond 32 there
 * is little to gain.
 */
export const mostInFlight = 32;

/**
 * Every eviction under a budget rewrites the status of that budget, which is as good as a lock: with very many at once they only get in each
 * other's way, for seconds, and end in conflicts. So many bring none yet, and three nodes full of pods of one budget are drained in four fifths of the
 * time that eight take.
 */
export const mostOfOneBudget = 24;

/** Of each workload one, then of each a second, and so on; otherwise in the order given. So no workload loses all its pods first. */
export function spreadOverWorkloads<T extends Pick<DrainPod, 'workload'> & PodToEvict>(
  pods: readonly T[],
): readonly PodToEvict[] {
  const seen = new Map<string, number>();
  const ranked = pods.map(({ workload, ...pod }) => {
    const of = workload ?? pod.precondition.uid;
    const rank = seen.get(of) ?? 0;
    seen.set(of, rank + 1);
    return { pod, rank };
  });
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ pod: { name, budgets, node, precondition } }) => ({ name, budgets, node, precondition }));
}

/**
 * Which of the line is sent next, while others are on their way; undefined: none may be, now. A budget takes as many at once as it allows
 * disruptions, but at least one, because what is known of it may be behind.
 */
export function nextInLine(
  line: readonly PodToEvict[],
  inFlight: readonly PodToEvict[],
  allowedBy: (budget: string) => number,
): PodToEvict | undefined {
  if (inFlight.length >= mostInFlight) return undefined;
  const hasRoom = (budget: string) => {
    const used = inFlight.filter(({ budgets }) => budgets.includes(budget)).length;
    return used < Math.max(1, Math.min(mostOfOneBudget, allowedBy(budget)));
  };
  return line.find(({ budgets }) => budgets.every(hasRoom));
}
