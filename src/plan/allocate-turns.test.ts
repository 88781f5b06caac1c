import { describe, expect, test } from 'vitest';
import { at } from '../model/testing/given.ts';
import { cluster, pool, request, shares } from './testing/given-fleet.ts';

describe('a large request is not overtaken for ever', () => {
  const large = cluster('db/a', [request('a-1', { needs: { cpu: 3 } })]);
  const small = (pools?: readonly string[]) => cluster('db/b', [request('b-1', { since: at(1) })], pools);
  /** It gives one back when it is done: with the two that are free that is enough. */
  const done = cluster('db/c', [request('c-1', { holds: 'in-use' })]);

  test('who comes later waits behind it, while others make room', () => {
    expect(shares({ pools: [pool()], clusters: [large, small(), done] })['db/b']).toEqual({
      reserved: [],
      quota: {
        message: 'exceeded quota; c-1 of db/c is ahead, since 2026-11-15T00:00:00Z',
        missing: {},
        refused: ['b-1'],
      },
    });
  });

  test('but not in a pool in which it does not wait', () => {
    const wide = pool({ name: 'wide', capacity: { cpu: 100 }, free: { cpu: 100 } });
    const both = { ...large, pools: ['quota', 'wide'] };
    const clusters = [both, small(['wide']), done];
    expect(shares({ pools: [pool(), wide], clusters })['db/b']?.reserved).toEqual(['b-1']);
  });

  test('one that nothing under way makes room for keeps nobody waiting: it would be for ever', () => {
    const outcome = shares({ pools: [pool()], clusters: [large, small()] });
    expect(outcome['db/b']?.reserved).toEqual(['b-1']);
    expect(outcome['db/a']?.quota).toEqual({ message: 'exceeded quota', missing: { cpu: 1 }, refused: ['a-1'] });
  });

  test('one that is larger than all of it is told so', () => {
    const hopeless = cluster('db/a', [request('a-1', { needs: { cpu: 11 } })]);
    expect(shares({ pools: [pool()], clusters: [hopeless, small(), done] })).toMatchObject({
      'db/a': { quota: { message: 'exceeded quota; one alone needs more cpu than that', missing: { cpu: 9 } } },
      'db/b': { reserved: ['b-1'] },
    });
  });

  test('nothing under way makes room for it when one resource of several stays short', () => {
    const hopeless = cluster('db/a', [request('a-1', { needs: { cpu: 3, disk: 6 } })]);
    const pools = [pool({ capacity: { cpu: 10, disk: 9 }, free: { cpu: 2, disk: 5 } })];
    expect(shares({ pools, clusters: [hopeless, small(), done] })['db/b']?.reserved).toEqual(['b-1']);
  });

  test('nor one that draws on a pool nobody knows', () => {
    const lost = { ...large, pools: ['quota', 'nowhere'] };
    expect(shares({ pools: [pool()], clusters: [lost, small(), done] })['db/b']?.reserved).toEqual(['b-1']);
  });
});

describe('who waits is told who is ahead', () => {
  const since = (at: string) => `exceeded quota; ${at} is ahead, since 2026-11-15T00:00:00Z`;
  test.each`
    ahead                                    | says
    ${request('b-1', { holds: 'in-use' })}   | ${since('b-1 of db/b')}
    ${request('b-1', { holds: 'reserved' })} | ${since('b-1 of db/b')}
    ${request('b-1')}                        | ${since('b-1 of db/b')}
  `('one that holds it as $ahead.holds: $says', ({ ahead, says }) => {
    const waiting = cluster('db/a', [request('a-1', { since: at(5) })]);
    const free = { cpu: ahead.holds === 'none' ? 1 : 0 };
    const outcome = shares({ pools: [pool({ free })], clusters: [waiting, cluster('db/b', [ahead])] });
    expect(outcome['db/a']?.quota?.message).toBe(says);
  });

  test('a fraction that is just enough is enough', () => {
    const clusters = [
      cluster(
        'db/a',
        [1, 2, 3].map((id) => request(`a-${id}`, { needs: { cpu: 0.1 } })),
      ),
    ];
    expect(shares({ pools: [pool({ free: { cpu: 0.3 } })], clusters })['db/a']?.quota).toBeNull();
  });
});

describe('two clusters that each got half of what they need', () => {
  /** One place for a pod and one for a claim: `db/a` has the claim and lacks the pod, `db/b` the other way round. */
  const room = (given: object) => pool({ capacity: { pods: 2, claims: 2 }, free: { pods: 1, claims: 1 }, ...given });
  const both = { pods: 1, claims: 1 };

  test('cannot come about: one gets both, and the other nothing', () => {
    const clusters = [
      cluster('db/a', [request('a-1', { needs: both })]),
      cluster('db/b', [request('b-1', { needs: both })]),
    ];
    const outcome = shares({ pools: [room({})], clusters });
    expect([outcome['db/a']?.reserved, outcome['db/b']?.reserved]).toEqual([['a-1'], []]);
  });

  test('would wait for each other for ever', () => {
    const clusters = [
      cluster('db/a', [request('a-1', { needs: { pods: 1 }, holds: 'reserved' })]),
      cluster('db/b', [request('b-1', { needs: { claims: 1 }, holds: 'reserved' })]),
    ];
    const outcome = shares({ pools: [room({ free: { pods: 0, claims: 0 } })], clusters });
    expect([outcome['db/a']?.reserved, outcome['db/b']?.reserved]).toEqual([[], []]);
  });
});
