import type { Zone } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Known } from '../../model/known.ts';
import { unknown } from '../../model/known.ts';
import type { Instant, Seconds } from '../../model/time.ts';
import { dueAt, instant, seconds } from '../../model/time.ts';
import type { EngineHealth } from '../../model/topology.ts';
import { generationsOf } from './drained.ts';
import { isAvailable } from './sound-status.ts';
import type { ClusterStatus, Status } from './status.schema.ts';
import { toleranceLacks } from './tolerance.ts';
import type { Version } from './version.ts';
import { tellsRecoveryAge } from './version.ts';

/** How many copies a mode keeps (research 3.8). Other modes are of databases in several regions, which Drover does not run. */
const copies: ReadonlyMap<string, number> = new Map([
  ['single', 1],
  ['double', 2],
  ['triple', 3],
  ['three_data_hall', 3],
]);

/** Research 3.9: with less than this left to catch up, maintenance can end without a rush of data. */
const smallLag = 60;
const smallQueue = 250 * 1024 * 1024;

/** What the database says of itself. While it is down, that is only that it is down. */
export function healthOf(status: Status, observedAt: Instant, version: Version | undefined): EngineHealth {
  const { cluster = {} } = status;
  const available = availability(status);
  const up = available !== false;
  return {
    available,
    fullyReplicated: up ? isFullyReplicated(cluster) : unknown,
    toleranceLacks: up ? toleranceLacks(status) : unknown,
    zonesThatMayFail: up ? zonesThatMayFail(cluster) : unknown,
    zonesForCopies: copiesIn(cluster) ?? unknown,
    secondsSinceRecovery: up ? secondsSinceRecovery(cluster, version) : unknown,
    activeGenerations: up ? generationsOf(status) : unknown,
    maintenance: up ? maintenanceOf(cluster, observedAt) : unknown,
    caughtUp: up ? isCaughtUp(cluster) : unknown,
  };
}

function availability(status: Status): Known<boolean> {
  return status.client?.database_status?.available === undefined ? unknown : isAvailable(status);
}

/** No data lacks a copy: the database's own summary, and the weakest team of each region. The worse of the two counts. */
function isFullyReplicated({ full_replication, data, configuration }: ClusterStatus): Known<boolean> {
  const wanted = copiesIn({ configuration });
  const left = data?.team_trackers?.map(({ state }) => state?.min_replicas_remaining) ?? [];
  const short = left.some((replicas) => replicas !== undefined && wanted !== undefined && replicas < wanted);
  if (full_replication === false || short) return false;
  const told = full_replication === true && left.length > 0 && wanted !== undefined && !left.includes(undefined);
  return told ? true : unknown;
}

const copiesIn = ({ configuration }: Pick<ClusterStatus, 'configuration'>): number | undefined =>
  copies.get(configuration?.redundancy_mode ?? '');

/** Data or service, whichever is lost first. */
function zonesThatMayFail({ fault_tolerance: told = {} }: ClusterStatus): Known<number> {
  const data = told.max_zone_failures_without_losing_data ?? told.max_machine_failures_without_losing_data;
  const service =
    told.max_zone_failures_without_losing_availability ?? told.max_machine_failures_without_losing_availability;
  return data === undefined || service === undefined ? unknown : Math.max(0, Math.min(data, service));
}

/** Research 3.8: the states in which what is excluded may be changed. In any other one that commits, logs are still being recruited. */
const recovered: ReadonlySet<string | undefined> = new Set(['fully_recovered', 'all_logs_recruited']);

/**
 * null: a release that does not tell, which is then not waited for. A recovery that is not through has no age, whatever is counted: those who ask wait
 * for it, however long it takes.
 */
function secondsSinceRecovery({ recovery_state }: ClusterStatus, version: Version | undefined): Known<Seconds> | null {
  if (!recovered.has(recovery_state?.name)) return unknown;
  const age = recovery_state?.seconds_since_last_recovered ?? -1;
  if (age >= 0) return seconds(Math.floor(age));
  // 7.1 before 7.1.22 has the field, and always -1 in it.
  return version !== undefined && !tellsRecoveryAge(version) ? null : unknown;
}

function maintenanceOf(cluster: ClusterStatus, observedAt: Instant): EngineHealth['maintenance'] {
  const { maintenance_zone: zone, maintenance_seconds_remaining: left, configuration } = cluster;
  if (zone === undefined && left === undefined) return configuration === undefined ? unknown : 'off';
  const until = left === undefined ? undefined : dueAt(observedAt, seconds(left));
  // A moment is a whole number of milliseconds, everywhere; the database counts more finely.
  return zone === undefined || until === undefined
    ? unknown
    : { zone: name<Zone>(zone), until: instant(Math.round(until)) };
}

function isCaughtUp({ qos }: ClusterStatus): Known<boolean> {
  const lags = [qos?.worst_data_lag_storage_server?.seconds, qos?.worst_durability_lag_storage_server?.seconds];
  const queues = [qos?.worst_queue_bytes_log_server, qos?.worst_queue_bytes_storage_server];
  const behind =
    lags.some((lag) => lag !== undefined && lag > smallLag) ||
    queues.some((queue) => queue !== undefined && queue > smallQueue);
  if (behind) return false;
  return [...lags, ...queues].includes(undefined) ? unknown : true;
}
