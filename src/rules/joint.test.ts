import { describe, expect, test } from 'vitest';
import type { ProcessGroup } from '../model/process-group.ts';
import { at, givenAsk, givenGrant, givenGroup, givenProcess, givenQuorum, givenUnit } from '../model/testing/given.ts';
import { inTurn, jointlySafe, withLetGo } from './joint.ts';
import type { Scene } from './testing/scene.ts';
import { inWords, surveyScene } from './testing/scene.ts';

const groups = ['db-1', 'db-2', 'db-3'].map((id) => givenGroup(id));
const together = (scene: Scene, candidates: readonly ProcessGroup[] = groups) =>
  jointlySafe(surveyScene({ groups, ...scene }), candidates).map(
    ({ group, eviction }) => `${group}: ${inWords(eviction)}`,
  );

describe('grants are joint', () => {
  const pair = { units: [givenUnit('u', ['db-1', 'db-2'])] };

  test('of two that protect each other one goes and the other waits: never both, and never neither', () => {
    expect(together(pair)).toEqual(['db-1: allow', 'db-2: wait LastReplica', 'db-3: allow']);
  });

  test('who was asked first goes first, whatever the order of the list', () => {
    const asks = [givenAsk('db-1', { since: at(-5) }), givenAsk('db-2', { since: at(-6) })];
    const expected = ['db-2: allow', 'db-1: wait LastReplica', 'db-3: allow'];
    expect(together({ ...pair, snapshot: { asks } })).toEqual(expected);
    expect(together({ ...pair, snapshot: { asks: asks.toReversed() } }, groups.toReversed())).toEqual(expected);
  });

  test('what was granted before counts as gone', () => {
    expect(together({ ...pair, snapshot: { grants: [givenGrant('db-2')] } }, groups.slice(0, 1))).toEqual([
      'db-1: wait LastReplica',
    ]);
  });

  test('one that waits takes nothing away from the others', () => {
    const lonely = [givenUnit('u', ['db-1']), givenUnit('v', ['db-1', 'db-2'])];
    expect(together({ units: lonely })).toEqual(['db-1: wait LastReplica', 'db-2: allow', 'db-3: allow']);
  });

  test('a quorum of five lets two go', () => {
    const five = ['m-1', 'm-2', 'm-3', 'm-4', 'm-5'].map((id) => givenGroup(id));
    const quorums = [
      givenQuorum(
        'q',
        five.map(({ id }) => id),
        { leader: null },
      ),
    ];
    expect(together({ engine: 'etcd', groups: five, quorums }, five)).toEqual([
      'm-1: allow',
      'm-2: allow',
      'm-3: wait QuorumAtRisk',
      'm-4: wait QuorumAtRisk',
      'm-5: wait QuorumAtRisk',
    ]);
  });

  test('of two zones of FoundationDB one goes, of one zone both', () => {
    const storage = ['storage-1', 'storage-2'].map((id) => givenGroup(id));
    const apart: Scene = { engine: 'foundationdb', groups: storage };
    expect(together(apart, storage)).toEqual([
      'storage-1: allow',
      'storage-2: wait NotDrained, NoZoneToSpare, OtherZoneDown',
    ]);
    const same = { ...apart, processes: [givenProcess('storage-2', { zone: 'zone-1' })] };
    expect(together(same, storage)).toEqual(['storage-1: allow', 'storage-2: allow']);
  });
});

describe('the order in which things are let go', () => {
  const order = (asks: Parameters<typeof givenAsk>[1][], candidates = groups) =>
    inTurn(
      surveyScene({ groups, snapshot: { asks: asks.map((ask) => givenAsk(ask?.group ?? '', ask)) } }),
      candidates,
    ).map(({ id }) => id);

  test('asked first, then by id; what nobody asked for comes last', () => {
    expect(order([])).toEqual(['db-1', 'db-2', 'db-3']);
    expect(order([], groups.toReversed())).toEqual(['db-1', 'db-2', 'db-3']);
    expect(order([{ group: 'db-3' }])).toEqual(['db-3', 'db-1', 'db-2']);
    expect(
      order([
        { group: 'db-3', since: at(-5) },
        { group: 'db-2', since: at(-6) },
      ]),
    ).toEqual(['db-2', 'db-3', 'db-1']);
    expect(order([{ group: 'db-3' }, { group: 'db-2' }], groups.toReversed())).toEqual(['db-2', 'db-3', 'db-1']);
  });

  test('the first of several asks for one group counts', () => {
    const asks = [
      { group: 'db-3', since: at(-1) },
      { group: 'db-2', since: at(-5) },
      { group: 'db-3', since: at(-9) },
    ];
    expect(order(asks)).toEqual(['db-3', 'db-2', 'db-1']);
  });

  test('the list that was given stays as it is', () => {
    const given = groups.toReversed();
    order([], given);
    expect(given.map(({ id }) => id)).toEqual(['db-3', 'db-2', 'db-1']);
  });
});

describe('letting one more go', () => {
  test('adds the group and all its processes, and leaves the survey as it was', () => {
    const second = givenProcess('db-1-b', { group: 'db-1' });
    const survey = surveyScene({ groups, processes: [second], snapshot: { grants: [givenGrant('db-3')] } });
    const [first] = groups;
    const after = first === undefined ? survey : withLetGo(survey, first);
    expect([...after.letGo]).toEqual(['db-3', 'db-1']);
    expect([...after.gone.keys()].toSorted()).toEqual(['db-1', 'db-1-b', 'db-3']);
    expect([...survey.letGo]).toEqual(['db-3']);
    expect([...survey.gone.keys()]).toEqual(['db-3']);
  });
});
