import { EngineUnreachable } from '../engine.ts';
import type { ClusterStatus, ProcessStatus, Status } from './status.schema.ts';

/** A status that tells of the database, and of all its processes. */
export interface SoundStatus extends Status {
  readonly cluster: ClusterStatus & { readonly processes: Readonly<Record<string, ProcessStatus>> };
}

/** Throws `EngineUnreachable` where too little was answered to speak of the database at all, with what to do about it. */
export function soundStatus(status: Status): SoundStatus {
  const { client, cluster } = status;
  if (client?.coordinators?.quorum_reachable === false) throw new EngineUnreachable(noQuorum(status));
  if (cluster === undefined)
    throw new EngineUnreachable(
      'the status tells of the client and not of the cluster: no cluster controller answered',
    );
  if (neverCreated(status))
    throw new EngineUnreachable('no database was created yet: it is there after `configure new`');
  const incomplete = [...(client?.messages ?? []), ...(cluster.messages ?? [])].find(({ name }) =>
    // Processes that were too slow to be asked are missing from such an answer, and look as if they were gone.
    name.startsWith('status_incomplete_'),
  );
  if (incomplete !== undefined)
    throw new EngineUnreachable(`the status is not whole (${incomplete.name}): it is read again later`);
  const { processes } = cluster;
  if (processes === undefined || Object.keys(processes).length === 0)
    throw new EngineUnreachable(
      'the status lists no process, although someone must have answered: it is read again later',
    );
  return { ...status, cluster: { ...cluster, processes } };
}

/** The coordinators answer, and remember no database. */
export const neverCreated = ({ cluster }: Status): boolean =>
  cluster?.recovery_state?.name === 'configuration_never_created';

/** The database commits: until then every command but `status` waits for it. */
export function isAvailable({ client, cluster }: Status): boolean {
  return client?.database_status?.available === true && cluster?.database_available !== false;
}

function noQuorum({ client }: Status): string {
  const coordinators = client?.coordinators?.coordinators ?? [];
  const silent = coordinators.filter(({ reachable }) => reachable !== true).map(({ address }) => address);
  const listed = silent.length === 0 ? '' : ` (${silent.slice(0, 9).join(', ')})`;
  return `too few coordinators can be reached: ${silent.length} of ${coordinators.length} do not answer${listed}; are their pods running, and is the cluster file up to date?`;
}
