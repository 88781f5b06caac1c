import { describe, expect, test } from 'vitest';
import type { StatefulClusterSpecInput } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import { statefulClusterSpec } from '../../api/v1alpha1/stateful-cluster.schema.ts';
import { givenShape } from '../../model/testing/given.ts';
import { clusterSpecOf } from './cluster-spec.ts';

const shape = givenShape();

const mapped = (given: Partial<StatefulClusterSpecInput>) =>
  clusterSpecOf(
    statefulClusterSpec.parse({
      engine: { type: 'etcd' },
      roles: [{ name: 'member', count: 3 }],
      ...given,
    }),
    () => shape,
  );

test('a spec with nothing but what is required has every default', () => {
  expect(mapped({})).toEqual({
    engine: 'etcd',
    roles: [{ name: 'member', count: 3, dataTravels: 'auto', evictionRequires: [], shape }],
    drainPolicy: 'block-if-contains-last-replica',
    unitPolicies: [],
    trigger: 'Eviction',
    ownsPods: true,
    processGroupsToRemove: [],
    processGroupsToRemoveWithoutExclusion: [],
    cancelReplacements: [],
    replaceWhenResourcesRise: false,
    maxZonesWithUnavailablePods: null,
    podUpdateStrategy: 'Delete',
    deletionMode: 'Zone',
    removalMode: 'Zone',
    waitBetweenRemovals: 60,
    maxConcurrentReplacements: null,
    maintenance: { use: false, time: 600 },
    replacements: {
      enabled: false,
      failureDetectionTime: 7200,
      maxConcurrentReplacements: 1,
      taints: [],
      taintReplacementTime: 1800,
      maxTaintedZones: null,
    },
    buggify: { crashLoop: [], emptyMonitorConf: false, noSchedule: [], blockRemoval: [] },
  });
});

test('everything that people write arrives, each at its own place', () => {
  const spec = mapped({
    engine: { type: 'foundationdb', version: '7.3.63' },
    roles: [
      { name: 'storage', count: 5, dataTravels: 'never', evictionRequires: ['drained'] },
      { name: 'log', count: 2, dataTravels: 'always' },
    ],
    drainPolicy: 'always-allow',
    trigger: 'Cordon',
    unitPolicies: [
      {
        selector: {
          names: ['v1'],
          matchLabels: { tier: 'gold' },
          matchExpressions: [
            { key: 'team', operator: 'In', values: ['a'] },
            { key: 'old', operator: 'DoesNotExist' },
          ],
        },
        drainPolicy: 'block-for-eviction',
      },
    ],
    processGroupsToRemove: ['storage-1'],
    processGroupsToRemoveWithoutExclusion: ['storage-2'],
    cancelReplacementsForInstance: ['storage-3'],
    replaceInstancesWhenResourcesChange: true,
    maxZonesWithUnavailablePods: 0,
    automationOptions: {
      podUpdateStrategy: 'Replace',
      deletionMode: 'All',
      removalMode: 'ProcessGroup',
      waitBetweenRemovalsSeconds: 1,
      maxConcurrentReplacements: 2,
      maintenanceModeOptions: { useMaintenanceModeChecker: true, maintenanceModeTimeSeconds: 3 },
      replacements: {
        enabled: true,
        failureDetectionTimeSeconds: 4,
        maxConcurrentReplacements: 5,
        taintReplacementOptions: [{ key: '*', durationInSeconds: 6 }],
        taintReplacementTimeSeconds: 7,
        maxFaultDomainsWithTaintedProcessGroups: 8,
      },
    },
    buggify: { crashLoop: ['*'], emptyMonitorConf: true, noSchedule: ['log-1'], blockRemoval: ['log-2'] },
  });
  expect(spec).toEqual({
    engine: 'foundationdb',
    roles: [
      { name: 'storage', count: 5, dataTravels: 'never', evictionRequires: ['drained'], shape },
      { name: 'log', count: 2, dataTravels: 'always', evictionRequires: [], shape },
    ],
    drainPolicy: 'always-allow',
    unitPolicies: [
      {
        names: ['v1'],
        matchLabels: { tier: 'gold' },
        matchExpressions: [
          { key: 'team', operator: 'In', values: ['a'] },
          { key: 'old', operator: 'DoesNotExist', values: [] },
        ],
        drainPolicy: 'block-for-eviction',
      },
    ],
    trigger: 'Cordon',
    ownsPods: true,
    processGroupsToRemove: ['storage-1'],
    processGroupsToRemoveWithoutExclusion: ['storage-2'],
    cancelReplacements: ['storage-3'],
    replaceWhenResourcesRise: true,
    maxZonesWithUnavailablePods: 0,
    podUpdateStrategy: 'Replace',
    deletionMode: 'All',
    removalMode: 'ProcessGroup',
    waitBetweenRemovals: 1,
    maxConcurrentReplacements: 2,
    maintenance: { use: true, time: 3 },
    replacements: {
      enabled: true,
      failureDetectionTime: 4,
      maxConcurrentReplacements: 5,
      taints: [{ key: '*', duration: 6 }],
      taintReplacementTime: 7,
      maxTaintedZones: { count: 8 },
    },
    buggify: { crashLoop: ['*'], emptyMonitorConf: true, noSchedule: ['log-1'], blockRemoval: ['log-2'] },
  });
});

