import { describe, expect, test } from 'vitest';
import type { Uid } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import type { Ask, Grant, Job } from '../model/snapshot.ts';
import { at, givenAsk, givenGrant, givenGroup, givenPod, givenQuorum } from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { holds, ids, letsGo, said, step } from './testing/grants-scene.ts';
import { toldInWords } from './testing/told.ts';

const words = 'The disruption budget chart needs 5 healthy pods and has 5 currently';
const drained = (id: string, given: Partial<Ask> = {}) =>
  givenAsk(id, { source: 'NodeDrain', by: 'upgrade', since: at(-60), lastSeen: at(-60), ...given });
const evicted = (lastSeen: number, given: Partial<Ask> = {}) =>
  givenAsk('member-1', { source: 'Eviction', lastSeen: at(lastSeen), ...given });
/** Somebody's budget held it, and it is tried again two minutes later. */
const refused = (id: string, since: number, given: Partial<Job> = {}) =>
  givenJob(id, {
    verb: 'Evict',
    state: 'Failed',
    message: words,
    since: at(since),
    retryAt: at(since + 120),
    ...given,
  });
const held = holds('member-1', 'BudgetHolds');

describe('a pod that somebody’s budget held is let go again when its next try is due, and says what held it', () => {
  test.each<[string, readonly Job[], readonly string[]]>([
    ['a second before', [refused('member-1', -119)], [held, 'wake at 1']],
    ['when it is due', [refused('member-1', -120)], [...letsGo('member-1'), held, 'wake at 10']],
    ['where no time is set', [refused('member-1', -5, { retryAt: null })], [...letsGo('member-1'), held, 'wake at 10']],
    ['another one was held', [refused('member-2', -5)], [...letsGo('member-1'), 'wake at 10']],
    ['it was taken', [refused('member-1', -5, { state: 'Done' })], [...letsGo('member-1'), 'wake at 10']],
    [
      'something else was refused',
      [refused('member-1', -5, { verb: 'Create' })],
      [...letsGo('member-1'), 'wake at 10'],
    ],
    ['the last word counts', [refused('member-1', -130), refused('member-1', -10)], [held, 'wake at 110']],
  ])('%s', (_, jobs, outcome) => {
    expect(said({ asks: [drained('member-1')], snapshot: { jobs } })).toEqual(outcome);
  });

  test.each<['Pod' | 'Node', readonly string[]]>([
    ['Pod', [...letsGo('member-1'), held, 'wake at 10']],
    ['Node', [held, 'wake at 115']],
  ])(
    'somebody evicts a %s of it meanwhile: the server answers who evicts the pod, and nobody else',
    (wants, outcome) => {
      const asks = [drained('member-1'), evicted(0, { wants, by: 'bob' })];
      expect(said({ asks, snapshot: { jobs: [refused('member-1', -5)] } })).toEqual(outcome);
    },
  );

  test('in the words of the server, and without an end that nobody knows', () => {
    const outcome = step({ asks: [drained('member-1')], snapshot: { jobs: [refused('member-1', -5)] } });
    expect(toldInWords(outcome)).toEqual([`member-1 is held by a disruption budget: ${words}`]);
    expect(outcome.holds.map(({ reason }) => reason.until)).toEqual([null]);
  });

  test('a pod that was made since then is another one', () => {
    const groups = ids.map((id) => givenGroup(id, { pod: givenPod(id, { createdAt: at(-4) }) }));
    const given = { groups, asks: [drained('member-1')], snapshot: { jobs: [refused('member-1', -5)] } };
    expect(said(given)).toEqual([...letsGo('member-1'), 'wake at 10']);
  });

  test('what a rule says comes first, and nothing of the budget', () => {
    const given = { asks: [drained('member-5')], snapshot: { jobs: [refused('member-5', -5)] } };
    expect(said(given)).toEqual([holds('member-5', 'QuorumLeader'), 'wake at 540']);
  });

  test('one that is forced waits for it too', () => {
    const asks = [drained('member-5', { force: 'the disk is dead' })];
    const given = { asks, snapshot: { jobs: [refused('member-5', -5)] } };
    expect(said(given)).toEqual([holds('member-5', 'BudgetHolds'), 'wake at 115']);
  });
});

