import { describe, expect, test } from 'vitest';
import { someCluster } from '../testing/some-cluster.ts';
import { resourcesOf, shapeOf } from './pod-shape.ts';
import { claimSpecHash, podSpecHash } from './spec-hash.ts';

test('a shape has all that the core compares', () => {
  const resources = { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '2Gi' } };
  const template = { spec: { containers: [{ name: 'c', resources }], nodeSelector: { disk: 'fast' } } };
  const { cluster, role } = someCluster({
    spec: { processGroupIDPrefix: 'blue', publicIPSource: 'Service' },
    role: { template, processesPerPod: 2, volumeClaimTemplate: {} },
  });
  expect(shapeOf(cluster, role)).toEqual({
    idPrefix: 'blue',
    publicIPSource: 'Service',
    processesPerPod: 2,
    nodeSelector: { disk: 'fast' },
    claimSpecHash: claimSpecHash(role),
    requests: { cpu: 0.5, memory: 1024 ** 3 },
    limits: { memory: 2 * 1024 ** 3 },
    specHash: podSpecHash(cluster, role),
  });
});

describe('resources', () => {
  const container = (requests: object, limits: object = {}, more: object = {}) => ({
    name: 'c',
    resources: { requests: { ...requests }, limits: { ...limits } },
    ...more,
  });

  test.each([
    ['nothing asked', [{ name: 'c' }], [], {}, {}],
    ['exact sums', [container({ cpu: '100m' }), container({ cpu: 0.2 })], [], { cpu: 0.3 }, {}],
    ['what is no quantity counts as absent', [container({ cpu: 'much', memory: '1k' })], [], { memory: 1000 }, {}],
    ['a limit that every container has', [container({}, { cpu: 1 }), container({}, { cpu: 2 })], [], {}, { cpu: 3 }],
    ['a limit that one container has not', [container({}, { cpu: 1 }), container({})], [], {}, {}],
    [
      'sidecars count, what only runs before does not',
      [container({ cpu: 1 })],
      [container({ cpu: 2 }, {}, { restartPolicy: 'Always' }), container({ cpu: 4 })],
      { cpu: 3 },
      {},
    ],
  ])('%s', (_what, containers, initContainers, requests, limits) => {
    expect(resourcesOf({ containers, initContainers })).toEqual({ requests, limits });
  });
});

test('a shape stays small, and still tells two of them apart', () => {
  const shapeWith = (label: string) => {
    const nodeSelector = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${label}-${index}`, 'x']));
    const requests = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`example.com/${index}`, 1]));
    const template = { spec: { nodeSelector, containers: [{ name: 'c', resources: { requests } }] } };
    const { cluster, role } = someCluster({ role: { template } });
    return shapeOf(cluster, role);
  };
  expect(JSON.stringify(shapeWith('a')).length).toBeLessThan(8192);
  expect(shapeWith('a').nodeSelector).not.toEqual(shapeWith('b').nodeSelector);
  expect(shapeWith('a').nodeSelector).toEqual(shapeWith('a').nodeSelector);
});
