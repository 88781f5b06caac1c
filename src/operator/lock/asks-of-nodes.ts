import type { NodeName } from '../../model/ids.ts';
import type { Node } from '../../model/node.ts';
import type { Pod, ProcessGroup } from '../../model/process-group.ts';
import type { Instant } from '../../model/time.ts';
import { dueAt, seconds } from '../../model/time.ts';
import { patience } from '../../plan/live-wish.ts';
import type { AskRow } from './ask-row.ts';
import { keyOf } from './ask-row.ts';

/** Written at most so often: who asks every five seconds is not written down every five seconds. */
export const writtenEvery = seconds(60);

interface Seen {
  readonly now: Instant;
  readonly groups: readonly Pick<ProcessGroup, 'id' | 'pod'>[];
  /** null: not known. */
  readonly nodes: readonly Node[] | null;
}

/**
 * The asks, and with an eviction on a cordoned node those of all others on it: whoever evicts there drains, and comes for them in a moment, or, where
 * drains have an order, later. They count as asked for 0 times: their leadership and data move, and they are not evicted on that account. On a node that
 * is not cordoned somebody wants one pod (a descheduler, a person), and means that one; a leaving taint asks for every pod by itself.
 */
export function withTheirNodes(rows: readonly AskRow[], { groups, now, nodes }: Seen): readonly AskRow[] {
  const known = new Map(rows.map((row) => [keyOf(row), row]));
  const cordoned = new Set((nodes ?? []).filter((node) => node.cordoned).map(({ name }) => name));
  for (const { node, by, lastSeen } of drainers(rows, cordoned, now)) {
    for (const { id, pod } of groups) {
      if (pod === null || pod.node !== node || isGoing(pod)) continue;
      const what = { group: id, pod: pod.uid, name: pod.name, node, source: 'Eviction', by } as const;
      const withNode: AskRow = { ...what, since: now, lastSeen, times: 0, cordoned: true, force: null, letGoAt: null };
      known.set(keyOf(what), continued(known.get(keyOf(what)), withNode, now));
    }
  }
  return [...known.values()];
}

/**
 * Who has given up one pod and goes on with others of its node does not want it evicted any more; until then its own ask stands, and is not renewed by
 * theirs.
 */
function continued(row: AskRow | undefined, withNode: AskRow, now: Instant): AskRow {
  if (row === undefined) return withNode;
  const { since } = row;
  if (row.times > 0) return row.letGoAt === null && isGivenUp(row, now) ? { ...withNode, since } : row;
  return withNode.lastSeen >= dueAt(row.lastSeen, writtenEvery) ? { ...withNode, since } : row;
}

const isGivenUp = ({ lastSeen }: Pick<AskRow, 'lastSeen'>, now: Instant): boolean => now >= dueAt(lastSeen, patience);

const isGoing = ({ phase, deletingSince }: Pod): boolean =>
  deletingSince !== null || phase === 'Succeeded' || phase === 'Failed';

interface Drainer {
  readonly node: NodeName;
  readonly by: string;
  readonly lastSeen: Instant;
}

/** Who evicts pods that are still there from nodes that are cordoned, and when last. */
function drainers(rows: readonly AskRow[], cordoned: ReadonlySet<NodeName>, now: Instant): Iterable<Drainer> {
  const found = new Map<string, Drainer>();
  for (const { node, by, source, times, letGoAt, lastSeen } of rows) {
    if (source !== 'Eviction' || times === 0 || letGoAt !== null || isGivenUp({ lastSeen }, now)) continue;
    if (node === null || !cordoned.has(node)) continue;
    const known = found.get(`${node} ${by}`);
    if (known === undefined || known.lastSeen < lastSeen) found.set(`${node} ${by}`, { node, by, lastSeen });
  }
  return found.values();
}
