import { fc, test as property } from '@fast-check/vitest';
import { expect } from 'vitest';
import { spec as coreSpec } from '../../api/snapshot/spec.schema.ts';
import { clusterEngineTypes } from '../../api/v1alpha1/engine.schema.ts';
import { evictionPredicates, triggers } from '../../api/v1alpha1/policies.schema.ts';
import { statefulClusterSpec } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import { drainPolicies } from '../../model/cluster-spec.ts';
import { givenShape } from '../../model/testing/given.ts';
import { clusterSpecOf } from './cluster-spec.ts';

const shape = givenShape();
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const int32 = fc.nat(2_147_483_647);
const ids = fc.uniqueArray(fc.constantFrom('storage-1', 'blue-log-7', 'a_b-0'), { maxLength: 3 });
const targets = fc.uniqueArray(fc.constantFrom('storage-1', '*', 'log-2'), { maxLength: 3 });
const batch = fc.constantFrom('All', 'Zone', 'ProcessGroup');

/** As people write it: what has a default is there, or is not. */
const arbitraryInput = fc
  .record({
    type: fc.constantFrom(...clusterEngineTypes),
    counts: fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }),
    role: fc.record({
      dataTravels: maybe(fc.constantFrom('auto', 'always', 'never')),
      evictionRequires: maybe(fc.uniqueArray(fc.constantFrom(...evictionPredicates), { maxLength: 3 })),
    }),
    rest: fc.record({
      drainPolicy: maybe(fc.constantFrom(...drainPolicies)),
      trigger: maybe(orNull(fc.constantFrom(...triggers))),
      unitPolicies: maybe(
        fc.array(
          fc.record({
            selector: fc.record({
              names: fc.constantFrom(['v1'], ['v1', 'v2']),
              matchLabels: maybe(fc.constantFrom({}, { tier: 'gold' })),
              matchExpressions: maybe(fc.constantFrom([], [{ key: 'tier', operator: 'Exists' }])),
            }),
            drainPolicy: fc.constantFrom(...drainPolicies),
          }),
          { maxLength: 3 },
        ),
      ),
      processGroupsToRemove: maybe(ids),
      processGroupsToRemoveWithoutExclusion: maybe(ids),
      cancelReplacementsForInstance: maybe(ids),
      replaceInstancesWhenResourcesChange: maybe(fc.boolean()),
      maxZonesWithUnavailablePods: maybe(orNull(int32)),
      automationOptions: maybe(
        fc.record({
          podUpdateStrategy: maybe(fc.constantFrom('Replace', 'ReplaceTransactionSystem', 'Delete')),
          deletionMode: maybe(batch),
          removalMode: maybe(batch),
          waitBetweenRemovalsSeconds: maybe(int32),
          maxConcurrentReplacements: maybe(orNull(int32)),
          maintenanceModeOptions: maybe(
            fc.record({ useMaintenanceModeChecker: maybe(fc.boolean()), maintenanceModeTimeSeconds: fc.constant(1) }),
          ),
          replacements: maybe(
            fc.record({
              enabled: maybe(fc.boolean()),
              failureDetectionTimeSeconds: maybe(int32),
              maxConcurrentReplacements: maybe(int32),
              taintReplacementOptions: maybe(
                fc.uniqueArray(
                  fc.record({
                    key: fc.constantFrom('*', 'example.com/maintenance'),
                    durationInSeconds: fc.oneof(fc.maxSafeNat(), fc.constant(2 ** 63)),
                  }),
                  { selector: ({ key }) => key, maxLength: 2 },
                ),
              ),
              taintReplacementTimeSeconds: maybe(int32),
              maxFaultDomainsWithTaintedProcessGroups: maybe(
                orNull(
                  fc.oneof(
                    int32,
                    fc.nat(100).map((share) => `${share}%`),
                  ),
                ),
              ),
            }),
          ),
        }),
      ),
      buggify: maybe(fc.record({ crashLoop: targets, emptyMonitorConf: fc.boolean(), blockRemoval: targets })),
    }),
  })
  .map(({ type, counts, role, rest }) => ({
    engine: { type, version: '7.3.63', ...(type === 'http' && { http: { port: 80 } }) },
    roles: counts.map((count, index) => ({ ...role, name: roleNames[type][index], count })),
    ...rest,
  }));

const roleNames = {
  foundationdb: ['storage', 'log', 'stateless'],
  arangodb: ['dbserver', 'agent', 'coordinator'],
  etcd: ['member', 'learner', 'other'],
  redis: ['primary', 'replica', 'other'],
  http: ['worker', 'keeper', 'other'],
};

property.prop([arbitraryInput], { numRuns: 2000 })('whatever the schema lets through, the core can read', (input) => {
  const mappedSpec = clusterSpecOf(statefulClusterSpec.parse(input), () => shape);
  // The file form of a snapshot is strict: it refuses what it does not know and what the core does not expect.
  expect(coreSpec.parse(mappedSpec)).toEqual(mappedSpec);
});
