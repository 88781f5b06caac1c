import type { Topology } from '../../model/topology.ts';
import { isDeleting, podsOf } from '../cluster/pod-view.ts';
import type { SimulatedWorld } from './world.ts';
import { namespace } from './world.ts';

/**
 * Whether the world may take these pods down just now. It never takes the last copy or a majority by itself, and it does not strike between
 * the operator's looking and its doing: then a loss would be nobody's fault, and a run could prove nothing.
 */
export function mayStrike({ operator, database, cluster, judge }: SimulatedWorld, victims: readonly string[]): boolean {
  if (operator.isAtWork) return false;
  const { rows, grants } = judge.recorded();
  const topology = database.model.whole();
  const gone = new Set<string>([
    ...victims,
    ...topology.processes.flatMap(({ id, responds }) => (responds === true ? [] : [id])),
    ...rows.flatMap(({ id, removingAt }) => (removingAt === null ? [] : [id])),
    ...grants.map(({ group }) => group),
    ...[...podsOf(cluster.world, namespace)].flatMap((pod) => (isDeleting(pod) ? [pod.name] : [])),
  ]);
  return keepsACopyOfAll(topology, gone) && keepsEveryQuorum(topology, gone);
}

const keepsACopyOfAll = ({ units }: Topology, gone: ReadonlySet<string>): boolean =>
  units.every(({ replicas }) =>
    replicas.some(
      ({ process, state, inSync, doomed }) => state === 'healthy' && inSync === true && !doomed && !gone.has(process),
    ),
  );

const keepsEveryQuorum = ({ quorums }: Topology, gone: ReadonlySet<string>): boolean =>
  quorums.every(
    ({ members, needed }) =>
      members.filter(({ process, inSync }) => inSync === true && !gone.has(process)).length >= needed,
  );
