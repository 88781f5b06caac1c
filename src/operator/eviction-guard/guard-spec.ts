import type { EvictionGuardSpec } from '../../api/v1alpha1/eviction-guard.schema.ts';
import { effectiveTrigger } from '../../api/v1alpha1/policies.defaults.ts';
import type { ClusterSpec } from '../../model/cluster-spec.ts';
import { name } from '../../model/ids.ts';
import { seconds } from '../../model/time.ts';
import { unitPolicyOf } from '../stateful-cluster/cluster-spec.ts';

/** What is about pods that Drover makes and deletes: a guard has none of it. */
const ownsNothing = {
  ownsPods: false,
  processGroupsToRemove: [],
  processGroupsToRemoveWithoutExclusion: [],
  cancelReplacements: [],
  replaceWhenResourcesRise: false,
  maxZonesWithUnavailablePods: null,
  podUpdateStrategy: 'Delete',
  deletionMode: 'ProcessGroup',
  removalMode: 'ProcessGroup',
  waitBetweenRemovals: seconds(0),
  maxConcurrentReplacements: null,
  maintenance: { use: false, time: seconds(0) },
  replacements: {
    enabled: false,
    failureDetectionTime: seconds(0),
    maxConcurrentReplacements: 0,
    taints: [],
    taintReplacementTime: seconds(0),
    maxTaintedZones: null,
  },
  buggify: { crashLoop: [], emptyMonitorConf: false, noSchedule: [], blockRemoval: [] },
} as const satisfies Partial<ClusterSpec>;

/** The spec of a guard as the core knows it. How many pods a role has is their owner's affair. */
export const guardSpecOf = (spec: EvictionGuardSpec): ClusterSpec => ({
  ...ownsNothing,
  engine: spec.engine.type,
  roles: spec.roles.map(({ name: role, dataTravels, evictionRequires }) => ({
    name: name(role),
    count: 0,
    dataTravels,
    evictionRequires,
    shape: null,
  })),
  drainPolicy: spec.drainPolicy,
  unitPolicies: spec.unitPolicies.map(unitPolicyOf),
  trigger: effectiveTrigger(spec),
});
