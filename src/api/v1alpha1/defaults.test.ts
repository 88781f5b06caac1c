import { describe, expect, test } from 'vitest';
import { drainPolicies } from '../../model/cluster-spec.ts';
import { effectiveTrigger } from './policies.defaults.ts';
import { detectorEnabled, detectorSchedule, podUpdateStrategy } from './stateful-cluster.defaults.ts';
import { type StatefulClusterSpecInput, statefulClusterSpec } from './stateful-cluster.schema.ts';

function specOf(type: 'foundationdb' | 'etcd', automationOptions: StatefulClusterSpecInput['automationOptions'] = {}) {
  return statefulClusterSpec.parse({
    engine: { type, version: '7.3.63' },
    roles: [{ name: 'storage', count: 1 }],
    automationOptions,
  });
}

describe('a changed pod template is rolled out as the spec says, else as the engine likes it', () => {
  test.each([
    ['foundationdb', {}, 'ReplaceTransactionSystem'],
    ['etcd', {}, 'Delete'],
    ['foundationdb', { podUpdateStrategy: 'Delete' }, 'Delete'],
    ['etcd', { podUpdateStrategy: 'Replace' }, 'Replace'],
  ] as const)('%s with %j: %s', (type, options, expected) => {
    expect(podUpdateStrategy(specOf(type, options))).toBe(expected);
  });
});

describe('work starts', () => {
  test.each(drainPolicies)('under %s at the cordon only if data is to be moved', (drainPolicy) => {
    expect(effectiveTrigger({ trigger: null, drainPolicy })).toBe(
      drainPolicy.startsWith('block-for-eviction') ? 'Cordon' : 'Eviction',
    );
  });

  test('where the spec says so, whatever the policy', () => {
    expect(effectiveTrigger({ trigger: 'Eviction', drainPolicy: 'block-for-eviction' })).toBe('Eviction');
    expect(effectiveTrigger({ trigger: 'Cordon', drainPolicy: 'always-allow' })).toBe('Cordon');
  });
});

describe('the failure detector', () => {
  test.each([
    [true, null, true],
    [false, null, false],
    [true, false, false],
    [false, true, true],
  ])('replacements %s, detector %s: exists %s', (enabled, own, expected) => {
    const { replacements } = specOf('etcd', {
      replacements: { enabled, detector: { enabled: own } },
    }).automationOptions;
    expect(detectorEnabled(replacements)).toBe(expected);
  });

  test.each([
    [0, '*/1 * * * *'],
    [60, '*/1 * * * *'],
    [1800, '*/30 * * * *'],
    [2700, '*/30 * * * *'],
    [3600, '0 */1 * * *'],
    [7200, '0 */2 * * *'],
    [18_000, '0 */4 * * *'],
    [86_400, '0 0 * * *'],
    [604_799, '0 0 * * *'],
    [604_800, '0 0 * * 0'],
    [10_000_000, '0 0 * * 0'],
  ])('runs at least every %s s: %s', (failureDetectionTimeSeconds, schedule) => {
    const { replacements } = specOf('etcd', { replacements: { failureDetectionTimeSeconds } }).automationOptions;
    expect(detectorSchedule(replacements)).toBe(schedule);
  });

  test('runs when the spec says so', () => {
    const { replacements } = specOf('etcd', { replacements: { detector: { schedule: '@daily' } } }).automationOptions;
    expect(detectorSchedule(replacements)).toBe('@daily');
  });
});
