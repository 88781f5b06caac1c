import { describe, expect, test } from 'vitest';
import { someCluster } from '../testing/some-cluster.ts';
import { claimSpecHash, hashOf, podSpecHash } from './spec-hash.ts';

type Options = Parameters<typeof someCluster>[0];
const hash = (options: Options = {}): string => {
  const { cluster, role } = someCluster(options);
  return podSpecHash(cluster, role);
};
const template = { spec: { containers: [{ name: 'c', image: 'i' }], nodeSelector: { a: '1', b: '2' } } };

describe('the hash of a pod', () => {
  test('is this one: when it changes, every pod of every cluster is made again', () => {
    expect(hash({ role: { template } })).toBe('1213204db2ac30aa9a3ff642e21d2320fabc9a8c504457520405d466f84826c3');
  });

  test.each<[string, Options]>([
    [
      'the order of keys',
      { role: { template: { spec: { nodeSelector: { b: '2', a: '1' }, containers: [{ image: 'i', name: 'c' }] } } } },
    ],
    ['a null', { role: { template: { ...template, metadata: null } } }],
    ['the count', { role: { template, count: 9 } }],
    ["the engine's version", { role: { template }, spec: { engine: { type: 'foundationdb', version: '7.4.1' } } }],
    ['the prefix of ids', { role: { template }, spec: { processGroupIDPrefix: 'blue' } }],
    [
      'a fault that is injected',
      { role: { template }, spec: { buggify: { crashLoop: ['*'], emptyMonitorConf: true } } },
    ],
    ['the policy', { role: { template }, spec: { drainPolicy: 'always-allow' } }],
    ['the status', { role: { template }, status: { nextProcessGroupNumber: 9 } }],
  ])('does not depend on %s', (_what, options) => {
    expect(hash(options)).toBe(hash({ role: { template } }));
  });

  test.each<[string, Options]>([
    ['an image', { role: { template: { spec: { ...template.spec, containers: [{ name: 'c', image: 'j' }] } } } }],
    ['a field that Drover does not know', { role: { template: { spec: { ...template.spec, hostPID: true } } } }],
    ['the order of a list', { role: { template: { spec: { ...template.spec, x: [2, 1] } } } }],
    ['the processes in a pod', { role: { template, processesPerPod: 2 } }],
    ['the source of addresses', { role: { template }, spec: { publicIPSource: 'Service' } }],
    ['the fault domain', { role: { template }, spec: { faultDomain: { key: 'rack' } } }],
    ['that there is a claim', { role: { template, volumeClaimTemplate: {} } }],
    [
      "somebody else's connection string",
      {
        role: { template },
        spec: {
          engine: { type: 'foundationdb', version: '7.3.63', foundationdb: { connectionString: { name: 'theirs' } } },
        },
      },
    ],
  ])('depends on %s', (_what, options) => {
    expect(hash(options)).not.toBe(hash({ role: { template } }));
    expect(hash({ role: { template: { spec: { ...template.spec, x: [1, 2] } } } })).not.toBe(hash(options));
  });

  test('does not depend on what the claim asks for: the claim has its own', () => {
    const [small, large] = ['1Gi', '2Gi'].map((storage) => ({ resources: { requests: { storage } } }));
    const roles = [{ volumeClaimTemplate: small }, { volumeClaimTemplate: large }].map((role) => someCluster({ role }));
    const [a, b] = roles.map(({ cluster, role }) => [podSpecHash(cluster, role), claimSpecHash(role)]);
    expect(a?.[0]).toBe(b?.[0]);
    expect(a?.[1]).not.toBe(b?.[1]);
  });
});

test('a role without a claim has no hash of one', () => {
  expect(claimSpecHash(someCluster().role)).toBe('');
});

test('the hash of a claim is this one: when it changes, every process group with a claim is replaced', () => {
  const volumeClaimTemplate = { accessModes: ['ReadWriteOnce'], storageClassName: null };
  expect(claimSpecHash(someCluster({ role: { volumeClaimTemplate } }).role)).toBe(
    '208ac7ec1c148bfee6a2be8a73c5baaf00f0060dd4dafc4b446a964055c6da8c',
  );
});

test.each([
  [{ a: [{ x: 1, y: null }], b: 2 }, { b: 2, a: [{ x: 1 }] }, true],
  [{ a: 1 }, { a: '1' }, false],
  [[1, 2], [2, 1], false],
  [[1, null], [1], false],
  [{ a: {} }, {}, false],
])('%j and %j are the same: %s', (one, other, expected) => {
  expect(hashOf(one) === hashOf(other)).toBe(expected);
});
