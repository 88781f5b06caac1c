import { formatConnectionString } from '../connection-string.ts';
import type { FdbParts } from '../fdb-parts.ts';
import type { Figures } from '../figures.ts';
import { figuresOf } from '../figures.ts';
import { faultTolerance } from '../log-generation.ts';
import { processesStatus } from './process-status.ts';

/** What `status json` prints: the paths of research 4.2, and nothing that contradicts them. */
export function statusOf(parts: FdbParts, quorumReachable: boolean): object {
  const figures = quorumReachable && parts.transactions.isUp ? figuresOf(parts) : undefined;
  return {
    client: clientStatus(parts, quorumReachable, figures),
    cluster: clusterStatus(parts, quorumReachable, figures),
  };
}

/** `figures`: undefined where the database does not serve. */
function clientStatus(
  { coordinators, state }: FdbParts,
  quorumReachable: boolean,
  figures: Figures | undefined,
): object {
  const available = figures !== undefined;
  const healthy = available && dataState(figures).healthy;
  const reachable = new Set(coordinators.reachable().map(({ address }) => address));
  return {
    cluster_file: { path: '/etc/foundationdb/fdb.cluster', up_to_date: true },
    coordinators: {
      coordinators: coordinators.addresses.map((address) => ({
        address,
        protocol: '0fdb00b073000000',
        reachable: reachable.has(address),
      })),
      quorum_reachable: quorumReachable,
    },
    database_status: { available, healthy },
    messages: quorumReachable
      ? []
      : [{ description: 'Unable to reach a quorum of coordinators.', name: 'quorum_not_reachable' }],
    timestamp: Math.floor(state.options.clock.now() / 1000),
  };
}

function clusterStatus(parts: FdbParts, quorumReachable: boolean, figures: Figures | undefined): object {
  const { state, coordinators, transactions } = parts;
  if (!quorumReachable) return { layers: { _valid: false } };
  const general = {
    cluster_controller_timestamp: Math.floor(state.options.clock.now() / 1000),
    connection_string: coordinators.connection === null ? '' : formatConnectionString(coordinators.connection),
    incompatible_connections: incompatibleConnections(parts),
    layers: { _valid: transactions.isUp },
    messages: clusterMessages(parts),
    processes: withGaps(parts, processesStatus(parts)),
    protocol_version: 'fdb00b073000000',
    recovery_state: recoveryState(parts),
  };
  return figures === undefined ? general : { ...general, ...databaseStatus(parts, figures) };
}

/** What only a database that is up can tell. */
function databaseStatus(parts: FdbParts, figures: Figures): object {
  const { maintenance } = parts;
  const lag = { seconds: figures.worstLag, versions: Math.round(figures.worstLag * 1_000_000) };
  const queue = Math.round(figures.worstLag * 1024 * 1024);
  return {
    bounce_impact: { can_clean_bounce: true },
    clients: { count: 0, supported_versions: [] },
    configuration: configurationStatus(parts),
    data: dataStatus(parts, figures),
    database_available: true,
    fault_tolerance: {
      max_zone_failures_without_losing_availability: figures.zonesForService,
      max_zone_failures_without_losing_data: figures.zonesForData,
    },
    full_replication: figures.fullReplication,
    generation: parts.transactions.generation,
    logs: logsStatus(parts),
    ...(maintenance.zone === null
      ? {}
      : { maintenance_seconds_remaining: maintenance.secondsLeft, maintenance_zone: maintenance.zone }),
    ...(parts.answers === 'partial'
      ? {}
      : {
          qos: {
            worst_data_lag_storage_server: lag,
            worst_durability_lag_storage_server: lag,
            worst_queue_bytes_log_server: queue,
            worst_queue_bytes_storage_server: queue,
          },
        }),
    machines: {},
  };
}

