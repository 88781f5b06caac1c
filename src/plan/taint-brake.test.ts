import { describe, expect, test } from 'vitest';
import type { AutomaticReplacement } from '../model/cluster-spec.ts';
import type { Taint } from '../model/node.ts';
import { at, givenNode, givenPod, givenSpec } from '../model/testing/given.ts';
import { seconds } from '../model/time.ts';
import { surveyOf } from '../rules/survey.ts';
import { replaceFailed } from './replace-failed.ts';
import type { Cluster } from './testing/cluster.ts';
import { held, markedFor, saysOf, snapshotOf } from './testing/cluster.ts';

const taint: Taint = { key: 'x/y', effect: 'NoSchedule', timeAdded: null };
const ignored: Taint = { key: 'a/ignore', effect: 'NoSchedule', timeAdded: null };
type Limit = AutomaticReplacement['maxTaintedZones'];

const spec = (maxTaintedZones: Limit) => ({
  replacements: {
    ...givenSpec().replacements,
    taints: [
      { key: '*', duration: seconds(3600) },
      { key: 'a/ignore', duration: 'never' as const },
    ],
    maxTaintedZones,
  },
});
const onNode = (id: string, given: Cluster['groups'] = {}) => ({ pod: givenPod(id, { node: `n-${id}` }), ...given });

/** storage-1 is due for its taint; so many nodes of the zones 1 to 20 carry one right now. */
function cluster(tainted: number, limit: Limit, all = 20): Cluster {
  const list = Array.from({ length: all }, (_, index) => `storage-${index + 1}`);
  const due = { conditions: [held('NodeTaintReplacing', -1800)] };
  return {
    groups: Object.fromEntries(list.map((id, index) => [id, { ...onNode(id), ...(index === 0 && due) }])),
    spec: spec(limit),
    snapshot: { nodes: list.map((id, index) => givenNode(`n-${id}`, { taints: index < tainted ? [taint] : [] })) },
  };
}
const braked = ['replace-failed holds storage-1: TaintBrake'];
const marked = ['mark storage-1 Tainted Tainted'];

describe('taint replacement stops while more zones than the limit are tainted right now', () => {
  test.each<[number, number, Limit, readonly string[]]>([
    [20, 20, null, marked],
    [1, 20, { count: 1 }, marked],
    [2, 20, { count: 1 }, braked],
    [2, 20, { count: 2 }, marked],
    [3, 20, { count: 2 }, braked],
    [1, 20, { count: 0 }, braked],
    [0, 20, { count: 0 }, marked],
    [2, 20, { percent: 10 }, marked],
    [3, 20, { percent: 10 }, braked],
    [2, 29, { percent: 10 }, marked],
    [3, 29, { percent: 10 }, braked],
    [3, 30, { percent: 10 }, marked],
    [1, 9, { percent: 10 }, marked],
    [2, 9, { percent: 10 }, braked],
    [1, 20, { percent: 0 }, marked],
    [2, 20, { percent: 0 }, braked],
    [20, 20, { percent: 100 }, marked],
  ])('%i of %i zones are tainted, at most %j: %j', (tainted, all, limit, expected) => {
    expect(saysOf(replaceFailed, cluster(tainted, limit, all))).toEqual(expected);
  });

  test('a process group of no known zone does not make the share of a percentage larger', () => {
    const { groups = {}, ...rest } = cluster(2, { percent: 10 }, 19);
    const nowhere = { zone: null, pod: null };
    expect(saysOf(replaceFailed, { ...rest, groups: { ...groups, 'storage-99': nowhere } })).toEqual(braked);
  });

  test('it says how many, and lets go when the taints do', () => {
    const held = replaceFailed(surveyOf(snapshotOf(cluster(3, { percent: 10 }))));
    expect(held.holds[0]?.reason.evidence).toEqual({ group: 'storage-1', zones: 3, limit: 2 });
    expect(held.wakeAt).toBeUndefined();
    expect(saysOf(replaceFailed, cluster(2, { percent: 10 }))).toEqual(marked);
  });

  test('a taint that is not yet due is said to be so, not braked', () => {
    const { groups = {}, ...rest } = cluster(3, { count: 1 });
    const young = { ...groups['storage-1'], conditions: [held('NodeTaintReplacing', -1799)] };
    expect(saysOf(replaceFailed, { ...rest, groups: { ...groups, 'storage-1': young } })).toEqual([
      'replace-failed holds storage-1: TaintHold until +1',
      'wake +1',
    ]);
  });

  test('a failure is not held by it', () => {
    const { groups = {}, ...rest } = cluster(3, { count: 1 });
    const conditions = [held('NodeTaintReplacing', -1800), held('PodFailing', -7200)];
    expect(
      saysOf(replaceFailed, { ...rest, groups: { ...groups, 'storage-1': { ...groups['storage-1'], conditions } } }),
    ).toEqual(['mark storage-1 Failed Failed']);
    const young = [held('NodeTaintReplacing', -1800), held('PodFailing', -7199)];
    expect(
      saysOf(replaceFailed, {
        ...rest,
        groups: { ...groups, 'storage-1': { ...groups['storage-1'], conditions: young } },
      }),
    ).toEqual(['replace-failed holds storage-1: FailureTooYoung until +1', ...braked, 'wake +1']);
  });
});

