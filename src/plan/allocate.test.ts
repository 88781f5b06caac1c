import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { Fleet } from '../model/fleet.ts';
import type { Resources } from '../model/shape.ts';
import { at } from '../model/testing/given.ts';
import { allocate } from './allocate.ts';
import { cluster, pool, request, shares } from './testing/given-fleet.ts';

describe('room goes to those who have waited longest', () => {
  test.each`
    free | first      | second
    ${2} | ${['a-1']} | ${['b-1']}
    ${1} | ${[]}      | ${['b-1']}
    ${0} | ${[]}      | ${[]}
  `('$free free: db/a gets $first, db/b, who asked earlier, gets $second', ({ free, first, second }) => {
    const outcome = shares({
      pools: [pool({ free: { cpu: free } })],
      clusters: [cluster('db/a', [request('a-1', { since: at(1) })]), cluster('db/b', [request('b-1')])],
    });
    expect([outcome['db/a']?.reserved, outcome['db/b']?.reserved]).toEqual([first, second]);
  });

  test('who asked at the same time goes by name, then by group', () => {
    const clusters = [cluster('db/b', [request('b-1')]), cluster('db/a', [request('a-2'), request('a-1')])];
    const outcome = shares({ pools: [pool({ free: { cpu: 1 } })], clusters });
    expect(outcome['db/a']?.reserved).toEqual(['a-1']);
    expect(outcome['db/b']?.reserved).toEqual([]);
  });

  test('what is missing is told, in the words of the quota', () => {
    const clusters = [cluster('db/a', [request('a-1', { needs: { cpu: 3, memory: 5 } })])];
    expect(shares({ pools: [pool({ free: { cpu: 2, memory: 1 } })], clusters })['db/a']).toEqual({
      reserved: [],
      quota: { message: 'exceeded quota', missing: { cpu: 1, memory: 4 }, refused: ['a-1'] },
    });
  });

  test('the first that is refused is told', () => {
    const clusters = [cluster('db/a', [request('a-1', { needs: { cpu: 3 } }), request('a-2', { since: at(1) })])];
    const full = { pools: [pool({ free: { cpu: 0 } })], clusters };
    expect(shares(full)['db/a']?.quota).toMatchObject({ missing: { cpu: 3 }, refused: ['a-1', 'a-2'] });
  });

  test('exactly enough is enough', () => {
    const clusters = [cluster('db/a', [request('a-1', { needs: { cpu: 2 } })])];
    expect(shares({ pools: [pool()], clusters })['db/a']).toEqual({ reserved: ['a-1'], quota: null });
  });

  test('what is given and what is missing are told in order', () => {
    const later = request('a-1', { since: at(1) });
    const both = cluster('db/a', [request('a-2'), later, request('a-3', { since: at(2) })], ['b', 'a']);
    const pools = ['b', 'a'].map((of) => pool({ name: of, message: `${of} is full` }));
    expect(shares({ pools, clusters: [both] })['db/a']).toEqual({
      reserved: ['a-1', 'a-2'],
      quota: {
        message: 'a is full; a-2 is ahead, since 2026-11-15T00:00:00Z',
        missing: { cpu: 1 },
        refused: ['a-3'],
      },
    });
  });

  test('where nothing is shared, nothing is rationed', () => {
    const clusters = [cluster('db/a', [request('a-1', { needs: { cpu: 99 } })], [])];
    expect(shares({ pools: [pool()], clusters })['db/a']).toEqual({ reserved: 'all', quota: null });
  });

  test('who wants nothing gets nothing, and is told nothing', () => {
    expect(shares({ pools: [pool()], clusters: [cluster('db/a', [])] })['db/a']).toEqual({ reserved: [], quota: null });
  });

  test('a resource that the pool does not name is not rationed', () => {
    const clusters = [cluster('db/a', [request('a-1', { needs: { disk: 99 } })])];
    expect(shares({ pools: [pool()], clusters })['db/a']?.reserved).toEqual(['a-1']);
  });

  test('a pool that nobody described gives nothing', () => {
    const clusters = [cluster('db/a', [request('a-1')], ['quota', 'nodes'])];
    expect(shares({ pools: [pool()], clusters })['db/a']).toEqual({
      reserved: [],
      quota: { message: 'nothing is known about nodes', missing: { cpu: 1 }, refused: ['a-1'] },
    });
  });
});

