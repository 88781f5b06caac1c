import { expect, test } from 'vitest';
import type { Resources } from '../../../model/shape.ts';
import { givenClaim, givenPod } from '../../../model/testing/given.ts';
import { someCluster } from '../../testing/some-cluster.ts';
import type { Lacking } from './needs.ts';
import { needsOf, nothingYet } from './needs.ts';

const container = (resources: object, more: object = {}) => ({ name: 'c', resources, ...more });
interface Given {
  readonly containers?: readonly object[];
  readonly initContainers?: readonly object[];
  readonly publicIPSource?: 'Pod' | 'Service';
  readonly claim?: object;
}

const needs = ({ claim, publicIPSource = 'Pod', ...given }: Given, lacking: Lacking = nothingYet) => {
  const template = { spec: { containers: [container({})], ...given } };
  const volume = claim === undefined ? {} : { volumeClaimTemplate: { ...claim } };
  const { cluster, role } = someCluster({ spec: { publicIPSource }, role: { template, ...volume } });
  return needsOf(cluster, role, lacking);
};
const pod = { pods: 1, 'count/pods': 1 };
const claims = { persistentvolumeclaims: 1, 'count/persistentvolumeclaims': 1 };
const disk = { storageClassName: 'fast', resources: { requests: { storage: '1Ki' } } };

test.each<[string, Given, Resources]>([
  ['a pod', {}, pod],
  [
    'its requests and limits, and a limit without a request is both',
    {
      containers: [
        container({ requests: { cpu: '500m' }, limits: { cpu: 1, memory: '1k' } }),
        container({ requests: { cpu: 1 } }),
      ],
    },
    {
      ...pod,
      cpu: 1.5,
      'requests.cpu': 1.5,
      'limits.cpu': 1,
      memory: 1000,
      'requests.memory': 1000,
      'limits.memory': 1000,
    },
  ],
  [
    'one that runs before, where it asks for more',
    { containers: [container({ requests: { cpu: 1 } })], initContainers: [container({ requests: { cpu: 3 } })] },
    { ...pod, cpu: 3, 'requests.cpu': 3 },
  ],
  [
    'a sidecar on top',
    {
      containers: [container({ requests: { cpu: 1 } })],
      initContainers: [container({ requests: { cpu: 3 } }, { restartPolicy: 'Always' })],
    },
    { ...pod, cpu: 4, 'requests.cpu': 4 },
  ],
  ['a service', { publicIPSource: 'Service' }, { ...pod, services: 1, 'count/services': 1 }],
  [
    'a claim, by its class as well',
    { claim: disk },
    {
      ...pod,
      ...claims,
      'requests.storage': 1024,
      'fast.storageclass.storage.k8s.io/persistentvolumeclaims': 1,
      'fast.storageclass.storage.k8s.io/requests.storage': 1024,
    },
  ],
  [
    'a claim that the API server will refuse',
    { claim: { resources: 5 } },
    { ...pod, ...claims, 'requests.storage': 0 },
  ],
])('what a process group needs that has nothing yet: %s', (_, given, expected) => {
  expect(needs(given)).toEqual(expected);
});

test.each([
  ['the pod', { pod: null, claim: givenClaim(), service: 'present' }, pod],
  ['the claim', { pod: givenPod('storage-1'), claim: null, service: 'none' }, { ...claims, 'requests.storage': 0 }],
  ['nothing', { pod: givenPod('storage-1'), claim: givenClaim(), service: 'none' }, {}],
] as const)('of one that lacks %s, only that', (_, lacking, expected) => {
  expect(needs({ claim: {} }, lacking)).toEqual(expected);
});