describe('which zones count', () => {
  const due = { conditions: [held('NodeTaintReplacing', -1800)] };
  const limit = { count: 1 };

  test.each<[string, Cluster, boolean]>([
    [
      'two groups in one tainted zone count once',
      {
        groups: {
          'storage-1': { ...onNode('storage-1'), ...due },
          'storage-2': { ...onNode('storage-2'), zone: 'zone-1' },
        },
        snapshot: { nodes: ['storage-1', 'storage-2'].map((id) => givenNode(`n-${id}`, { taints: [taint] })) },
      },
      false,
    ],
    [
      'a taint that is ignored is no event',
      {
        groups: { 'storage-1': { ...onNode('storage-1'), ...due }, 'storage-2': onNode('storage-2') },
        snapshot: {
          nodes: [givenNode('n-storage-1', { taints: [taint] }), givenNode('n-storage-2', { taints: [ignored] })],
        },
      },
      false,
    ],
    [
      'a group that is leaving is in a tainted zone all the same',
      {
        groups: {
          'storage-1': { ...onNode('storage-1'), ...due },
          'storage-2': { ...onNode('storage-2'), removal: markedFor('Tainted'), drainedAt: at(-5) },
        },
        snapshot: { nodes: ['storage-1', 'storage-2'].map((id) => givenNode(`n-${id}`, { taints: [taint] })) },
      },
      true,
    ],
    [
      'where the zone is not known, that of the node counts',
      {
        groups: {
          'storage-1': { ...onNode('storage-1'), ...due },
          'storage-2': { ...onNode('storage-2'), zone: null },
        },
        snapshot: {
          nodes: [
            givenNode('n-storage-1', { taints: [taint] }),
            givenNode('n-storage-2', { taints: [taint], zone: 'zone-1' }),
          ],
        },
      },
      false,
    ],
    [
      'where no zone is known, the node is one',
      {
        groups: {
          'storage-1': { ...onNode('storage-1'), ...due },
          'storage-2': { ...onNode('storage-2'), zone: null },
        },
        snapshot: {
          nodes: [
            givenNode('n-storage-1', { taints: [taint] }),
            givenNode('n-storage-2', { taints: [taint], zone: null }),
          ],
        },
      },
      true,
    ],
    [
      'a node that is gone, a pod that is gone and one without a node carry no taint',
      {
        groups: {
          'storage-1': { ...onNode('storage-1'), ...due },
          'storage-2': onNode('storage-2'),
          'storage-3': { pod: null, zone: null },
          'storage-4': { pod: givenPod('storage-4', { node: null }), zone: null },
        },
        snapshot: { nodes: [givenNode('n-storage-1', { taints: [taint] })] },
      },
      false,
    ],
    [
      'nodes that cannot be read carry no taint',
      { groups: { 'storage-1': { ...onNode('storage-1'), ...due } }, snapshot: { nodes: null } },
      false,
    ],
  ])('%s', (_, given, isBraked) => {
    expect(saysOf(replaceFailed, { ...given, spec: spec(limit) })).toEqual(isBraked ? braked : marked);
  });
});
