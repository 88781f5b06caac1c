import { z } from 'zod';

/**
 * What is read of `status json` (research 4.2), and nothing else: fields that are not named here may come and go. Everything may be missing,
 * because an old release, a recovery or a slow part of the database leaves things out; what is there must be of its type.
 */
const message = z.object({
  name: z.string(),
  unreachable_processes: z.array(z.object({ address: z.string().optional() })).optional(),
});

const role = z.object({ role: z.string(), stored_bytes: z.number().optional() });

const process = z.object({
  address: z.string().optional(),
  class_type: z.string().optional(),
  excluded: z.boolean().optional(),
  under_maintenance: z.boolean().optional(),
  uptime_seconds: z.number().nonnegative().optional(),
  version: z.string().optional(),
  locality: z.record(z.string(), z.string().nullable()).optional(),
  roles: z.array(role).optional(),
});

const client = z.object({
  database_status: z.object({ available: z.boolean().optional() }).optional(),
  coordinators: z
    .object({
      quorum_reachable: z.boolean().optional(),
      coordinators: z.array(z.object({ address: z.string(), reachable: z.boolean().optional() })).optional(),
    })
    .optional(),
  messages: z.array(message).optional(),
});

const lag = z.object({ seconds: z.number().optional() }).optional();

const cluster = z.object({
  database_available: z.boolean().optional(),
  full_replication: z.boolean().optional(),
  connection_string: z.string().optional(),
  maintenance_zone: z.string().optional(),
  maintenance_seconds_remaining: z.number().optional(),
  messages: z.array(message).optional(),
  recovery_state: z
    .object({
      name: z.string().optional(),
      active_generations: z.int().optional(),
      seconds_since_last_recovered: z.number().optional(),
    })
    .optional(),
  configuration: z
    .object({
      redundancy_mode: z.string().optional(),
      excluded_servers: z
        .array(z.object({ address: z.string().optional(), locality: z.string().optional() }))
        .optional(),
    })
    .optional(),
  data: z
    .object({
      team_trackers: z
        .array(z.object({ state: z.object({ min_replicas_remaining: z.int().optional() }).optional() }))
        .optional(),
    })
    .optional(),
  fault_tolerance: z
    .object({
      max_zone_failures_without_losing_data: z.int().optional(),
      max_zone_failures_without_losing_availability: z.int().optional(),
      // The same figures under their names before 6.2: what they count are fault domains.
      max_machine_failures_without_losing_data: z.int().optional(),
      max_machine_failures_without_losing_availability: z.int().optional(),
    })
    .optional(),
  logs: z
    .array(
      z.object({
        log_replication_factor: z.int().optional(),
        log_fault_tolerance: z.int().optional(),
        remote_log_replication_factor: z.int().optional(),
        remote_log_fault_tolerance: z.int().optional(),
        satellite_log_replication_factor: z.int().optional(),
        satellite_log_fault_tolerance: z.int().optional(),
      }),
    )
    .optional(),
  qos: z
    .object({
      worst_data_lag_storage_server: lag,
      worst_durability_lag_storage_server: lag,
      worst_queue_bytes_log_server: z.number().optional(),
      worst_queue_bytes_storage_server: z.number().optional(),
    })
    .optional(),
  processes: z.record(z.string(), process).optional(),
});

export const statusSchema = z.object({ client: client.optional(), cluster: cluster.optional() });

export type Status = z.infer<typeof statusSchema>;
export type ClusterStatus = z.infer<typeof cluster>;
export type ProcessStatus = z.infer<typeof process>;
