import type { Status } from './status.schema.ts';

/** `RecoveryStatus` in FoundationDB: before it accepts commits, the database is not available. */
const notRecovered = new Set([
  'reading_coordinated_state',
  'locking_coordinated_state',
  'locking_old_transaction_servers',
  'reading_transaction_system_state',
  'configuration_missing',
  'configuration_never_created',
  'configuration_invalid',
  'recruiting_transaction_servers',
  'initializing_transaction_servers',
  'recovery_transaction',
  'writing_coordinated_state',
]);

/** What cannot all be so; undefined where the document fits together. */
export function contradictionIn({ client, cluster }: Status): string | undefined {
  const available = client?.database_status?.available;
  const quorum = client?.coordinators?.quorum_reachable;
  const { name: recovery, active_generations: generations } = cluster?.recovery_state ?? {};
  const tooFew = quorum === true ? tooFewReachable(client?.coordinators?.coordinators ?? []) : undefined;
  if (tooFew !== undefined) return `a quorum of coordinators is reachable, and ${tooFew}`;
  if (available !== true) return undefined;
  if (quorum === false) return 'the database is available without a quorum of coordinators';
  if (cluster?.database_available === false) return 'the database is available to the client, and is not available';
  if (recovery !== undefined && notRecovered.has(recovery)) return `the database is available in state ${recovery}`;
  if (generations !== undefined && generations < 1)
    return `the database is available with ${generations} log generations`;
  return undefined;
}

function tooFewReachable(coordinators: readonly { readonly reachable?: boolean | undefined }[]): string | undefined {
  const reachable = coordinators.filter((coordinator) => coordinator.reachable !== false).length;
  return reachable > coordinators.length / 2 || coordinators.length === 0
    ? undefined
    : `only ${reachable} of ${coordinators.length} are`;
}
