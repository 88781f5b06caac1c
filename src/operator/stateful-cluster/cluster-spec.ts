import { effectiveTrigger } from '../../api/v1alpha1/policies.defaults.ts';
import { podUpdateStrategy } from '../../api/v1alpha1/stateful-cluster.defaults.ts';
import type { StatefulClusterSpec } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import type { ZoneLimit } from '../../api/v1alpha1/zone-limit.ts';
import type { AutomaticReplacement, ClusterSpec, RoleSpec, UnitPolicy } from '../../model/cluster-spec.ts';
import { name } from '../../model/ids.ts';
import type { PodShape } from '../../model/shape.ts';
import type { Duration } from '../../model/time.ts';
import { seconds } from '../../model/time.ts';

type Role = StatefulClusterSpec['roles'][number];

/**
 * The spec as the core knows it, with the defaults that a schema cannot say in their place. `shapeOf` says what a pod of a role should look
 * like. Every spec that the schema lets through has one.
 */
export function clusterSpecOf(spec: StatefulClusterSpec, shapeOf: (role: Role) => PodShape): ClusterSpec {
  const { automationOptions, buggify } = spec;
  const { maintenanceModeOptions } = automationOptions;
  return {
    engine: spec.engine.type,
    roles: spec.roles.map((role) => roleOf(role, shapeOf(role))),
    drainPolicy: spec.drainPolicy,
    unitPolicies: spec.unitPolicies.map(unitPolicyOf),
    trigger: effectiveTrigger(spec),
    ownsPods: true,
    processGroupsToRemove: named(spec.processGroupsToRemove),
    processGroupsToRemoveWithoutExclusion: named(spec.processGroupsToRemoveWithoutExclusion),
    cancelReplacements: named(spec.cancelReplacementsForInstance),
    replaceWhenResourcesRise: spec.replaceInstancesWhenResourcesChange,
    maxZonesWithUnavailablePods: spec.maxZonesWithUnavailablePods,
    podUpdateStrategy: podUpdateStrategy(spec),
    deletionMode: automationOptions.deletionMode,
    removalMode: automationOptions.removalMode,
    waitBetweenRemovals: seconds(automationOptions.waitBetweenRemovalsSeconds),
    maxConcurrentReplacements: automationOptions.maxConcurrentReplacements,
    maintenance: {
      use: maintenanceModeOptions.useMaintenanceModeChecker,
      time: seconds(maintenanceModeOptions.maintenanceModeTimeSeconds),
    },
    replacements: replacementsOf(automationOptions.replacements),
    buggify: {
      crashLoop: named(buggify.crashLoop),
      emptyMonitorConf: buggify.emptyMonitorConf,
      noSchedule: named(buggify.noSchedule),
      blockRemoval: named(buggify.blockRemoval),
    },
  };
}

/** Ids that the schema has checked. `*` is no id, and passes for one: the core asks for it by its text. */
const named = <Id extends Parameters<typeof name>[0] & { readonly names: string }>(ids: readonly string[]): Id[] =>
  ids.map((id) => name<Id>(id));

const roleOf = ({ name: role, count, dataTravels, evictionRequires }: Role, shape: PodShape): RoleSpec => ({
  name: name(role),
  count,
  dataTravels,
  evictionRequires,
  shape,
});

/** A policy for units as the core knows it. An empty list of names, labels or conditions asks for nothing, as in any selector. */
export function unitPolicyOf({ selector, drainPolicy }: StatefulClusterSpec['unitPolicies'][number]): UnitPolicy {
  const { names = [], matchLabels = {}, matchExpressions = [] } = selector;
  return {
    matchLabels,
    ...(matchExpressions.length > 0 && {
      matchExpressions: matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values })),
    }),
    ...(names.length > 0 && { names }),
    drainPolicy,
  };
}

function replacementsOf(replacements: StatefulClusterSpec['automationOptions']['replacements']): AutomaticReplacement {
  const { maxFaultDomainsWithTaintedProcessGroups: limit } = replacements;
  return {
    enabled: replacements.enabled,
    failureDetectionTime: seconds(replacements.failureDetectionTimeSeconds),
    maxConcurrentReplacements: replacements.maxConcurrentReplacements,
    taints: replacements.taintReplacementOptions.map(({ key, durationInSeconds }) => ({
      key,
      duration: durationOf(durationInSeconds),
    })),
    taintReplacementTime: seconds(replacements.taintReplacementTimeSeconds),
    maxTaintedZones: limit === null ? null : zoneLimitOf(limit),
  };
}

/** About 3,000 years: what is longer no saved snapshot can say, and nobody sees the end of it. */
const longestDuration = 100_000_000_000;

const durationOf = (duration: number | 'never'): Duration =>
  duration === 'never' || duration > longestDuration ? 'never' : seconds(duration);

const zoneLimitOf = (limit: ZoneLimit): AutomaticReplacement['maxTaintedZones'] =>
  typeof limit === 'number' ? { count: limit } : { percent: Number.parseInt(limit, 10) };