describe('others get their turn', () => {
  const asks = [drained('member-1', { since: at(-90) }), drained('member-2'), drained('member-3', { since: at(-30) })];

  test.each<[string, readonly Job[], string]>([
    ['who asked later goes before its next try', [refused('member-1', -5)], 'member-2'],
    ['and before it when that is due', [refused('member-1', -120)], 'member-2'],
    ['also before two', [refused('member-1', -180), refused('member-2', -120)], 'member-3'],
    [
      'of those that were all held, the one that has waited longest',
      [refused('member-1', -130), refused('member-2', -190), refused('member-3', -250)],
      'member-3',
    ],
  ])('%s', (_, jobs, first) => {
    expect(said({ asks, snapshot: { jobs } })).toContain(letsGo(first)[0]);
  });
});

describe('what was let go and then held', () => {
  const grant = (given: Partial<Grant>) => givenGrant('member-1', { grantedAt: at(-5), ...given });
  const close = 'close member-1 uid-member-1@1 (BudgetHolds)';
  const again = 'let-go member-1 uid-member-1@1 (RuleHolds)';

  test.each<[string, Partial<Grant>, number, readonly string[]]>([
    ['closes at once', {}, -5, [close, held, 'wake at 540']],
    ['closes at once, also where that took a while', {}, -1, [close, held, 'wake at 540']],
    ['under an earlier grant: it is being tried again', {}, -125, [again, held, 'wake at 5']],
    ['closed: not when the grace is over, but what holds it', { closedAt: at(-4) }, -5, [held, 'wake at 56']],
  ])('%s', (_, given, since, outcome) => {
    const jobs = [refused('member-1', since)];
    expect(said({ asks: [drained('member-1')], grants: [grant(given)], snapshot: { jobs } })).toEqual(outcome);
  });

  test.each<[string, Partial<Grant>, readonly string[]]>([
    ['open', {}, ['wake at 5']],
    ['closed', { closedAt: at(-4) }, [`${holds('member-1', 'GrantClosed')} until at 56`, 'wake at 56']],
  ])('holds nothing that nobody wants gone any more: %s', (_, given, outcome) => {
    expect(said({ asks: [], grants: [grant(given)], snapshot: { jobs: [refused('member-1', -5)] } })).toEqual(outcome);
  });

  test('counts as gone until the grace is over, whatever the server said: others may have been on their way', () => {
    const quorums = [givenQuorum('q', ['member-3', 'member-2', 'member-1'])];
    const given = {
      asks: [drained('member-1'), drained('member-2')],
      grants: [grant({ closedAt: at(-4) })],
      topology: { quorums },
      snapshot: { jobs: [refused('member-1', -5)] },
    };
    expect(said(given)).toEqual([held, holds('member-2', 'QuorumAtRisk'), 'wake at 56']);
  });
});

describe('whoever evicts it themselves is answered by the server, each time', () => {
  test.each<[string, readonly Ask[], boolean]>([
    ['asked after that', [evicted(-1)], true],
    ['asked a minute before, and perhaps again since', [evicted(-64)], true],
    ['asked longer before, and not since', [evicted(-65)], false],
    ['asked for the pod before this one', [evicted(-1, { pod: name<Uid>('uid-before') }), drained('member-1')], false],
    ['besides a drain', [evicted(-1), drained('member-1')], true],
    ['is a drain', [drained('member-1', { lastSeen: at(-1) })], false],
  ])('%s', (_, asks, goes) => {
    const lines = said({ asks, snapshot: { jobs: [refused('member-1', -5)] } });
    expect(lines.includes(letsGo('member-1')[0] ?? '')).toBe(goes);
    expect(lines).toContain(held);
  });

  test('its grant is open as long as ever', () => {
    const grants = [givenGrant('member-1', { grantedAt: at(-5) })];
    const given = { asks: [evicted(-5)], grants, snapshot: { jobs: [refused('member-1', -4)] } };
    expect(said(given)).toEqual(['let-go member-1 uid-member-1@1 (RuleHolds)', held, 'wake at 5']);
  });
});