describe('nobody takes away what is held', () => {
  test('what is in use stays, whatever is free', () => {
    const clusters = [cluster('db/a', [request('a-1', { holds: 'in-use', needs: { cpu: 5 } })])];
    expect(shares({ pools: [pool({ free: { cpu: -3 } })], clusters })['db/a']).toEqual({
      reserved: ['a-1'],
      quota: null,
    });
  });

  test('what is in use is not taken from the free room a second time', () => {
    const clusters = [cluster('db/a', [request('a-1', { holds: 'in-use' }), request('a-2'), request('a-3')])];
    expect(shares({ pools: [pool()], clusters })['db/a']?.reserved).toEqual(['a-1', 'a-2', 'a-3']);
  });

  test('what is reserved comes before an older request that is not', () => {
    const clusters = [
      cluster('db/a', [request('a-1', { since: at(-100) })]),
      cluster('db/b', [request('b-1', { holds: 'reserved' })]),
    ];
    const outcome = shares({ pools: [pool({ free: { cpu: 1 } })], clusters });
    expect(outcome['db/b']?.reserved).toEqual(['b-1']);
    expect(outcome['db/a']?.reserved).toEqual([]);
  });

  test('a reservation that nobody uses yet falls when the room is gone', () => {
    const clusters = [cluster('db/a', [request('a-1', { holds: 'reserved' })])];
    expect(shares({ pools: [pool({ free: { cpu: 0 } })], clusters })['db/a']?.reserved).toEqual([]);
  });
});

const fleets = fc
  .record({
    free: fc.integer({ min: -2, max: 8 }),
    requests: fc.array(
      fc.record({
        cluster: fc.constantFrom('db/a', 'db/b', 'db/c'),
        since: fc.integer({ min: 0, max: 5 }),
        cpu: fc.integer({ min: 1, max: 4 }),
        holds: fc.constantFrom('none' as const, 'reserved' as const, 'in-use' as const),
      }),
      { maxLength: 12 },
    ),
  })
  .map(({ free, requests }): Fleet => {
    const groups = requests.map(({ cluster: key, since, cpu, holds }, index) => ({
      key,
      request: request(`g-${index}`, { since: at(since), needs: { cpu }, holds }),
    }));
    const clusters = ['db/a', 'db/b', 'db/c'].map((key) =>
      cluster(
        key,
        groups.filter((one) => one.key === key).map((one) => one.request),
      ),
    );
    return { pools: [pool({ capacity: { cpu: 20 }, free: { cpu: free } })], clusters };
  });

const reservedIn = (fleet: Fleet): ReadonlySet<string> =>
  new Set([...allocate(fleet).values()].flatMap(({ reserved }) => (reserved === 'all' ? [] : reserved)));

const cpuOf = (needs: Resources): number => needs['cpu'] ?? 0;

describe('whatever the fleet', () => {
  property.prop([fleets])('no more is given than is free, and what is in use stays', (fleet) => {
    const reserved = reservedIn(fleet);
    const all = fleet.clusters.flatMap(({ requests }) => requests);
    const given = all.filter(({ group, holds }) => holds !== 'in-use' && reserved.has(group));
    const free = Math.max(0, fleet.pools[0]?.free['cpu'] ?? 0);
    expect(given.reduce((sum, { needs }) => sum + cpuOf(needs), 0)).toBeLessThanOrEqual(free);
    for (const { group, holds } of all) if (holds === 'in-use') expect(reserved.has(group)).toBe(true);
  });

  property.prop([fleets])('where there is room for the first in line, someone is served: nobody deadlocks', (fleet) => {
    const waiting = fleet.clusters.flatMap(({ requests }) => requests).filter(({ holds }) => holds !== 'in-use');
    const free = fleet.pools[0]?.free['cpu'] ?? 0;
    if (waiting.length === 0 || waiting.some(({ needs }) => cpuOf(needs) > free)) return;
    const reserved = reservedIn(fleet);
    expect(waiting.some(({ group }) => reserved.has(group))).toBe(true);
  });

  property.prop([fleets])('what was given is given again: nothing flaps', (fleet) => {
    const first = reservedIn(fleet);
    const recorded: Fleet = {
      ...fleet,
      clusters: fleet.clusters.map((one) => ({
        ...one,
        requests: one.requests.map((asked) =>
          asked.holds === 'none' && first.has(asked.group) ? { ...asked, holds: 'reserved' as const } : asked,
        ),
      })),
    };
    expect([...reservedIn(recorded)].sort()).toEqual([...first].sort());
  });

  property.prop([fleets])('the order of the lists does not matter', (fleet) => {
    const turned = {
      pools: fleet.pools.toReversed(),
      clusters: fleet.clusters.map((one) => ({ ...one, requests: one.requests.toReversed() })).reverse(),
    };
    expect(shares(turned)).toEqual(shares(fleet));
  });
});
