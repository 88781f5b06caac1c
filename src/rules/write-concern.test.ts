import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import { givenGrant, givenProcess, givenReplica, givenUnit } from '../model/testing/given.ts';
import type { Unit } from '../model/topology.ts';
import type { Finding } from './finding.ts';
import type { Scene } from './testing/scene.ts';
import { questionIn } from './testing/scene.ts';
import { writeConcernSurvives } from './write-concern.ts';

const servers = ['db-a', 'db-b', 'db-c'];

/** A shard that is planned on the first servers and in sync on the second. */
const shard = (planned: string, inSync: string, writeConcern: number | null, id = 's1'): Unit =>
  givenUnit(
    id,
    planned.split(',').map((server) => givenReplica(`db-${server}`, { inSync: inSync.includes(server) })),
    { writeConcern },
  );

const asked = (units: readonly Unit[], server: string, scene: Scene = {}): Finding =>
  writeConcernSurvives(questionIn({ groups: servers, units, ...scene }, `db-${server}`));

describe('the blocking shards of arangodb.md 2.9', () => {
  test.each`
    planned    | inSync     | concern | free         | blocked
    ${'a'}     | ${''}      | ${1}    | ${'a, b'}    | ${''}
    ${'a'}     | ${'a'}     | ${1}    | ${'a'}       | ${''}
    ${'a,b'}   | ${'a'}     | ${1}    | ${'b'}       | ${'a'}
    ${'a,b,c'} | ${'b,c'}   | ${2}    | ${'a'}       | ${'b, c'}
    ${'a,b,c'} | ${'a,b'}   | ${1}    | ${'a, b, c'} | ${''}
    ${'a,b,c'} | ${'a,b,c'} | ${2}    | ${'a, b, c'} | ${''}
    ${'a,b,c'} | ${'a,b,c'} | ${3}    | ${'a, b, c'} | ${''}
    ${'a,b,c'} | ${'a,b'}   | ${3}    | ${'c'}       | ${'a, b'}
    ${'a,b'}   | ${'a,b'}   | ${2}    | ${'a, b'}    | ${''}
    ${'a,b,c'} | ${'a'}     | ${null} | ${'a, b, c'} | ${''}
    ${'a,b,c'} | ${''}      | ${1}    | ${''}        | ${'a, b, c'}
  `('planned $planned, in sync $inSync, write concern $concern: $blocked blocked', (row) => {
    const units = [shard(row.planned, row.inSync, row.concern)];
    const names = (text: string) => text.split(', ').filter((server) => server !== '');
    for (const server of names(row.free)) expect(asked(units, server).finding).toBe('holds');
    for (const server of names(row.blocked)) expect(asked(units, server).finding).toBe('fails');
  });
});

describe('write concern', () => {
  test('counts nobody who is down or was let go', () => {
    const units = [shard('a,b,c', 'a,b,c', 2)];
    const down = { processes: [givenProcess('db-c', { responds: false })] };
    const letGo = { snapshot: { grants: [givenGrant('db-c')] } };
    expect(asked(units, 'a').finding).toBe('holds');
    for (const scene of [down, letGo]) {
      expect(asked(units, 'a', scene)).toMatchObject({
        finding: 'fails',
        reason: { message: 'db-a stays: unit s1 has 2 in-sync copies and its writes need 2' },
      });
    }
  });

  test('does not count a copy of its own that is behind or in doubt', () => {
    const behind = (inSync: boolean | typeof unknown) =>
      givenUnit('s1', [givenReplica('db-a', { inSync }), givenReplica('db-b', { inSync: false }), 'db-c'], {
        writeConcern: 2,
      });
    for (const inSync of [false, unknown]) {
      expect(asked([behind(inSync)], 'a')).toMatchObject({ reason: { evidence: { inSync: 1, needed: 2 } } });
    }
    expect(asked([behind(true)], 'a')).toMatchObject({ reason: { evidence: { inSync: 2, needed: 2 } } });
  });

  test('is not known where a doubt would make the difference, and only there', () => {
    const doubt = givenReplica('db-c', { inSync: unknown });
    const both = givenUnit('s1', ['db-a', 'db-b', doubt], { writeConcern: 2 });
    expect(asked([both], 'a')).toEqual({
      finding: 'unknown',
      missing: 'whether the copy of unit s1 on db-c is in sync',
    });
    const one = givenUnit('s1', ['db-a', 'db-b', doubt], { writeConcern: 1 });
    expect(asked([one], 'a').finding).toBe('holds');
    const hopeless = givenUnit('s1', ['db-a', givenReplica('db-b', { inSync: false }), doubt], { writeConcern: 2 });
    expect(asked([hopeless], 'a').finding).toBe('fails');
  });

  test('tells the first shard that fails, and a doubt only where none does', () => {
    const doubt = givenUnit('s0', ['db-a', givenReplica('db-b', { inSync: unknown })], { writeConcern: 1 });
    const units = [shard('a,b', 'a', 1, 's3'), doubt, shard('a,b', 'a', 1, 's2')];
    for (const order of [units, units.toReversed()]) {
      expect(asked(order, 'a')).toMatchObject({ reason: { evidence: { unit: 'unit s2' } } });
    }
    const doubts = [{ ...doubt, id: shard('a', 'a', 1, 's9').id, name: 'unit s9' }, doubt];
    for (const order of [doubts, doubts.toReversed()]) {
      expect(asked(order, 'a')).toMatchObject({ missing: 'whether the copy of unit s0 on db-b is in sync' });
    }
  });

  test('is not known for a server that the engine does not list', () => {
    expect(asked([], 'a', { unlisted: ['db-a'] })).toMatchObject({ finding: 'unknown' });
  });
});
