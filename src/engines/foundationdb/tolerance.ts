import type { Known } from '../../model/known.ts';
import { unknown } from '../../model/known.ts';
import { count } from '../../model/phrases.ts';
import type { ClusterStatus, Status } from './status.schema.ts';

type Logs = NonNullable<ClusterStatus['logs']>[number];
type Coordinators = NonNullable<NonNullable<NonNullable<Status['client']>['coordinators']>['coordinators']>;

/**
 * What falls short of the redundancy that the database is set to (research 3.8): all its logs have to bear one loss less than they have
 * copies, and every coordinator has to answer. What is known to fall short is told, whatever else is unknown.
 */
export function toleranceLacks({ client, cluster }: Status): Known<readonly string[]> {
  const logs = cluster?.logs ?? [];
  const coordinators = client?.coordinators?.coordinators ?? [];
  const found = [...logs.flatMap(logsLack), ...coordinatorsLack(coordinators)];
  const lacks = [...new Set(found.filter((lack) => lack !== unknown))];
  const isTold = logs.length > 0 && coordinators.length > 0 && !found.includes(unknown);
  return lacks.length > 0 || isTold ? lacks : unknown;
}

/** One generation. Only databases in several regions have logs that are remote or of a satellite. */
function logsLack(logs: Logs): readonly Known<string>[] {
  return [
    ...logsBear('its logs', logs.log_replication_factor ?? unknown, logs.log_fault_tolerance),
    ...logsBear('its remote logs', logs.remote_log_replication_factor ?? 0, logs.remote_log_fault_tolerance),
    ...logsBear('its satellite logs', logs.satellite_log_replication_factor ?? 0, logs.satellite_log_fault_tolerance),
  ];
}

function logsBear(what: string, copies: Known<number>, losses: number | undefined): readonly Known<string>[] {
  if (copies === 0) return [];
  if (copies === unknown || losses === undefined) return [unknown];
  return losses >= copies - 1
    ? []
    : [`${what} bear the loss of ${count(Math.max(0, losses), 'zone')}, not of ${copies - 1}`];
}

function coordinatorsLack(coordinators: Coordinators): readonly Known<string>[] {
  return coordinators.flatMap(({ address, reachable }) =>
    reachable === undefined ? [unknown] : reachable ? [] : [`coordinator ${address} does not answer`],
  );
}