test('each role has the shape that is made for it', () => {
  const spec = statefulClusterSpec.parse({
    engine: { type: 'redis' },
    roles: [
      { name: 'primary', count: 1 },
      { name: 'replica', count: 1 },
    ],
  });
  const { roles } = clusterSpecOf(spec, (role) => givenShape({ specHash: role.name }));
  expect(roles.map((role) => role.shape?.specHash)).toEqual(['primary', 'replica']);
});

describe('what depends on something else', () => {
  test.each`
    engine            | strategy     | expected
    ${'foundationdb'} | ${undefined} | ${'ReplaceTransactionSystem'}
    ${'etcd'}         | ${undefined} | ${'Delete'}
    ${'etcd'}         | ${'Replace'} | ${'Replace'}
  `('$engine with the update strategy $strategy: $expected', ({ engine, strategy, expected }) => {
    const spec = mapped({
      engine: { type: engine, version: '7.3.63' },
      roles: [{ name: engine === 'etcd' ? 'member' : 'storage', count: 1 }],
      automationOptions: strategy === undefined ? {} : { podUpdateStrategy: strategy },
    });
    expect(spec.podUpdateStrategy).toBe(expected);
  });

  test.each`
    drainPolicy                                      | trigger       | expected
    ${'block-for-eviction'}                          | ${null}       | ${'Cordon'}
    ${'block-for-eviction-if-contains-last-replica'} | ${null}       | ${'Cordon'}
    ${'block-if-contains-last-replica'}              | ${null}       | ${'Eviction'}
    ${'block-for-eviction'}                          | ${'Eviction'} | ${'Eviction'}
  `('$drainPolicy with the trigger $trigger: $expected', ({ drainPolicy, trigger, expected }) => {
    expect(mapped({ drainPolicy, trigger }).trigger).toBe(expected);
  });

  test.each`
    written             | expected
    ${0}                | ${0}
    ${3600}             | ${3600}
    ${100_000_000_000}  | ${100_000_000_000}
    ${100_000_000_001}  | ${'never'}
    ${9007199254740991} | ${'never'}
    ${2 ** 63}          | ${'never'}
  `('a taint for $written s: $expected', ({ written, expected }) => {
    const replacements = { taintReplacementOptions: [{ key: 'a', durationInSeconds: written }] };
    expect(mapped({ automationOptions: { replacements } }).replacements.taints).toEqual([
      { key: 'a', duration: expected },
    ]);
  });

  test.each`
    written   | expected
    ${0}      | ${{ count: 0 }}
    ${2}      | ${{ count: 2 }}
    ${'0%'}   | ${{ percent: 0 }}
    ${'10%'}  | ${{ percent: 10 }}
    ${'100%'} | ${{ percent: 100 }}
  `('a brake at $written: $expected', ({ written, expected }) => {
    const replacements = { maxFaultDomainsWithTaintedProcessGroups: written };
    expect(mapped({ automationOptions: { replacements } }).replacements.maxTaintedZones).toEqual(expected);
  });

  test('a selector without names selects by labels alone, not nothing', () => {
    const selector = { names: [], matchLabels: { tier: 'gold' }, matchExpressions: [] };
    const [policy] = mapped({ unitPolicies: [{ selector, drainPolicy: 'always-allow' }] }).unitPolicies;
    expect(policy).toEqual({ matchLabels: { tier: 'gold' }, drainPolicy: 'always-allow' });
  });
});
