import { describe, expect, test } from 'vitest';
import type { RoleName } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import { at, givenClaim, givenPod, givenRole } from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { surveyOf } from '../rules/survey.ts';
import { createObjects } from './create-objects.ts';
import type { Cluster } from './testing/cluster.ts';
import { ids, markedFor, saysOf, snapshotOf, stuck } from './testing/cluster.ts';
import { toldInWords } from './testing/told.ts';

type Partly = Partial<NonNullable<NonNullable<Cluster['groups']>[string]>>;

const creating = (group: Partly, cluster: Cluster = {}) =>
  saysOf(createObjects, { groups: { 'storage-1': group }, ...cluster });
const create = (...what: readonly string[]) => what.map((one) => `create ${one} storage-1 ObjectMissing`);
const terminating = 'create-objects holds storage-1: ObjectTerminating';
const going = givenPod('storage-1', { deletingSince: at(-5) });

describe('a process group gets what it lacks', () => {
  test.each<[string, Partly, readonly string[]]>([
    ['nothing is lacking', {}, []],
    ['no pod', { pod: null }, create('pod')],
    ['no claim', { claim: null }, create('claim')],
    ['no service', { service: null }, create('service')],
    ['nothing at all', { pod: null, claim: null, service: null }, create('claim', 'service', 'pod')],
    ['no claim is wanted', { pod: null, claim: 'none' }, create('pod')],
    ['its pod is still going', { pod: going }, [terminating]],
    ['its service is still going', { service: 'terminating' }, [terminating]],
    [
      'its claim is still going: no pod is put on it',
      { pod: null, claim: givenClaim({ deleting: true }) },
      [terminating],
    ],
    [
      'its claim is still going, and its pod',
      { pod: going, claim: givenClaim({ deleting: true }) },
      [terminating, terminating],
    ],
    ['its pod is still going, and the claim is gone', { pod: going, claim: null }, [...create('claim'), terminating]],
  ])('%s', (_, group, expected) => {
    expect(creating(group)).toEqual(expected);
  });

  const nothing = { pod: null, claim: null, service: null, addresses: [] } as const;
  const unlocked = (...roles: readonly string[]) => ({
    snapshot: {
      missingBudgets: roles.map((role) => ({ role: name<RoleName>(role), budget: `lock-of-${role}`, message: 'full' })),
    },
  });
  const waits = 'create-objects holds storage-1: BudgetMissing';
  const warns = 'create-objects holds the cluster: BudgetMissing';
  test.each<[string, Partly, Partly, readonly string[], readonly string[]]>([
    ['nothing of it was ever there', {}, nothing, ['storage'], [waits]],
    ['nothing was, and it has no claim', { claim: 'none', service: 'none' }, nothing, ['storage'], [waits]],
    [
      'it had a pod that ran',
      { addresses: ['10.0.0.1'] },
      nothing,
      ['storage'],
      [...create('claim', 'service', 'pod'), warns],
    ],
    ['its volume is there', { claim: givenClaim() }, nothing, ['storage'], [...create('service', 'pod'), warns]],
    ['its service is there', { service: 'present' }, nothing, ['storage'], [...create('claim', 'pod'), warns]],
    ['another one of its role is there', {}, {}, ['storage'], [...create('claim', 'service', 'pod'), warns]],
    ['the lock of another role is missing', {}, nothing, ['log'], create('claim', 'service', 'pod')],
  ])('its role has no lock, and %s', (_, group, other, roles, expected) => {
    const groups = { 'storage-1': { ...nothing, ...group }, 'storage-2': other };
    const all = saysOf(createObjects, { groups, ...unlocked(...roles) });
    expect(all.filter((line) => !line.includes('storage-2'))).toEqual(expected);
  });

  test.each<[string, Cluster, readonly string[]]>([
    [
      'what waits for its lock',
      { groups: { 'storage-1': nothing }, ...unlocked('storage') },
      [
        'storage-1 is not created, because nothing would lock it: the API server refuses the budget lock-of-storage: full; next: change the quota, policy or permission that refuses it; it is tried with every look',
      ],
    ],
    [
      'all roles whose pods go without, at once',
      { groups: { 'storage-1': {}, 'log-1': {} }, ...unlocked('storage', 'log') },
      [
        'nothing locks the pods of log, storage while Drover is down: the API server refuses the budgets lock-of-log and lock-of-storage: full; next: change the quota, policy or permission that refuses it; it is tried with every look',
      ],
    ],
  ])('is told in words: %s', (_, cluster, expected) => {
    expect(toldInWords(createObjects(surveyOf(snapshotOf(cluster))))).toEqual(expected);
  });

  test.each<[string, Partly, readonly string[]]>([
    ['pod', { pod: going }, ['storage-1 gets a new pod when the old one, which is being deleted, is gone']],
    [
      'service',
      { service: 'terminating' },
      ['storage-1 gets a new service when the old one, which is being deleted, is gone'],
    ],
    [
      'claim',
      { claim: givenClaim({ deleting: true }) },
      ['storage-1 gets a new claim when the old one, which is being deleted, is gone'],
    ],
  ])('what is still going is named: %s', (_, group, expected) => {
    const { holds } = createObjects(surveyOf(snapshotOf({ groups: { 'storage-1': group } })));
    expect(holds.map(({ reason }) => reason.message)).toEqual(expected);
  });

  const refused = (retryAt: number | null, state: 'Failed' | 'Done' = 'Failed') => ({
    snapshot: {
      jobs: [
        givenJob('storage-1', {
          verb: 'Create',
          state,
          message: 'no',
          retryAt: retryAt === null ? null : at(retryAt),
        }),
      ],
    },
  });
  const notYet = ['create-objects holds storage-1: ObjectRefused until +30', 'wake +30'];
  const forWantOfRoom = 'create-objects holds storage-1: QuotaFull';

  test.each<[string, Partly, Cluster, readonly string[]]>([
    ['not due', { pod: null }, refused(30), notYet],
    ['not due, and all of it lacks', { pod: null, claim: null, service: null }, refused(30), notYet],
    ['due', { pod: null }, refused(0), create('pod')],
    ['nothing lacks', {}, refused(30), []],
    ['for want of room: tried with every look', { pod: null }, refused(null), [...create('pod'), forWantOfRoom]],
    ['not refused', { pod: null }, refused(30, 'Done'), create('pod')],
  ])('what the API server refused is tried again when it is due: %s', (_, group, cluster, expected) => {
    expect(creating(group, cluster)).toEqual(expected);
  });

  test.each<[string, Partly, readonly string[]]>([
    ['its data is tied to a node', { pod: null }, ['storage-2', 'storage-1']],
    ['its data travels', { pod: null, claim: givenClaim({ travels: true }) }, ['storage-1', 'storage-2']],
    ['it has no data', { pod: null, claim: 'none' }, ['storage-1', 'storage-2']],
    ['it was never anywhere', { pod: null, zone: null }, ['storage-1', 'storage-2']],
  ])('one that has but one place comes before one that is new: %s', (_, group, expected) => {
    const groups = { 'storage-1': { pod: null, zone: null }, 'storage-2': group };
    expect(saysOf(createObjects, { groups })).toEqual(expected.map((id) => `create pod ${id} ObjectMissing`));
  });

  test('what is made is named', () => {
    const { actions } = createObjects(surveyOf(snapshotOf({ groups: { 'storage-1': { pod: null } } })));
    expect(actions[0]?.reason.message).toBe('storage-1 gets its pod');
  });
});

