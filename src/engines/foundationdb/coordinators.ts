import type { ProcessId, QuorumId } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Known } from '../../model/known.ts';
import { unknown } from '../../model/known.ts';
import type { Quorum } from '../../model/topology.ts';
import { EngineUnreachable } from '../engine.ts';
import type { Address } from './address.ts';
import { parseAddress, withoutOrigin } from './address.ts';
import { coordinatorsIn } from './cluster-file.ts';
import type { ListedProcess } from './listed-process.ts';
import type { Status } from './status.schema.ts';

export interface Coordinator {
  /** As `coordinators` takes it, with port and flags. */
  readonly address: string;
  readonly at: Address;
  readonly reachable: Known<boolean>;
}

/**
 * Who the coordinators are: by the database's own word where it gives one, because the client's cluster file may be older. Throws
 * `EngineUnreachable` where the status does not tell: without them nobody knows who may go.
 */
export function coordinatorsOf({ client, cluster }: Status): readonly Coordinator[] {
  const asked = client?.coordinators?.coordinators ?? [];
  const known = coordinatorsIn(cluster?.connection_string ?? '') ?? asked.map(({ address }) => address);
  const coordinators = [...new Set(known.map(withoutOrigin))].map((address): Coordinator => {
    const at = parseAddress(address);
    if (at === undefined)
      throw new EngineUnreachable(`the status names a coordinator "${address}", which is no address`);
    const answer = asked.find((one) => withoutOrigin(one.address) === address);
    return { address, at, reachable: answer?.reachable ?? unknown };
  });
  if (coordinators.length === 0) throw new EngineUnreachable('the status does not tell who the coordinators are');
  return coordinators;
}

/** The process that is a coordinator; undefined where none is listed at its address. Of several the one that started last. */
export function processOf({ at }: Coordinator, processes: readonly ListedProcess[]): ListedProcess | undefined {
  const there = processes.filter((process) => isAt(process, at));
  return there.toSorted((a, b) => (a.status.uptime_seconds ?? 0) - (b.status.uptime_seconds ?? 0))[0];
}

/** Whether the process has the address of a coordinator, in one of the ways in which coordinators are known. */
export const isCoordinator = (process: ListedProcess, coordinators: readonly Coordinator[]): boolean =>
  coordinators.some(({ at }) => isAt(process, at));

function isAt({ address, dnsName }: Pick<ListedProcess, 'address' | 'dnsName'>, at: Address): boolean {
  if (address === undefined || address.port !== at.port) return false;
  return address.host === at.host || (dnsName !== null && dnsName === at.host);
}

/**
 * The coordinators as a quorum. One that is not among the processes is named by its address and is in no list of processes: it may belong to
 * any process group that the database does not list.
 */
export function coordinatorQuorum(coordinators: readonly Coordinator[], processes: readonly ListedProcess[]): Quorum {
  return {
    id: name<QuorumId>('coordinators'),
    name: 'the coordinators',
    members: coordinators.map((coordinator) => ({
      process: processOf(coordinator, processes)?.id ?? name<ProcessId>(coordinator.address),
      responds: coordinator.reachable,
      inSync: coordinator.reachable,
    })),
    leader: unknown,
    needed: Math.floor(coordinators.length / 2) + 1,
    membersMove: true,
  };
}
