import { z } from 'zod';
import type { DeepReadonly } from '../deep-readonly.ts';
import { instant, listOf } from '../field-types.ts';
import { code } from './condition.schema.ts';
import { givenName } from './names.schema.ts';
import { progressField } from './progress.schema.ts';
import { waitingForField } from './waiting-reason.schema.ts';

/** How many process groups a status can list. */
export const maxProcessGroups = 1000;

/** One thing that is the matter with a process group, or with a guarded pod. */
export const processGroupCondition = z.object({
  type: code.describe('What is the matter with the process group. The reference lists the types.'),
  timestamp: instant().describe('Since when it has been so, without a break.'),
});

const taintClock = z.object({
  key: z.string().max(317).describe('The key of the taint.'),
  since: instant().describe(
    "Since when it has been on the node: the taint's own timeAdded, or when Drover first saw it.",
  ),
  replaceAt: instant()
    .nullable()
    .default(null)
    .describe('When the process group is to be replaced because of it. null: never.'),
  // A clock that ran on another node must not be taken for one of this node's, or something is replaced early.
  node: givenName.optional().describe('The node that it was seen on, where that is another one than nodeName.'),
});

/** One row of `status.processGroups`. */
export const processGroup = z
  .object({
    processGroupID: givenName.describe('The id of the process group, which it keeps for life.'),
    role: givenName.describe('The role of its processes.'),
    addresses: listOf(z.string().max(128), 16)
      .default([])
      .describe('The addresses under which the engine has known it. While it leaves, old ones are kept.'),
    nodeName: givenName
      .nullable()
      .default(null)
      .describe('The node that its pod was last seen on. null: never scheduled.'),
    faultDomain: givenName.nullable().default(null).describe('Its zone, as last known. null: not known yet.'),
    verdict: z
      .enum(['allow', 'wait', 'never', 'none'])
      .default('none')
      .describe(
        'Whether its pod may be evicted now. wait: not yet; once someone asks, waitingFor says for what. never: no. none: it has no pod.',
      ),
    conditions: listOf(processGroupCondition, 16)
      .default([])
      .describe('What is the matter with it, and since when. Empty: nothing is.'),
    removalTimestamp: instant()
      .nullable()
      .default(null)
      .describe('When it was marked: it no longer counts, a successor is added, and it will leave. null: not marked.'),
    removalReason: code.nullable().default(null).describe('Why it was marked, as a code. null: not marked.'),
    evacuationTimestamp: instant()
      .nullable()
      .default(null)
      .describe('When Drover recorded that it tells the engine to move its data away. null: not yet.'),
    exclusionTimestamp: instant()
      .nullable()
      .default(null)
      .describe('When the engine confirmed that it holds no data and no role. null: not confirmed.'),
    exclusionSkipped: z
      .boolean()
      .default(false)
      .describe('Whether it leaves without that confirmation, because processGroupsToRemoveWithoutExclusion lists it.'),
    removingTimestamp: instant()
      .nullable()
      .default(null)
      .describe(
        'When Drover began to delete its pod, claim and service. From here on it cannot be cancelled. null: not yet.',
      ),
    taints: listOf(taintClock, 16).default([]).describe('The taints on its node that count, each with its own clock.'),
    waitingFor: waitingForField,
    progress: progressField,
  })
  // A row has one writer. Tracking each of its fields apart would double the size of a large status.
  .meta({ 'x-kubernetes-map-type': 'atomic' });
export type ProcessGroupStatus = DeepReadonly<z.output<typeof processGroup>>;