describe('one that is leaving', () => {
  test.each<[string, Partly, readonly string[]]>([
    ['marked and still draining: it is brought back up', { removal: markedFor() }, create('pod')],
    ['marked and drained: it is not', { removal: markedFor(), drainedAt: at(-5) }, []],
    ['its objects are being deleted', { removal: markedFor(), removingAt: at(-5) }, []],
    ['it goes without exclusion', { removal: markedFor('Requested', -5, true) }, []],
  ])('%s', (_, group, expected) => {
    expect(creating({ ...group, pod: null })).toEqual(expected);
  });
});

describe('where it cannot be placed', () => {
  const quota = { message: 'exceeded quota: compute-resources', missing: { cpu: 1 } };
  const full: Cluster = { snapshot: { share: { reserved: 'all', quota } } };

  test.each<[string, Partly, Cluster, readonly string[]]>([
    ['the scheduler says so', stuck('storage-1'), {}, ['create-objects holds storage-1: Unschedulable']],
    [
      'the scheduler says so of one that is drained',
      { ...stuck('storage-1'), removal: markedFor(), drainedAt: at(-5) },
      {},
      [],
    ],
    [
      'the quota is full: it is tried all the same',
      { pod: null },
      full,
      [...create('pod'), 'create-objects holds storage-1: QuotaFull'],
    ],
    ['the quota is full, and nothing is lacking', {}, full, []],
    [
      'the quota is full for this one',
      { pod: null },
      { snapshot: { share: { reserved: [], quota: { ...quota, refused: ids('storage-1') } } } },
      [...create('pod'), 'create-objects holds storage-1: QuotaFull'],
    ],
    [
      'the quota is full for others',
      { pod: null },
      { snapshot: { share: { reserved: [], quota: { ...quota, refused: ids('storage-2') } } } },
      create('pod'),
    ],
    [
      'the role is not in the spec any more',
      { pod: null },
      { roles: [] },
      ['create-objects holds storage-1: NoSuchRole'],
    ],
    [
      'the role has no shape',
      { pod: null },
      { roles: [givenRole('storage', { shape: null })] },
      ['create-objects holds storage-1: NoSuchRole'],
    ],
    ['nothing is lacking, so nobody asks for the shape', {}, { roles: [] }, []],
    ['someone else owns the pods', { pod: null }, { spec: { ownsPods: false } }, []],
  ])('%s', (_, group, cluster, expected) => {
    expect(creating(group, cluster)).toEqual(expected);
  });

  test('in their own words', () => {
    const broken = givenPod('storage-3', { broken: 'the image db:2 of db cannot be pulled' });
    const going = { ...broken, deletingSince: at(-1) };
    const groups = {
      'storage-1': { pod: null },
      'storage-2': stuck('storage-2'),
      'storage-3': { pod: broken },
      'storage-4': { pod: going },
    };
    const { holds } = createObjects(surveyOf(snapshotOf({ groups, ...full })));
    expect(holds.map(({ reason }) => reason.message).toSorted()).toEqual([
      'storage-1 cannot be created: exceeded quota: compute-resources',
      'storage-2 cannot be placed: 0/6 nodes are available',
      'storage-3 does not come up: the image db:2 of db cannot be pulled',
      'storage-4 gets a new pod when the old one, which is being deleted, is gone',
    ]);
  });
});

test('trouble with one does not keep the others from being made, in any order', () => {
  const groups = {
    'mystery-1': { pod: null, role: 'mystery' },
    'storage-3': { pod: null },
    'storage-2': { pod: null },
  };
  const lines = saysOf(createObjects, { groups, roles: [givenRole('storage', { count: 2 })] });
  expect(lines).toEqual([
    'create pod storage-2 ObjectMissing',
    'create pod storage-3 ObjectMissing',
    'create-objects holds mystery-1: NoSuchRole',
  ]);
});
