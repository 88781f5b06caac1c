import type { NodeName } from '../model/ids.ts';
import type { Taint } from '../model/node.ts';
import type { ProcessGroup, TaintClock } from '../model/process-group.ts';
import type { Instant } from '../model/time.ts';
import { earliest } from '../model/time.ts';

/**
 * Since when each of these taints has been on the node: its own `timeAdded`, or the moment at which it was first seen, which the row keeps.
 * A taint that was taken off and put on again while nobody looked counts from its new `timeAdded`, so that nothing is replaced early. Two
 * taints with one key are one: the key has been on the node since the first of them.
 */
export function clocksOf(group: ProcessGroup, node: NodeName, taints: readonly Taint[], now: Instant): TaintClock[] {
  const recorded = new Map(group.taints.filter((clock) => (clock.node ?? node) === node).map((one) => [one.key, one]));
  return [...Map.groupBy(taints, ({ key }) => key)]
    .map(([key, same]) => ({ key, since: sinceWhen(group, recorded.get(key), same, now), node }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

function sinceWhen(group: ProcessGroup, known: TaintClock | undefined, same: readonly Taint[], now: Instant): Instant {
  const added = earliest(...same.map(({ timeAdded }) => timeAdded ?? undefined));
  if (known === undefined) return wereStopped(group) ? now : (added ?? now);
  const isAddedAnew = added !== undefined && added > known.since && same.every(({ timeAdded }) => timeAdded !== null);
  return isAddedAnew ? added : known.since;
}

/** A cancel takes the clocks away and leaves the condition: once no longer listed, they start anew. */
const wereStopped = ({ taints, conditions }: ProcessGroup): boolean =>
  taints.length === 0 && conditions.some(({ type }) => type === 'NodeTaintDetected');

/** Whether a row has these clocks already. */
export function sameClocks(row: readonly TaintClock[], seen: readonly TaintClock[]): boolean {
  if (row.length !== seen.length) return false;
  return seen.every((clock) =>
    row.some(
      ({ key, since, node }) =>
        key === clock.key && since === clock.since && (node === undefined || node === clock.node),
    ),
  );
}
