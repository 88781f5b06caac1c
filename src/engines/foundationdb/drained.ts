import type { Known } from '../../model/known.ts';
import { unknown } from '../../model/known.ts';
import type { Coordinator } from './coordinators.ts';
import { isCoordinator } from './coordinators.ts';
import type { ListedProcess } from './listed-process.ts';
import { isAvailable } from './sound-status.ts';
import type { Status } from './status.schema.ts';

/** With these the status knows not all roles (research 3.8). */
const untrusted = new Set([
  'unreadable_configuration',
  'full_replication_timeout',
  'storage_servers_error',
  'log_servers_error',
]);

/** More than one: old generations may hold what is nowhere else. */
const trustedGenerations = 1;

/**
 * Whether what the status says of roles can be taken at its word, that nobody has a role who is not said to have one: the database is up, its
 * logs are of one generation, and nothing that it should have asked was too slow to answer.
 */
export function tellsAllRoles(status: Status): boolean {
  const generations = generationsOf(status);
  const { messages } = status.cluster ?? {};
  return (
    isAvailable(status) &&
    generations !== unknown &&
    generations <= trustedGenerations &&
    messages !== undefined &&
    !messages.some(({ name }) => untrusted.has(name))
  );
}

/**
 * Whether a process holds nothing any more: excluded, without any role, and no coordinator. Yes only where the status tells all roles; no
 * return of `exclude` is ever taken for it, because that returns at once for a locality that nobody has.
 */
export function isDrained(
  process: ListedProcess,
  excluded: Known<boolean>,
  { status, coordinators }: { readonly status: Status; readonly coordinators: readonly Coordinator[] },
): Known<boolean> {
  if (excluded !== true) return excluded;
  // A recovery hides roles, it does not end them; and it shows some that are about to end.
  if (!isAvailable(status)) return unknown;
  const { roles } = process.status;
  if ((roles !== undefined && roles.length > 0) || isCoordinator(process, coordinators)) return false;
  const certain =
    roles !== undefined && process.address !== undefined && tellsAllRoles(status) && !isUnreachable(process, status);
  return certain ? true : unknown;
}

/** The database lists it and got no answer from it. */
export function isUnreachable({ status: { address } }: ListedProcess, { cluster }: Status): boolean {
  const silent = (cluster?.messages ?? []).flatMap(({ unreachable_processes = [] }) => unreachable_processes);
  return address !== undefined && silent.some((process) => process.address === address);
}

/** How many generations of logs hold data. Each of them has its entry in `logs`, also in releases that do not count them. */
export function generationsOf({ cluster }: Status): Known<number> {
  const counted = cluster?.recovery_state?.active_generations;
  const listed = cluster?.logs?.length;
  if (counted === undefined) return listed === undefined || listed === 0 ? unknown : listed;
  return Math.max(counted, listed ?? 0);
}
