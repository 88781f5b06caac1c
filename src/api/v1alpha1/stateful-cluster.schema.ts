import { z } from 'zod';
import type { DeepReadonly } from '../deep-readonly.ts';
import { foreignObject, mapOf, setOf, text, wholeNumber } from '../field-types.ts';
import { type Rule, withRules } from '../rule.ts';
import { automationOptions } from './automation-options.schema.ts';
import { clusterEngine } from './engine.schema.ts';
import { labelKey, processGroupID, processGroupTarget, roleName } from './names.schema.ts';
import {
  dataTravelsField,
  drainPolicyField,
  evictionRequiresField,
  triggerField,
  unitPoliciesField,
} from './policies.schema.ts';
import { maxProcessGroups } from './process-group.schema.ts';
import { roleNamesDiffer, rolesFitEngine } from './role-rules.ts';

/** How many process groups a spec may ask for. The rest of the status table is room for replacements under way. */
export const maxDesiredProcessGroups = maxProcessGroups - 100;

const role = z.object({
  name: roleName.describe(
    'What these processes are for, as the engine calls it: storage, log, dbserver, member. Unique in the cluster.',
  ),
  count: wholeNumber({ min: 0, max: maxDesiredProcessGroups }).describe(
    'How many process groups there should be. Lowering it removes those that are marked for removal first, else the ones that keep the zones balanced.',
  ),
  processesPerPod: wholeNumber({ min: 1, max: 64 })
    .default(1)
    .describe('How many processes each pod runs. A change replaces every process group of the role. Default 1.'),
  template: foreignObject()
    .default({})
    .describe(
      'The pod, as a PodTemplateSpec: metadata and spec. Drover adds its labels, tolerations and environment. A change of the node selector replaces the process groups; other changes are rolled out as podUpdateStrategy says.',
    ),
  volumeClaimTemplate: foreignObject()
    .optional()
    .describe(
      "The volume of each process group, as the spec of a PersistentVolumeClaim: accessModes, resources, storageClassName. Any change replaces the role's process groups. Absent: no volume.",
    ),
  dataTravels: dataTravelsField,
  evictionRequires: evictionRequiresField,
});

const faultDomain = z.object({
  key: labelKey
    .default('kubernetes.io/hostname')
    .describe(
      'The label of a node whose value is the zone of its pods. Default kubernetes.io/hostname: each node is a zone.',
    ),
});

const ids = (maxItems = 500) => setOf(processGroupID, maxItems).default([]);
const targets = () => setOf(processGroupTarget, 500).default([]);

const buggify = z.object({
  crashLoop: targets().describe(
    'Process groups whose pods are made to crash; they are not replaced automatically. * stands for all. Default none.',
  ),
  emptyMonitorConf: z
    .boolean()
    .default(false)
    .describe(
      'Starts the pods without any process. No process group is replaced automatically meanwhile. Default false.',
    ),
  noSchedule: targets().describe('Process groups whose pods are made unschedulable. * stands for all. Default none.'),
  blockRemoval: targets().describe(
    'Process groups that are never removed, however drained. * stands for all. Default none.',
  ),
});

const countsFitTheTable: Rule<{ readonly roles: readonly { readonly count: number }[] }> = {
  cel: `self.roles.map(role, role.count).sum() <= ${maxDesiredProcessGroups}`,
  message: `roles[].count must add up to at most ${maxDesiredProcessGroups} process groups; split the cluster, or raise processesPerPod`,
  fieldPath: '.roles',
  holds: ({ roles }) => roles.reduce((sum, { count }) => sum + count, 0) <= maxDesiredProcessGroups,
};

/** `spec` of a StatefulCluster. */
export const statefulClusterSpec = withRules(
  z.object({
    engine: clusterEngine.describe('The system that runs in the pods, and how Drover speaks to it.'),
    roles: withRules(mapOf(role, 'name', 20).min(1), roleNamesDiffer).describe(
      'The kinds of process groups, and how many there should be of each.',
    ),
    processGroupIDPrefix: text({
      pattern: /^([a-z]([-a-z0-9]*[a-z0-9])?)?$/,
      maxLength: 40,
      says: 'must be empty, or lower case letters, digits and dashes that begin with a letter, such as blue',
    })
      .default('')
      .describe('Put in front of every process group id. A change replaces every process group. Default empty.'),
    publicIPSource: z
      .enum(['Pod', 'Service'])
      .default('Pod')
      .describe(
        'Where a process takes its address from. Service: each process group gets a Service. A change replaces every process group. Default Pod.',
      ),
    faultDomain: faultDomain.prefault({}).describe('What counts as one zone: processes that can fail together.'),
    drainPolicy: drainPolicyField,
    trigger: triggerField,
    unitPolicies: unitPoliciesField,
    processGroupsToRemove: ids().describe(
      'Ids of process groups to replace: a successor is added, the data is moved away, then they are removed. Ids that do not exist are reported and ignored. Default none.',
    ),
    processGroupsToRemoveWithoutExclusion: ids().describe(
      'Ids of process groups to remove without moving their data away or asking the engine. Can lose data. Default none.',
    ),
    cancelReplacementsForInstance: ids().describe(
      'Ids of process groups that are to stay: a replacement under way is undone, and none is begun while the id is listed. Default none.',
    ),
    replaceInstancesWhenResourcesChange: z
      .boolean()
      .default(false)
      .describe(
        'Whether a rise in resource requests or limits replaces process groups instead of deleting and remaking pods. Default false.',
      ),
    maxZonesWithUnavailablePods: wholeNumber({ min: 0 })
      .nullable()
      .default(null)
      .describe(
        'Pods are not deleted to be made again while more zones than this have unavailable pods, unless they are in one of these zones. null: no limit.',
      ),
    automationOptions: automationOptions.prefault({}).describe('What Drover does by itself, and how fast.'),
    buggify: buggify.prefault({}).describe('Faults to inject, for tests of the cluster and of Drover.'),
  }),
  countsFitTheTable,
  rolesFitEngine,
);
export type StatefulClusterSpec = DeepReadonly<z.output<typeof statefulClusterSpec>>;
/** A spec as people write it: what has a default may be left out. */
export type StatefulClusterSpecInput = DeepReadonly<z.input<typeof statefulClusterSpec>>;
