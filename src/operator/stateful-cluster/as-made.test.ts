import { expect, test } from 'vitest';
import { group, someCluster } from '../testing/some-cluster.ts';
import { asMade } from './as-made.ts';
import { podFor } from './manifests/pod.ts';

const volumeClaimTemplate = { accessModes: ['ReadWriteOnce'] };
const own = { publicIPSource: 'Pod', processesPerPod: 1, hasVolume: true };

test.each`
  situation                          | source       | processes | kept                                              | expected
  ${'nothing of it is there'}        | ${'Pod'}     | ${1}      | ${{ publicIP: null, claim: null }}                | ${own}
  ${'as the spec has it'}            | ${'Pod'}     | ${1}      | ${{ publicIP: null, claim: { processes: 1 } }}    | ${own}
  ${'a claim that does not say'}     | ${'Pod'}     | ${3}      | ${{ publicIP: null, claim: { processes: null } }} | ${{ ...own, processesPerPod: 3 }}
  ${'more data than processes'}      | ${'Pod'}     | ${1}      | ${{ publicIP: null, claim: { processes: 2 } }}    | ${{ ...own, processesPerPod: 2 }}
  ${'fewer data than processes'}     | ${'Pod'}     | ${2}      | ${{ publicIP: null, claim: { processes: 1 } }}    | ${own}
  ${'a service, and none is wanted'} | ${'Pod'}     | ${1}      | ${{ publicIP: '10.0.0.1', claim: null }}          | ${{ ...own, publicIPSource: 'Service' }}
  ${'a service that is wanted'}      | ${'Service'} | ${1}      | ${{ publicIP: '10.0.0.1', claim: null }}          | ${{ ...own, publicIPSource: 'Service' }}
  ${'no service, and one is wanted'} | ${'Service'} | ${1}      | ${{ publicIP: null, claim: null }}                | ${{ ...own, publicIPSource: 'Service' }}
`('$situation', ({ source, processes, kept, expected }) => {
  const { cluster, role } = someCluster({
    spec: { publicIPSource: source },
    role: { volumeClaimTemplate, processesPerPod: processes },
  });
  const made = asMade(cluster, role, kept);
  expect({
    publicIPSource: made.cluster.spec.publicIPSource,
    processesPerPod: made.role.processesPerPod,
    hasVolume: made.role.volumeClaimTemplate !== undefined,
  }).toEqual(expected);
});

test('a claim that is there is mounted, also where the role has none any more', () => {
  const { cluster, role } = someCluster();
  const volumesWith = (kept: Parameters<typeof asMade>[2]) => {
    const made = asMade(cluster, role, kept);
    return JSON.stringify(podFor(made.cluster, made.role, group).spec.volumes ?? []);
  };
  expect(volumesWith({ publicIP: null, claim: null })).not.toContain('orders-storage-7-data');
  expect(volumesWith({ publicIP: null, claim: { processes: 1 } })).toContain('orders-storage-7-data');
});
