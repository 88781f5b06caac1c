import { z } from 'zod';
import type { ClusterKey, NodeName, ProcessGroupId, RoleName, Uid, Zone } from '../../model/ids.ts';
import { instant, named, seconds } from './fields.ts';
import { processGroup } from './process-group.schema.ts';
import { spec } from './spec.schema.ts';
import { topology, unreachable } from './topology.schema.ts';

const node = z.strictObject({
  name: named<NodeName>(),
  zone: named<Zone>().nullable().default(null),
  ready: z.boolean().default(true),
  cordoned: z.boolean().default(false),
  cordonedSince: instant.nullable().default(null),
  taints: z
    .array(
      z.strictObject({
        key: z.string(),
        effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).default('NoSchedule'),
        timeAdded: instant.nullable().default(null),
      }),
    )
    .default([]),
});

const grant = z.strictObject({
  group: named<ProcessGroupId>(),
  pod: named<Uid>(),
  node: named<NodeName>().nullable().default(null),
  grantedAt: instant,
  closedAt: instant.nullable().default(null),
  goneAt: instant.nullable().default(null),
  exemption: z.string().nullable().default(null),
});

const ask = z.strictObject({
  group: named<ProcessGroupId>(),
  pod: named<Uid>(),
  node: named<NodeName>().nullable().default(null),
  source: z.enum(['Eviction', 'NodeDrain', 'Taint', 'Cordon']).default('Eviction'),
  by: z.string(),
  since: instant,
  lastSeen: instant,
  force: z.string().nullable().default(null),
  wants: z.enum(['Pod', 'Node']).default('Pod'),
});

const job = z.strictObject({
  verb: z.enum(['HandOff', 'Evacuate', 'CancelEvacuation', 'Forget', 'Create', 'Evict']),
  group: named<ProcessGroupId>(),
  state: z.enum(['Recorded', 'Running', 'Done', 'Failed']),
  since: instant,
  attempts: z.int().min(0).default(1),
  retryAt: instant.nullable().default(null),
  message: z.string().default(''),
  percent: z.number().min(0).max(100).nullable().default(null),
  secondsLeft: seconds.nullable().default(null),
});

const share = z.strictObject({
  reserved: z.union([z.literal('all'), z.array(named<ProcessGroupId>())]).default('all'),
  quota: z
    .strictObject({
      message: z.string(),
      missing: z.record(z.string(), z.number()),
      refused: z.array(named<ProcessGroupId>()).exactOptional(),
    })
    .nullable()
    .default(null),
  unread: z.string().exactOptional(),
});

const missingBudget = z.strictObject({ role: named<RoleName>(), budget: z.string(), message: z.string() });

/** A snapshot as it stands in a file: times in RFC 3339, and what is usual left out. */
export const snapshotSchema = z.strictObject({
  cluster: named<ClusterKey>().describe('namespace/name of the StatefulCluster or EvictionGuard.'),
  now: instant.describe('The moment of the decision.'),
  spec,
  processGroups: z.array(processGroup).default([]),
  nodes: z.array(node).nullable().default(null).describe('null: nodes are not read.'),
  topology: z.union([topology, unreachable]),
  grants: z.array(grant).default([]),
  asks: z.array(ask).default([]),
  jobs: z.array(job).default([]),
  nextGroupNumber: z.int().min(1).default(1),
  lastRemovalAt: instant.nullable().default(null),
  maintenance: z.strictObject({ zone: named<Zone>(), since: instant, until: instant }).nullable().default(null),
  share: share.prefault({}),
  missingBudgets: z
    .array(missingBudget)
    .exactOptional()
    .describe('The roles whose disruption budget could not be made. Absent: none.'),
});
