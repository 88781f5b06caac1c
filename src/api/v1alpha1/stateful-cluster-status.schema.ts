import { z } from 'zod';
import type { DeepReadonly } from '../deep-readonly.ts';
import { instant, listOf, mapOf, wholeNumber } from '../field-types.ts';
import { conditionsField } from './condition.schema.ts';
import { lockFields } from './lock.schema.ts';
import { givenName } from './names.schema.ts';
import { maxProcessGroups, processGroup } from './process-group.schema.ts';

const count = () => wholeNumber({ min: 0 }).default(0);

const counts = z.object({
  desired: count().describe('How many process groups the spec asks for.'),
  current: count().describe('How many there are, without those that leave.'),
  available: count().describe('How many of these are up, as the engine sees them.'),
  leaving: count().describe('How many are marked for removal and not gone.'),
  waiting: count().describe('How many wait for something; each says for what.'),
});

const health = z.object({
  available: z
    .boolean()
    .default(false)
    .describe('Whether the engine serves requests. false also while it cannot be reached.'),
  fullReplication: z
    .boolean()
    .default(false)
    .describe('Whether every unit of data has all the copies that it should have.'),
  observedAt: instant()
    .nullable()
    .default(null)
    .describe(
      'When the engine last gave a whole answer, as of the last change of this status: reading on is not written. null: never yet.',
    ),
});

const maintenance = z.object({
  zone: givenName.describe('The zone that the engine was told to be patient with.'),
  since: instant().describe('When Drover recorded that it tells the engine.'),
  until: instant().describe('When the engine ends the mode by itself.'),
});

/** Room in the quotas of a namespace that one process group is yet to take up. */
export const reservation = z.object({
  processGroupID: givenName.describe('The process group that the room is kept for, until its objects are there.'),
  since: instant().describe('When the room was given to it.'),
  requests: z
    .record(z.string(), z.string().max(32))
    .meta({ maxProperties: 16 })
    .default({})
    .describe(
      'The resources that are kept, by the names that quotas have for them: what its missing pod, claim and service use.',
    ),
});

/** `status` of a StatefulCluster. Written by Drover alone. */
export const statefulClusterStatus = z.object({
  observedGeneration: wholeNumber({ min: 0 })
    .default(0)
    .describe('The metadata.generation of the spec that this status was made from.'),
  nextProcessGroupNumber: wholeNumber({ min: 1 })
    .default(1)
    .describe('The number of the next process group id. Only ever grows, so that no id is used twice.'),
  bootstrapTimestamp: instant()
    .nullable()
    .default(null)
    .describe('When the engine was seen to be set up, so that it is never set up a second time. null: not yet.'),
  lastRemovalTimestamp: instant()
    .nullable()
    .default(null)
    .describe('When the last batch of removals began; waitBetweenRemovalsSeconds runs from here. null: never.'),
  maintenance: maintenance
    .nullable()
    .default(null)
    .describe("The engine's maintenance mode, as Drover last set it. null: off."),
  counts: counts.prefault({}).describe('The process groups in figures.'),
  health: health.prefault({}).describe('What the engine says of itself.'),
  processGroups: mapOf(processGroup, 'processGroupID', maxProcessGroups)
    .default([])
    .describe('The process groups, sorted by id.'),
  reservations: listOf(reservation, 100)
    .default([])
    .describe(
      'Room in the quotas of the namespace that this cluster is yet to take up, so that clusters that share a quota do not block one another. Empty where there is no quota.',
    ),
  ...lockFields,
  conditions: conditionsField,
});
export type Reservation = DeepReadonly<z.output<typeof reservation>>;
export type StatefulClusterStatus = DeepReadonly<z.output<typeof statefulClusterStatus>>;
