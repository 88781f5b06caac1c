import { z } from 'zod';
import type { ProcessGroupId, ProcessId, QuorumId, RoleName, UnitId, Zone } from '../../model/ids.ts';
import { roleKinds, setUpWaits } from '../../model/topology.ts';
import { fact, instant, known, named, seconds } from './fields.ts';

const process = z
  .strictObject({
    id: named<ProcessId>().describe('As the engine calls it.'),
    group: named<ProcessGroupId>()
      .nullable()
      .optional()
      .describe('The process group that it runs in. Default: the one of the same name.'),
    role: named<RoleName>(),
    zone: named<Zone>().nullable().default(null),
    addresses: z.array(z.string()).default([]),
    responds: fact.default(true).describe('Alive and answering.'),
    excluded: fact.default(false).describe('The engine was told to move its data and roles away.'),
    drained: fact.default(false).describe('The engine confirms that it holds no data and no role.'),
    startedAt: instant.nullable().default(null),
  })
  .describe('One server that the engine knows.');

const replica = z
  .strictObject({
    process: named<ProcessId>(),
    leader: z.boolean().default(false),
    state: known(z.enum(['healthy', 'rebuilding', 'failed', 'unused'])).default('healthy'),
    inSync: fact.default(true),
    running: fact.default(true),
    movingAway: z.boolean().default(false).describe('The engine was told to move this copy away.'),
    doomed: z.boolean().default(false).describe('Being deleted, or otherwise not to be counted on.'),
  })
  .describe('One copy of a unit.');

const unit = z
  .strictObject({
    id: named<UnitId>(),
    name: z.string().optional().describe('As people call it. Default: unit and its id.'),
    labels: z.record(z.string(), z.string()).default({}),
    attached: fact.default(true).describe('In use.'),
    replicas: z.array(replica),
    writeConcern: z.int().min(0).nullable().default(null),
    copying: z
      .strictObject({
        percent: z.number().min(0).max(100),
        bytes: z.number().min(0).nullable(),
        secondsLeft: seconds.nullable(),
      })
      .nullable()
      .default(null),
    unplaceable: z.string().nullable().default(null),
  })
  .describe('A piece of data that exists in copies.');

const quorum = z
  .strictObject({
    id: named<QuorumId>(),
    name: z.string().optional(),
    members: z.array(
      z.strictObject({ process: named<ProcessId>(), responds: fact.default(true), inSync: fact.default(true) }),
    ),
    leader: known(named<ProcessId>().nullable()),
    needed: z.int().min(1).optional().describe('How many must agree. Default: the majority.'),
    membersMove: z.boolean().default(false).describe('A member has to be moved out of it before its process goes.'),
  })
  .describe('Processes that agree.');

const health = z.strictObject({
  available: fact.default(true),
  fullyReplicated: fact.default(true),
  toleranceLacks: known(z.array(z.string()))
    .nullable()
    .default(null)
    .describe('What falls short of the fault tolerance that was asked for, copies of data aside.'),
  zonesThatMayFail: known(z.int().min(0)).nullable().default(null),
  zonesForCopies: known(z.int().min(1)).nullable().default(null),
  secondsSinceRecovery: known(seconds).nullable().default(null),
  activeGenerations: known(z.int().min(0)).nullable().default(null),
  maintenance: known(z.union([z.literal('off'), z.strictObject({ zone: named<Zone>(), until: instant })]))
    .nullable()
    .default(null),
  caughtUp: fact.nullable().default(null),
});

/** What the engine said, as it stands in a file. */
export const topology = z.strictObject({
  observedAt: instant.describe('When the observation began.'),
  processes: z.array(process).default([]),
  units: z.array(unit).default([]),
  quorums: z.array(quorum).default([]),
  health: health.prefault({}),
  kinds: z
    .record(z.string(), z.enum(roleKinds))
    .optional()
    .describe('What kind each role is of, where an http engine says so. Default: data.'),
});

/** The engine could not be read. */
export const unreachable = z.strictObject({
  unreachable: z.string().describe('Why, in the words of whoever tried.'),
  since: instant,
  setUpWaitsFor: z
    .enum(setUpWaits)
    .optional()
    .describe('What keeps a database that was never up from being set up. Default: it was up before.'),
});
