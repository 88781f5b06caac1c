import type { Refusal } from './filters.ts';

/** The scheduler's sentence about a pod that fits nowhere, word for word as 1.36.3 says it. */
export function fitError(refusals: readonly Refusal[], obstacle: string | undefined): string {
  const head = `0/${refusals.length} nodes are available:`;
  if (refusals.length === 0) return 'no nodes available to schedule pods';
  // Two plugins are asked whether they can help. The second words are those of the real ones, also where they make no sense.
  if (obstacle !== undefined) return `${head} ${obstacle}. not found`;
  const without = refusals.map(({ resolvable }) =>
    resolvable ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
  );
  const reasons = histogram(refusals.flatMap(({ reasons }) => reasons));
  return `${head} ${reasons}. no new claims to deallocate, preemption: ${head} ${histogram(without)}.`;
}

/** `3 Insufficient cpu, 1 node(s) were unschedulable`: sorted as texts, so 10 comes before 2. */
function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}
