import type { NodeName } from '../../model/ids.ts';
import type { ProcessGroup } from '../../model/process-group.ts';
import type { Instant } from '../../model/time.ts';
import { dueAt, seconds } from '../../model/time.ts';
import type { AskRow } from './ask-row.ts';
import { keyOf } from './ask-row.ts';

/** Written at most so often: who asks every five seconds is not written down every five seconds. */
export const writtenEvery = seconds(60);

interface Seen {
  readonly now: Instant;
  readonly groups: readonly Pick<ProcessGroup, 'id' | 'pod'>[];
  /** Whether a node is known to be left: cordoned, or marked by a leaving taint. */
  readonly isLeft: (node: NodeName) => boolean;
  /** Whether its own asker was just heard: then it is written down when that is due, with how often. */
  readonly isHeard: (row: AskRow) => boolean;
}

/**
 * The asks, and with an eviction on a node that is being left those of all others on it: whoever evicts there drains, and comes for them in a moment,
 * or, where drains have an order, in an hour. They count as asked for 0 times: their data moves, and they are not let go. On a node that is not left
 * somebody wants one pod (a descheduler, a person), and means that one.
 */
export function withTheirNodes(rows: readonly AskRow[], { groups, now, isLeft, isHeard }: Seen): readonly AskRow[] {
  const known = new Map(rows.map((row) => [keyOf(row), row]));
  for (const { node, by, lastSeen } of drainers(rows, isLeft)) {
    for (const { id, pod } of groups) {
      if (pod === null || pod.node !== node || pod.deletingSince !== null) continue;
      const what = { group: id, pod: pod.uid, name: pod.name, node, source: 'Eviction', by } as const;
      const withNode: AskRow = { ...what, since: now, lastSeen, times: 0, cordoned: true, force: null, letGoAt: null };
      const row = known.get(keyOf(what)) ?? withNode;
      const isDue = row === withNode || (!isHeard(row) && lastSeen >= dueAt(row.lastSeen, writtenEvery));
      if (isDue) known.set(keyOf(what), { ...row, lastSeen });
    }
  }
  return [...known.values()];
}

interface Drainer {
  readonly node: NodeName;
  readonly by: string;
  readonly lastSeen: Instant;
}

/** Who evicts pods that are still there from nodes that are being left, and when last. */
function drainers(rows: readonly AskRow[], isLeft: Seen['isLeft']): Iterable<Drainer> {
  const found = new Map<string, Drainer>();
  for (const { node, by, source, times, letGoAt, lastSeen } of rows) {
    if (source !== 'Eviction' || times === 0 || letGoAt !== null || node === null || !isLeft(node)) continue;
    const known = found.get(`${node} ${by}`);
    if (known === undefined || known.lastSeen < lastSeen) found.set(`${node} ${by}`, { node, by, lastSeen });
  }
  return found.values();
}
