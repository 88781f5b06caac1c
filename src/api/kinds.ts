import type { Column, Kind, KubeObject } from './kind.ts';
import type { Rule } from './rule.ts';
import { evictionGuardConditions } from './v1alpha1/eviction-guard.conditions.ts';
import {
  type EvictionGuardSpec,
  type EvictionGuardStatus,
  evictionGuardSpec,
  evictionGuardStatus,
} from './v1alpha1/eviction-guard.schema.ts';
import { nodeDrainConditions } from './v1alpha1/node-drain.conditions.ts';
import {
  type NodeDrainSpec,
  type NodeDrainStatus,
  nodeDrainSpec,
  nodeDrainStatus,
} from './v1alpha1/node-drain.schema.ts';
import { statefulClusterConditions } from './v1alpha1/stateful-cluster.conditions.ts';
import { type StatefulClusterSpec, statefulClusterSpec } from './v1alpha1/stateful-cluster.schema.ts';
import { type StatefulClusterStatus, statefulClusterStatus } from './v1alpha1/stateful-cluster-status.schema.ts';

export type StatefulCluster = KubeObject<'StatefulCluster', StatefulClusterSpec, StatefulClusterStatus>;
export type EvictionGuard = KubeObject<'EvictionGuard', EvictionGuardSpec, EvictionGuardStatus>;
export type NodeDrain = KubeObject<'NodeDrain', NodeDrainSpec, NodeDrainStatus>;

function conditionColumn(
  name: string,
  member: 'status' | 'reason' | 'message',
  description: string,
  type = name,
): Column {
  return { name, type: 'string', jsonPath: `.status.conditions[?(@.type=="${type}")].${member}`, description };
}

const blocked = conditionColumn(
  'Blocked',
  'reason',
  'What holds the one that has waited longest; NothingWaits: nothing does.',
);
const why: Column = { ...conditionColumn('Why', 'message', 'The same as a sentence.', 'Blocked'), wide: true };
const age: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Since when the object exists.',
};

function countColumn(name: string, member: string, description: string): Column {
  return { name, type: 'integer', jsonPath: `.status.counts.${member}`, description };
}

/** Pods and Services are named after all three, and a Service's name ends at 63 characters. */
const namesFit: Rule<{
  readonly metadata: { readonly name: string };
  readonly spec: { readonly processGroupIDPrefix: string; readonly roles: readonly { readonly name: string }[] };
}> = {
  cel: 'self.spec.roles.all(role, size(self.metadata.name) + size(self.spec.processGroupIDPrefix) + size(role.name) <= 53)',
  message:
    'metadata.name, spec.processGroupIDPrefix and each spec.roles[].name together must have at most 53 characters, so that the names of pods and services fit into 63',
  holds: ({ metadata, spec }) =>
    spec.roles.every((role) => metadata.name.length + spec.processGroupIDPrefix.length + role.name.length <= 53),
};

/** Services are named after it, and their names begin with a letter and have no dots. */
const nameIsLabel: Rule<{ readonly metadata: { readonly name: string } }> = {
  cel: "self.metadata.name.matches(r'^[a-z]([-a-z0-9]*[a-z0-9])?$')",
  message: 'metadata.name must begin with a letter and have only lower case letters, digits and dashes, such as orders',
  holds: ({ metadata }) => /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(metadata.name),
};

/** A cluster whose process groups Drover owns. */
export const statefulCluster: Kind<'StatefulCluster', StatefulClusterSpec, StatefulClusterStatus> = {
  kind: 'StatefulCluster',
  plural: 'statefulclusters',
  singular: 'statefulcluster',
  // `sts` is taken by StatefulSet.
  shortName: 'stcl',
  scope: 'Namespaced',
  description:
    'A cluster of a stateful system whose pods, volume claims and services Drover makes, replaces and removes without taking away data, quorum or the last copy.',
  spec: statefulClusterSpec,
  status: statefulClusterStatus,
  rules: [nameIsLabel, namesFit],
  columns: [
    { name: 'Engine', type: 'string', jsonPath: '.spec.engine.type', description: 'The system that runs in the pods.' },
    conditionColumn('Ready', 'status', 'Whether the engine serves and every process group is up.'),
    countColumn('Groups', 'current', 'Process groups, without those that leave.'),
    countColumn('Leaving', 'leaving', 'Process groups that are marked for removal.'),
    countColumn('Waiting', 'waiting', 'Process groups that wait for something.'),
    blocked,
    why,
    {
      ...conditionColumn(
        'Conflict',
        'status',
        'Whether the spec asks one process group both to stay and to go.',
        'ConflictingRequests',
      ),
      wide: true,
    },
    {
      name: 'Version',
      type: 'string',
      jsonPath: '.spec.engine.version',
      description: "The engine's version.",
      wide: true,
    },
    age,
  ],
  conditions: statefulClusterConditions,
};

/** Pods that someone else owns. */
export const evictionGuard: Kind<'EvictionGuard', EvictionGuardSpec, EvictionGuardStatus> = {
  kind: 'EvictionGuard',
  plural: 'evictionguards',
  singular: 'evictionguard',
  shortName: 'evg',
  scope: 'Namespaced',
  description:
    'Guards pods that someone else owns: they can be evicted only while the stateful system that runs in them keeps its data and its quorum.',
  spec: evictionGuardSpec,
  status: evictionGuardStatus,
  rules: [],
  columns: [
    { name: 'Engine', type: 'string', jsonPath: '.spec.engine.type', description: 'The system that runs in the pods.' },
    conditionColumn('Locked', 'status', 'Whether the API server refuses evictions of the pods by itself.'),
    conditionColumn('Healthy', 'status', 'Whether the engine answers and all processes respond.'),
    countColumn('Pods', 'pods', 'Pods that the roles select.'),
    countColumn('Leaving', 'leaving', 'Pods that someone wants gone, or are being emptied.'),
    countColumn('Waiting', 'waiting', 'Those of them that may not go yet.'),
    blocked,
    why,
    { name: 'Policy', type: 'string', jsonPath: '.spec.drainPolicy', description: 'The drain policy.', wide: true },
    age,
  ],
  conditions: evictionGuardConditions,
};

/** A drain as an object. */
export const nodeDrain: Kind<'NodeDrain', NodeDrainSpec, NodeDrainStatus> = {
  kind: 'NodeDrain',
  plural: 'nodedrains',
  singular: 'nodedrain',
  shortName: 'nd',
  scope: 'Cluster',
  description:
    'Drains nodes: cordons them, evicts their pods as the guards allow, and says what each waits for. Deleting it before it is done cancels it: what it cordoned is uncordoned, and what can be undone is undone.',
  spec: nodeDrainSpec,
  status: nodeDrainStatus,
  rules: [],
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'How far the drain is.' },
    countColumn('Nodes', 'nodes', 'Nodes to drain.'),
    countColumn('Drained', 'nodesDrained', 'Nodes that are done.'),
    countColumn('Pods-Left', 'podsLeft', 'Pods that still have to go.'),
    countColumn('Waiting', 'podsWaiting', 'Pods that may not go now.'),
    blocked,
    why,
    {
      name: 'Estimated-End',
      type: 'string',
      jsonPath: '.status.estimatedEnd',
      description: 'When the drain should be done.',
      wide: true,
    },
    { name: 'Deadline', type: 'string', jsonPath: '.spec.deadline', description: 'When it is wanted.', wide: true },
    age,
  ],
  conditions: nodeDrainConditions,
};

/** Every kind that Drover brings. */
export const kinds = [statefulCluster, evictionGuard, nodeDrain] as const;
