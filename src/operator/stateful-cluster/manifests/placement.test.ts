import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../kube/resources.ts';
import { group, someCluster } from '../../testing/some-cluster.ts';
import { podFor } from './pod.ts';

const database = { name: 'database', image: 'database:1' };

type Options = Parameters<typeof someCluster>[0];
const podOf = (options: Options): Pod => {
  const { cluster, role } = someCluster(options);
  return podFor(cluster, role, group);
};
const templateOf = (spec: object): Options => ({ role: { template: { spec } } });

describe('a node that died', () => {
  const tolerationsOf = (role: string, type: 'arangodb' | 'foundationdb', tolerations?: readonly object[]) => {
    const engine = { type, version: '7.3.63' } as const;
    const template = { spec: { containers: [database], ...(tolerations && { tolerations }) } };
    return podOf({ spec: { engine }, role: { name: role, template } }).spec.tolerations?.map(
      ({ key = '', effect = '', tolerationSeconds = 'no end' }) =>
        `${key.replace('node.kubernetes.io/', '')} ${effect} ${tolerationSeconds}`,
    );
  };

  test.each`
    type              | role            | expected
    ${'foundationdb'} | ${'storage'}    | ${300}
    ${'arangodb'}     | ${'image-id'}   | ${5}
    ${'arangodb'}     | ${'syncworker'} | ${60}
    ${'arangodb'}     | ${'single'}     | ${'no end'}
  `('is tolerated $expected s by $role of $type', ({ type, role, expected }) => {
    expect(tolerationsOf(role, type)).toEqual([`not-ready NoExecute ${expected}`, `unreachable NoExecute ${expected}`]);
  });

  test.each([
    [
      [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute', tolerationSeconds: 7 }],
      ['not-ready NoExecute 7', 'unreachable NoExecute 300'],
    ],
    [
      [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
      ['not-ready NoSchedule no end', 'not-ready NoExecute 300', 'unreachable NoExecute 300'],
    ],
    [[{ operator: 'Exists' }], ['  no end']],
    [[{ key: 'own', operator: 'Exists' }], ['own  no end', 'not-ready NoExecute 300', 'unreachable NoExecute 300']],
  ])('is tolerated as the template says: %j', (given, expected) => {
    expect(tolerationsOf('storage', 'foundationdb', given)).toEqual(expected);
  });
});

test.each([
  ['kubernetes.io/hostname', 'spec.nodeName'],
  ['topology.kubernetes.io/zone', "metadata.labels['topology.kubernetes.io/zone']"],
])('with zones by %s a pod reads its zone from %s, and spreads by it', (key, fieldPath) => {
  const pod = podOf({ spec: { faultDomain: { key } } });
  const valueFrom = { fieldRef: { apiVersion: 'v1', fieldPath } };
  expect(pod.spec.containers[0]?.env?.filter(({ name }) => /ZONE/.test(name))).toEqual([
    { name: 'DROVER_ZONE', valueFrom },
    { name: 'FDB_ZONE_ID', valueFrom },
  ]);
  expect(pod.spec).toMatchObject({ topologySpreadConstraints: [{ topologyKey: key }] });
});

test.each([
  [{ affinity: { podAntiAffinity: {} } }],
  [{ topologySpreadConstraints: [{ topologyKey: 'own' }] }],
  [{ topologySpreadConstraints: [] }],
])('no wish is added to %j', (wishes) => {
  expect(podOf(templateOf({ containers: [database], ...wishes })).spec).toMatchObject(wishes);
  expect(Object.keys(podOf(templateOf({ containers: [database], ...wishes })).spec)).not.toContain(
    'affinity' in wishes ? 'topologySpreadConstraints' : 'affinity',
  );
});

test('noSchedule: every alternative of the node affinity becomes impossible', () => {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const nowhere = { key: 'drover.dev/no-schedule', operator: 'In', values: ['true'] };
  const a = { key: 'a', operator: 'Exists' };
  const terms = [{ matchExpressions: [a] }, { matchFields: [a] }];
  const given = { podAffinity: {}, nodeAffinity: { preferred: [], [required]: { nodeSelectorTerms: terms } } };
  expect(
    podOf({ spec: { buggify: { noSchedule: ['storage-7'] } }, ...templateOf({ affinity: given }) }).spec.affinity,
  ).toEqual({
    podAffinity: {},
    nodeAffinity: {
      preferred: [],
      [required]: {
        nodeSelectorTerms: [{ matchExpressions: [a, nowhere] }, { matchFields: [a], matchExpressions: [nowhere] }],
      },
    },
  });
  const alone = { nodeAffinity: { [required]: { nodeSelectorTerms: [{ matchExpressions: [nowhere] }] } } };
  expect(podOf({ spec: { buggify: { noSchedule: ['*'] } } }).spec.affinity).toEqual(alone);
});
