import { z } from 'zod';
import { drainPolicies, engineTypes, labelOperators } from '../../model/cluster-spec.ts';
import type { ProcessGroupId, RoleName } from '../../model/ids.ts';
import { predicateNames } from '../../model/role-rules.ts';
import { duration, named, seconds } from './fields.ts';

const amounts = z.record(z.string(), z.number()).default({});

/** What of a pod's specification decides whether, and how, it has to be changed. */
export const shape = z.strictObject({
  idPrefix: z.string().default(''),
  publicIPSource: z.enum(['Pod', 'Service']).default('Pod'),
  processesPerPod: z.int().min(1).default(1),
  nodeSelector: z.record(z.string(), z.string()).default({}),
  claimSpecHash: z.string().default(''),
  requests: amounts,
  limits: amounts,
  specHash: z.string().default(''),
});

const unitPolicy = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).default({}),
  matchExpressions: z
    .array(
      z.strictObject({
        key: z.string(),
        operator: z.enum(labelOperators),
        values: z.array(z.string()).default([]),
      }),
    )
    .optional(),
  names: z.array(z.string()).optional(),
  drainPolicy: z.enum(drainPolicies),
});

const role = z.strictObject({
  name: named<RoleName>(),
  count: z.int().min(0).default(0),
  dataTravels: z.enum(['auto', 'always', 'never']).default('auto'),
  evictionRequires: z.array(z.enum(predicateNames)).default([]),
  shape: shape.nullable().default(null),
});

const targets = z.array(z.union([z.literal('*'), named<ProcessGroupId>()])).default([]);
const groups = z.array(named<ProcessGroupId>()).default([]);

const replacements = z.strictObject({
  enabled: z.boolean().default(false),
  failureDetectionTime: seconds.prefault(7200),
  maxConcurrentReplacements: z.int().min(0).default(1),
  taints: z.array(z.strictObject({ key: z.string(), duration })).default([]),
  taintReplacementTime: seconds.prefault(1800),
  maxTaintedZones: z
    .union([z.strictObject({ count: z.int().min(0) }), z.strictObject({ percent: z.number().min(0) })])
    .nullable()
    .default(null),
});

/** What people asked for, as it stands in a snapshot: the spec of either kind with its defaults in place. */
export const spec = z.strictObject({
  engine: z.enum(engineTypes),
  roles: z.array(role).default([]),
  drainPolicy: z.enum(drainPolicies).default('block-if-contains-last-replica'),
  unitPolicies: z.array(unitPolicy).default([]),
  trigger: z.enum(['Eviction', 'Cordon']).default('Eviction'),
  ownsPods: z.boolean().default(true).describe('true: StatefulCluster. false: EvictionGuard.'),
  processGroupsToRemove: groups,
  processGroupsToRemoveWithoutExclusion: groups,
  cancelReplacements: groups,
  replaceWhenResourcesRise: z.boolean().default(false),
  maxZonesWithUnavailablePods: z.int().min(0).nullable().default(null),
  podUpdateStrategy: z.enum(['Replace', 'ReplaceTransactionSystem', 'Delete']).default('Delete'),
  deletionMode: z.enum(['All', 'Zone', 'ProcessGroup']).default('Zone'),
  removalMode: z.enum(['All', 'Zone', 'ProcessGroup']).default('Zone'),
  waitBetweenRemovals: seconds.prefault(60),
  maxConcurrentReplacements: z.int().min(0).nullable().default(null),
  maintenance: z.strictObject({ use: z.boolean(), time: seconds }).prefault({ use: false, time: 600 }),
  replacements: replacements.prefault({}),
  buggify: z
    .strictObject({
      crashLoop: targets,
      emptyMonitorConf: z.boolean().default(false),
      noSchedule: targets,
      blockRemoval: targets,
    })
    .prefault({}),
});
