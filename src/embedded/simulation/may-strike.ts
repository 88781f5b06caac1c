import { isDeleting, podsOf } from '../cluster/pod-view.ts';
import { namespace } from './subject.ts';
import type { SimulatedWorld } from './world.ts';

/**
 * Whether the world may take these pods down just now. It never takes the last copy or a majority by itself, and it does not strike between
 * the operator's looking and its doing: then a loss would be nobody's fault, and a run could prove nothing.
 */
export function mayStrike({ operator, subject, cluster }: SimulatedWorld, victims: readonly string[]): boolean {
  if (operator.isAtWork) return false;
  const { rows, grants } = subject.recorded();
  const topology = subject.model.whole();
  const groupOf = (pod: string): string[] => [subject.groupOf('pod', pod) ?? []].flat();
  const gone = new Set<string>([
    ...victims.flatMap(groupOf),
    ...topology.processes.flatMap(({ id, group, responds }) => (responds === true ? [] : [group ?? id])),
    ...rows.flatMap(({ id, removingAt }) => (removingAt === null ? [] : [id])),
    ...grants.map(({ group }) => group),
    ...[...podsOf(cluster.world, namespace)].flatMap((pod) => (isDeleting(pod) ? groupOf(pod.name) : [])),
  ]);
  return subject.endures(topology, gone);
}
