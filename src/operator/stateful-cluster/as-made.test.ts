import { describe, expect, test } from 'vitest';
import { group, someCluster } from '../testing/some-cluster.ts';
import type { Kept, KeptClaim } from './as-made.ts';
import { asMade, wouldChange } from './as-made.ts';
import { podFor } from './manifests/pod.ts';
import { shapeOf } from './pod-shape.ts';
import type { Role } from './pod-template.ts';
import { templateOf } from './pod-template.ts';

const volumeClaimTemplate = { accessModes: ['ReadWriteOnce'] };
const nothing: Kept = { publicIP: null, claim: null };
const withClaim = (claim: Partial<KeptClaim>): Kept => ({
  publicIP: null,
  claim: { processes: 1, nodeSelector: {}, travels: false, ...claim },
});

describe('the address', () => {
  test.each`
    situation                          | source       | kept                                    | made
    ${'no service, and none wanted'}   | ${'Pod'}     | ${nothing}                              | ${'Pod'}
    ${'a service, and none is wanted'} | ${'Pod'}     | ${{ ...nothing, publicIP: '10.0.0.1' }} | ${'Service'}
    ${'a service that is wanted'}      | ${'Service'} | ${{ ...nothing, publicIP: '10.0.0.1' }} | ${'Service'}
    ${'no service, and one is wanted'} | ${'Service'} | ${nothing}                              | ${'Service'}
  `('$situation: $made', ({ source, kept, made }) => {
    const { cluster, role } = someCluster({ spec: { publicIPSource: source } });
    expect(asMade(cluster, role, kept).cluster.spec.publicIPSource).toBe(made);
  });
});

describe('the processes', () => {
  test.each`
    situation              | wanted | kept                              | made
    ${'no claim yet'}      | ${2}   | ${nothing}                        | ${2}
    ${'as many as wanted'} | ${2}   | ${withClaim({ processes: 2 })}    | ${2}
    ${'more than wanted'}  | ${1}   | ${withClaim({ processes: 2 })}    | ${2}
    ${'fewer than wanted'} | ${2}   | ${withClaim({ processes: 1 })}    | ${1}
    ${'it does not say'}   | ${3}   | ${withClaim({ processes: null })} | ${3}
  `('$situation: $made', ({ wanted, kept, made }) => {
    const { cluster, role } = someCluster({ role: { volumeClaimTemplate, processesPerPod: wanted } });
    expect(asMade(cluster, role, kept).role.processesPerPod).toBe(made);
  });
});

describe('the nodes', () => {
  const green = { pool: 'green' };
  const blue = { pool: 'blue' };
  test.each`
    situation                         | kept                                                | made
    ${'no claim yet'}                 | ${nothing}                                          | ${green}
    ${'as wanted'}                    | ${withClaim({ nodeSelector: green })}               | ${green}
    ${'others, and the volume stays'} | ${withClaim({ nodeSelector: blue })}                | ${blue}
    ${'any, and the volume stays'}    | ${withClaim({ nodeSelector: {} })}                  | ${{}}
    ${'others, and it travels'}       | ${withClaim({ nodeSelector: blue, travels: true })} | ${green}
    ${'it does not say'}              | ${withClaim({ nodeSelector: null })}                | ${green}
  `('$situation: $made', ({ kept, made }) => {
    const template = { spec: { containers: [{ name: 'database', image: 'database:1' }], nodeSelector: green } };
    const { cluster, role } = someCluster({ role: { volumeClaimTemplate, template } });
    const { role: then } = asMade(cluster, role, kept);
    expect(templateOf(cluster, then).spec.nodeSelector).toEqual(made);
    // Only one that is as wanted looks so: the others are still to be replaced.
    const isAsWanted = (one: Role) => shapeOf(cluster, one).specHash === shapeOf(cluster, role).specHash;
    expect(isAsWanted(then)).toBe(made === green);
  });
});

test('a claim that is there is mounted, also where the role has none any more', () => {
  const { cluster, role } = someCluster();
  const volumesWith = (kept: Kept) => {
    const made = asMade(cluster, role, kept);
    return JSON.stringify(podFor(made.cluster, made.role, group).spec.volumes ?? []);
  };
  expect(volumesWith(nothing)).not.toContain('orders-storage-7-data');
  expect(volumesWith(withClaim({}))).toContain('orders-storage-7-data');
});

describe('what changed reaches a pod that is made again, or waits for a replacement', () => {
  const template = (image: string) => ({ spec: { containers: [{ name: 'database', image }] } });
  const before = someCluster({
    spec: { publicIPSource: 'Service' },
    role: { volumeClaimTemplate, processesPerPod: 2, template: template('database:1') },
  });
  const kept: Kept = { ...withClaim({ processes: 2 }), publicIP: '10.0.0.1' };
  const pods = shapeOf(before.cluster, before.role).specHash;
  test.each`
    situation                        | source       | processes | image           | would
    ${'nothing'}                     | ${'Service'} | ${2}      | ${'database:1'} | ${false}
    ${'the address'}                 | ${'Pod'}     | ${2}      | ${'database:1'} | ${false}
    ${'the number of processes'}     | ${'Service'} | ${1}      | ${'database:1'} | ${false}
    ${'the image'}                   | ${'Service'} | ${2}      | ${'database:2'} | ${true}
    ${'the image and the address'}   | ${'Pod'}     | ${2}      | ${'database:2'} | ${true}
    ${'the image and the processes'} | ${'Service'} | ${1}      | ${'database:2'} | ${true}
  `('$situation: the pod would be another one: $would', ({ source, processes, image, would }) => {
    const { cluster, role } = someCluster({
      spec: { publicIPSource: source },
      role: { volumeClaimTemplate, processesPerPod: processes, template: template(image) },
    });
    expect(wouldChange(pods, cluster, role, kept)).toBe(would);
    const made = asMade(cluster, role, kept);
    expect(wouldChange(shapeOf(made.cluster, made.role).specHash, cluster, role, kept)).toBe(false);
  });
});

test('each process group is asked about by what is kept of it, whoever was asked about before', () => {
  const { cluster, role } = someCluster({ role: { volumeClaimTemplate, processesPerPod: 1 } });
  const keeps: readonly Kept[] = [nothing, withClaim({ processes: 2 }), { ...nothing, publicIP: '10.0.0.1' }];
  const hashes = keeps.map((kept) => {
    const made = asMade(cluster, role, kept);
    return shapeOf(made.cluster, made.role).specHash;
  });
  expect(new Set(hashes).size).toBe(keeps.length);
  for (const asked of hashes)
    expect(keeps.map((kept) => wouldChange(asked, cluster, role, kept))).toEqual(hashes.map((hash) => hash !== asked));
});
