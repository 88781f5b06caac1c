import { z } from 'zod';
import type { DeepReadonly } from '../deep-readonly.ts';
import { freeText, instant, listOf, mapOf, setOf, wholeNumber, writtenInstant } from '../field-types.ts';
import { withRules, withTransitionRules } from '../rule.ts';
import { conditionsField } from './condition.schema.ts';
import { nonEmptySelector } from './label-selector.schema.ts';
import { givenName, nodeName } from './names.schema.ts';
import { waitingForField } from './waiting-reason.schema.ts';

const pods = z.object({
  ignoreDaemonSets: z
    .boolean()
    .default(true)
    .describe(
      "Whether pods of DaemonSets are left where they are, as kubectl drain's flag of that name does. false: such a pod stops the drain. Default true.",
    ),
  deleteEmptyDirData: z
    .boolean()
    .default(false)
    .describe(
      'Whether pods with emptyDir volumes are evicted, although that data is lost. false: such a pod stops the drain of its node. Default false.',
    ),
  force: z
    .boolean()
    .default(false)
    .describe(
      'Whether pods that no controller will make again are evicted. It never overrides a guard. false: such a pod stops the drain of its node. Default false.',
    ),
  gracePeriodSeconds: wholeNumber({ min: 0 })
    .nullable()
    .default(null)
    .describe(
      "How long an evicted pod gets to end, in place of its own terminationGracePeriodSeconds. null: the pod's own.",
    ),
});

/** `spec` of a NodeDrain. */
export const nodeDrainSpec = withTransitionRules(
  withRules(
    z.object({
      nodes: setOf(nodeName, 500)
        .min(1)
        .optional()
        .describe('The nodes to drain, by name. Either nodes or nodeSelector. Cannot be changed later.'),
      nodeSelector: nonEmptySelector('nodeSelector')
        .optional()
        .describe(
          'The nodes to drain, by their labels when the drain starts. Either nodes or nodeSelector. Cannot be changed later.',
        ),
      maxConcurrentNodes: wholeNumber({ min: 1, max: 500 })
        .default(1)
        .describe(
          'How many nodes are drained at the same time. A node on which only pods are left that their guards never let go does not count: it stays cordoned, and the next one begins. The guards still decide pod by pod. Default 1.',
        ),
      deadline: writtenInstant()
        .nullable()
        .default(null)
        .describe(
          'When the drain should be done, such as 2026-11-15T06:00:00Z. What cannot be done by then is reported up front; nothing is ever forced. null: none.',
        ),
      pods: pods.prefault({}).describe("What happens to pods that no guard holds: kubectl drain's flags."),
      afterwards: z
        .enum(['KeepCordoned', 'Uncordon'])
        .default('KeepCordoned')
        .describe('What becomes of a node once it is drained. Default KeepCordoned.'),
    }),
    {
      cel: 'has(self.nodes) != has(self.nodeSelector)',
      message: 'set exactly one of nodes and nodeSelector',
      holds: ({ nodes, nodeSelector }) => (nodes === undefined) !== (nodeSelector === undefined),
    },
  ),
  {
    cel: 'has(self.nodes) == has(oldSelf.nodes) && (!has(self.nodes) || self.nodes == oldSelf.nodes)',
    message: 'nodes cannot be changed; delete this NodeDrain, which undoes it, and create another',
  },
  {
    cel: 'has(self.nodeSelector) == has(oldSelf.nodeSelector) && (!has(self.nodeSelector) || self.nodeSelector == oldSelf.nodeSelector)',
    message: 'nodeSelector cannot be changed; delete this NodeDrain, which undoes it, and create another',
  },
);
export type NodeDrainSpec = DeepReadonly<z.output<typeof nodeDrainSpec>>;
/** A spec as people write it: what has a default may be left out. */
export type NodeDrainSpecInput = DeepReadonly<z.input<typeof nodeDrainSpec>>;

const waitingPod = z.object({
  pod: z.string().max(317).describe('The pod, as namespace/name.'),
  verdict: z
    .enum(['wait', 'never'])
    .default('wait')
    .describe('wait: something that is watched for will let it go. never: only a person can, and the reason says how.'),
  reasons: waitingForField,
  progressPercent: wholeNumber({ min: 0, max: 100 })
    .nullable()
    .default(null)
    .describe('How far the work is that will let it go. null: not known.'),
  estimatedEnd: instant().nullable().default(null).describe('When that work should be done. null: not known.'),
});

const count = () => wholeNumber({ min: 0 }).default(0);

const nodeStatus = z
  .object({
    name: givenName.describe('The name of the node.'),
    phase: z
      .enum(['Pending', 'Draining', 'Drained', 'Gone'])
      .describe(
        'Pending: its turn has not come. Draining: cordoned, pods are leaving. Drained: nothing left that should go. Gone: the node no longer exists.',
      ),
    cordonedByDrain: z
      .boolean()
      .default(false)
      .describe('Whether this drain cordoned the node, so that an end or a cancel uncordons only what it cordoned.'),
    reasons: waitingForField.describe(
      'Why its turn has not come, what keeps it once its pods are gone, or what became of it. Empty: nothing to say.',
    ),
    podsLeft: count().describe('How many pods still have to go.'),
    podsWaiting: count().describe('How many of these may not go now.'),
    waiting: listOf(waitingPod, 100)
      .default([])
      .describe('The pods that may not go now, and why; at most 100 over all nodes.'),
  })
  // A row has one writer. Tracking each of its fields apart would double the size of a large status.
  .meta({ 'x-kubernetes-map-type': 'atomic' });

const counts = z.object({
  nodes: count().describe('How many nodes are to be drained.'),
  nodesDrained: count().describe('How many of these are done.'),
  podsLeft: count().describe('How many pods still have to go, on all of them.'),
  podsWaiting: count().describe('How many of these may not go now.'),
});

/** `status` of a NodeDrain. Written by Drover alone, at most every ten seconds. */
export const nodeDrainStatus = z.object({
  observedGeneration: wholeNumber({ min: 0 })
    .default(0)
    .describe('The metadata.generation of the spec that this status was made from.'),
  phase: z
    .enum(['Pending', 'Draining', 'Completed', 'Cancelling'])
    .default('Pending')
    .describe(
      'Pending: not started. Draining: at work, or waiting. Completed: every node is drained. Cancelling: deleted before it was done, and being undone.',
    ),
  startedAt: instant().nullable().default(null).describe('When the first node was cordoned. null: not yet.'),
  completedAt: instant().nullable().default(null).describe('When the last node was drained. null: not yet.'),
  estimatedEnd: instant().nullable().default(null).describe('When the drain should be done. null: not known.'),
  estimateBasis: freeText(512)
    .default('')
    .describe('What that is taken from: the pod that goes last, and what it waits for. Empty: nothing is known.'),
  counts: counts.prefault({}).describe('The drain in figures.'),
  nodes: mapOf(nodeStatus, 'name', 500).default([]).describe('The nodes, sorted by name, and what each waits for.'),
  conditions: conditionsField,
});
export type NodeDrainStatus = DeepReadonly<z.output<typeof nodeDrainStatus>>;
