import type { ProcessId } from '../../model/ids.ts';
import type { Topology } from '../../model/topology.ts';

export const keepsACopyOfAll = ({ units }: Topology, gone: ReadonlySet<string>): boolean =>
  units.every(({ replicas }) =>
    replicas.some(
      ({ process, state, inSync, doomed }) => state === 'healthy' && inSync === true && !doomed && !gone.has(process),
    ),
  );

export const keepsEveryQuorum = ({ quorums }: Topology, gone: ReadonlySet<string>): boolean =>
  quorums.every(
    ({ members, needed }) =>
      members.filter(({ process, inSync }) => inSync === true && !gone.has(process)).length >= needed,
  );

/** The processes of these process groups. */
export const processesOf = ({ processes }: Topology, groups: ReadonlySet<string>): ReadonlySet<ProcessId> =>
  new Set(processes.flatMap(({ id, group }) => (groups.has(group ?? id) ? [id] : [])));
