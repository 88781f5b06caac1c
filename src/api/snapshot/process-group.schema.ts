import { z } from 'zod';
import type { NodeName, ProcessGroupId, RoleName, Uid, Zone } from '../../model/ids.ts';
import { conditionTypes } from '../../model/process-group.ts';
import { instant, named } from './fields.ts';
import { shape } from './spec.schema.ts';

const pod = z.strictObject({
  name: z.string(),
  uid: named<Uid>(),
  resourceVersion: z.string().default('1'),
  node: named<NodeName>().nullable().default(null),
  phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']).default('Running'),
  ready: z.boolean().default(true),
  createdAt: instant,
  restartedAt: instant.nullable().default(null).describe('When one of its containers last began anew.'),
  crashing: z
    .boolean()
    .default(false)
    .describe('None of its containers runs: they have ended, and wait to begin anew.'),
  deletingSince: instant.nullable().default(null),
  unschedulable: z.string().nullable().default(null).describe("The scheduler's own words, where it finds no place."),
  broken: z
    .string()
    .nullable()
    .default(null)
    .describe('What the kubelet says of a container that does not start, or does not stay.'),
  open: z.boolean().default(false).describe("The lock's label stands open."),
  shape: shape.prefault({}),
  wouldChange: z.boolean().default(false).describe('Made again now, it would be another one.'),
});

const claim = z.strictObject({
  uid: named<Uid>(),
  specHash: z.string().default(''),
  deleting: z.boolean().default(false),
  travels: z.boolean().default(false).describe('The data goes with the pod to another node.'),
});

const removal = z.strictObject({
  at: instant,
  cause: z.enum(['Requested', 'Failed', 'Tainted', 'Misconfigured', 'Shrink', 'Evicted']),
  withoutExclusion: z.boolean().default(false),
});

/** One process group: its row, and the objects that are there. */
export const processGroup = z.strictObject({
  id: named<ProcessGroupId>(),
  role: named<RoleName>(),
  addresses: z.array(z.string()).default([]),
  zone: named<Zone>().nullable().default(null),
  conditions: z.array(z.strictObject({ type: z.enum(conditionTypes), since: instant })).default([]),
  removal: removal.nullable().default(null),
  evacuationAt: instant.nullable().default(null),
  drainedAt: instant.nullable().default(null),
  removingAt: instant.nullable().default(null),
  taints: z
    .array(z.strictObject({ key: z.string(), since: instant, node: named<NodeName>().exactOptional() }))
    .default([]),
  pod: pod.nullable().default(null),
  claim: z
    .union([z.literal('none'), claim])
    .nullable()
    .default('none'),
  service: z.enum(['present', 'terminating', 'none']).nullable().default('none'),
});