function configurationStatus({ state, coordinators }: FdbParts): object {
  const configuration = state.configuration;
  const excluded = [...state.exclusions.list('excluded'), ...state.exclusions.list('failed')];
  return {
    commit_proxies: configuration?.commitProxies ?? 0,
    coordinators_count: coordinators.addresses.length,
    excluded_servers: excluded.map((token) =>
      token.startsWith('locality_') ? { locality: token } : { address: token },
    ),
    grv_proxies: configuration?.grvProxies ?? 0,
    logs: configuration?.logs ?? 0,
    redundancy_mode: configuration?.redundancyMode ?? 'single',
    resolvers: configuration?.resolvers ?? 0,
    storage_engine: configuration?.storageEngine ?? 'none',
    usable_regions: 1,
  };
}

/** Priorities of FoundationDB's data distribution, by what is wrong. */
function dataState({ copies, healing, minReplicasRemaining }: Figures): {
  readonly healthy: boolean;
  readonly name: string;
  readonly priority: number;
} {
  if (minReplicasRemaining === 0) return { healthy: false, name: 'missing_data', priority: 999 };
  if (minReplicasRemaining < copies)
    return { healthy: false, name: 'healing', priority: minReplicasRemaining === 1 ? 800 : 709 };
  if (healing) return { healthy: false, name: 'healing', priority: 700 };
  return { healthy: true, name: 'healthy', priority: 0 };
}

function dataStatus({ distribution, storage, state }: FdbParts, figures: Figures): object {
  const { healthy, name, priority } = dataState(figures);
  const { inFlight, inQueue } = distribution.movingBytes();
  const unhealthy = storage.servers.filter((server) => storage.isFailed(server)).length;
  const summary = { healthy, min_replicas_remaining: figures.minReplicasRemaining, name };
  return {
    moving_data: { highest_priority: priority, in_flight_bytes: inFlight, in_queue_bytes: inQueue },
    state: summary,
    team_trackers: [{ in_flight_bytes: inFlight, primary: true, state: summary, unhealthy_servers: unhealthy }],
    total_kv_size_bytes: storage.ranges.reduce((sum, { bytes, id }) => sum + (state.ledger.isLost(id) ? 0 : bytes), 0),
  };
}

function logsStatus({ state, transactions }: FdbParts): readonly object[] {
  const { current, old } = transactions;
  if (current === undefined) return [];
  return [current, ...old].map((generation) => ({
    begin_version: generation.number,
    current: generation === current,
    log_fault_tolerance: faultTolerance(state, generation),
    log_replication_factor: generation.copies,
    possibly_losing_data: false,
  }));
}

function recoveryState({ state, transactions }: FdbParts): object {
  const active_generations = transactions.activeGenerations;
  if (state.configuration === null)
    return { active_generations: 0, name: 'configuration_never_created', seconds_since_last_recovered: -1 };
  if (!transactions.isUp)
    return { active_generations, name: 'recruiting_transaction_servers', seconds_since_last_recovered: -1 };
  return {
    active_generations,
    name: active_generations === 1 ? 'fully_recovered' : 'all_logs_recruited',
    seconds_since_last_recovered: transactions.secondsSinceRecovery,
  };
}

const incompatibleConnections = ({ state }: FdbParts): readonly string[] =>
  state.table
    .responding()
    .filter(({ process }) => state.ailmentsOf(process.id).incompatible === true)
    .map(({ process }) => process.address);

/** The coordinators that are silent are named, and an answer with gaps says so. */
function clusterMessages({ answers, coordinators }: FdbParts): readonly object[] {
  const silent = coordinators.members().filter(({ responds }) => !responds);
  return [
    ...(silent.length === 0
      ? []
      : [
          {
            description: 'The cluster has some unreachable processes.',
            name: 'unreachable_processes',
            unreachable_processes: silent.map(({ process }) => ({ address: process.address })),
          },
        ]),
    ...(answers === 'partial'
      ? [{ description: 'Timed out fetching cluster status.', name: 'status_incomplete_timeout' }]
      : []),
  ];
}

/** A partial answer misses some processes, by chance; the message above says that it is one. */
function withGaps({ answers, state }: FdbParts, processes: Readonly<Record<string, object>>): object {
  if (answers !== 'partial') return processes;
  return Object.fromEntries(Object.entries(processes).filter(() => state.options.random.next() >= 0.3));
}
