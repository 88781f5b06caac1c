import type { Topology } from '../../../model/topology.ts';
import type { StoreJob } from '../replicated-store/jobs.ts';

const verbs = { HandOff: 'hand-off', Evacuate: 'evacuate' } as const;
const states = { Running: 'running', Done: 'done', Failed: 'failed' } as const;

/** What a model engine says of itself, as a server of the contract writes it. Processes are found by their process groups. */
export function contractDocument({ processes, units, quorums, health }: Topology, jobs: readonly StoreJob[]): object {
  const groupOf = new Map(processes.map(({ id, group }) => [id, group ?? id]));
  return {
    processes: processes.map(({ group, startedAt, ...process }) => ({
      ...process,
      pod: group,
      startedAt: startedAt === null ? null : new Date(startedAt).toISOString(),
    })),
    units,
    quorums: quorums.map(({ id, name, members, leader, needed }) => ({ id, name, members, leader, needed })),
    health: { available: health.available, fullyReplicated: health.fullyReplicated },
    jobs: jobs.flatMap(({ verb, process, state, since, message }) => {
      if (state === 'Cancelled') return [];
      const group = groupOf.get(process) ?? process;
      return [{ verb: verbs[verb], group, state: states[state], since: new Date(since).toISOString(), message }];
    }),
  };
}
