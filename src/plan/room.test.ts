import { describe, expect, test } from 'vitest';
import { name } from '../model/ids.ts';
import type { Share, Snapshot } from '../model/snapshot.ts';
import { at, givenRole, givenShape } from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { Room } from './room.ts';
import type { Cluster } from './testing/cluster.ts';
import { ids, markedFor, snapshotOf, stuck } from './testing/cluster.ts';

/** Why storage-1 would find no room for its successor. */
function whyNot(cluster: Cluster, id = 'storage-1'): unknown {
  const survey = surveyOf(snapshotOf(cluster));
  const group = survey.groups.get(name(id));
  const reason = group === undefined ? undefined : new Room(survey).reasonAgainst(group);
  if (reason !== undefined) expect(reason.code).toBe('NoRoom');
  return reason?.evidence['why'];
}

const quota = { message: 'exceeded quota: compute-resources', missing: { cpu: 1 } };
const share = (given: Partial<Share>): Partial<Snapshot> => ({ share: { reserved: 'all', quota: null, ...given } });
const groups = { 'storage-1': {}, 'storage-2': {} };
const words = '0/6 nodes are available';

describe('what the fleet gives', () => {
  test.each<[string, Partial<Share>, string | undefined]>([
    ['nothing is rationed', {}, undefined],
    ['nothing is rationed, and the quota is full', { quota }, quota.message],
    ['room is reserved', { reserved: ids('storage-1') }, undefined],
    ['room is reserved, and the quota is full for others', { reserved: ids('storage-1'), quota }, undefined],
    ['room is reserved for others', { reserved: ids('storage-2') }, 'what room there is goes to others first'],
    ['room is reserved for others, and the quota is full', { reserved: ids('storage-2'), quota }, quota.message],
    ['no room for anyone', { reserved: [] }, 'what room there is goes to others first'],
  ])('%s', (_, given, expected) => {
    expect(whyNot({ groups, snapshot: share(given) })).toBe(expected);
  });
});

describe('a new process group that finds no node shows that there is no room', () => {
  test.each<[string, Cluster, string | undefined]>([
    ['of the same role', { groups: { ...groups, 'storage-9': stuck('storage-9') } }, words],
    ['of another role', { groups: { ...groups, 'log-9': stuck('log-9') } }, undefined],
    [
      'also where room was reserved',
      { groups: { ...groups, 'storage-9': stuck('storage-9') }, snapshot: share({ reserved: ids('storage-1') }) },
      words,
    ],
    ['one that has a node', { groups: { ...groups, 'storage-9': { addresses: [] } } }, undefined],
    [
      'one that had a place before',
      { groups: { ...groups, 'storage-9': { ...stuck('storage-9'), addresses: ['10.0.0.9'] } } },
      undefined,
    ],
    [
      'one that is leaving',
      { groups: { ...groups, 'storage-9': { ...stuck('storage-9'), removal: markedFor() } } },
      undefined,
    ],
    [
      'one of an older spec',
      { groups: { ...groups, 'storage-9': stuck('storage-9', { shape: givenShape({ specHash: 'old' }) }) } },
      undefined,
    ],
    [
      'one made so on purpose',
      {
        groups: { ...groups, 'storage-9': stuck('storage-9') },
        spec: { buggify: { crashLoop: [], emptyMonitorConf: false, noSchedule: ids('storage-9'), blockRemoval: [] } },
      },
      undefined,
    ],
    [
      'all made so on purpose',
      {
        groups: { ...groups, 'storage-9': stuck('storage-9') },
        spec: { buggify: { crashLoop: [], emptyMonitorConf: false, noSchedule: ['*'], blockRemoval: [] } },
      },
      undefined,
    ],
    ['itself', { groups: { 'storage-1': stuck('storage-1') } }, undefined],
    [
      'itself, while one of its role is about to free its place',
      { groups: { 'storage-1': stuck('storage-1'), 'storage-2': { removal: markedFor(), drainedAt: at(-9) } } },
      'storage-2 has not left its place yet',
    ],
    [
      'itself, while one of its role is marked and not drained',
      { groups: { 'storage-1': stuck('storage-1'), 'storage-2': { removal: markedFor() } } },
      undefined,
    ],
    [
      'itself, while one without a pod is on its way out',
      {
        groups: {
          'storage-1': stuck('storage-1'),
          'storage-2': { removal: markedFor(), drainedAt: at(-9), pod: null },
        },
      },
      undefined,
    ],
    [
      'itself and another',
      {
        groups: { 'storage-1': stuck('storage-1'), 'storage-2': stuck('storage-2', { unschedulable: 'other words' }) },
      },
      'other words',
    ],
    [
      'the first of two, by id',
      {
        groups: {
          ...groups,
          'storage-9': stuck('storage-9', { unschedulable: 'later' }),
          'storage-5': stuck('storage-5'),
        },
      },
      words,
    ],
  ])('%s', (_, cluster, expected) => {
    expect(whyNot(cluster)).toBe(expected);
  });
});

describe('who needs no successor needs no room', () => {
  const none = share({ reserved: [] });

  test('a lower count is met without one, an equal count is not', () => {
    expect(whyNot({ groups, roles: [givenRole('storage', { count: 1 })], snapshot: none })).toBeUndefined();
    expect(whyNot({ groups, roles: [givenRole('storage', { count: 2 })], snapshot: none })).toBeDefined();
  });

  test('marked ones do not count', () => {
    const withMarked = { ...groups, 'storage-3': { removal: markedFor() } };
    expect(whyNot({ groups: withMarked, roles: [givenRole('storage', { count: 2 })], snapshot: none })).toBeDefined();
  });

  test('a role that the spec does not name any more', () => {
    expect(whyNot({ groups, roles: [], snapshot: none })).toBeUndefined();
  });

  test('one that takes over the identity takes over the place', () => {
    const agents = { 'agent-1': {}, 'agent-2': {} };
    expect(whyNot({ groups: agents, spec: { engine: 'arangodb' }, snapshot: none }, 'agent-1')).toBeUndefined();
  });

  test('whoever leaves uses up the lower count', () => {
    const three = { ...groups, 'storage-3': {} };
    const survey = surveyOf(snapshotOf({ groups: three, roles: [givenRole('storage', { count: 1 })], snapshot: none }));
    const room = new Room(survey);
    const left = survey.snapshot.processGroups.map((group) => {
      const reason = room.reasonAgainst(group);
      room.take(group);
      return reason?.code;
    });
    expect(left).toEqual([undefined, undefined, 'NoRoom']);
  });
});
