import { describe, expect, test } from 'vitest';
import type { Ask, Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenAsk,
  givenClaim,
  givenGrant,
  givenHealth,
  givenNode,
  givenPod,
  givenProcess,
  givenQuorum,
  givenRole,
  givenTopology,
} from '../model/testing/given.ts';
import type { EngineHealth, Process } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { replaceAsked } from './replace-asked.ts';
import type { Cluster } from './testing/cluster.ts';
import { ids, markedFor, saysOf, snapshotOf } from './testing/cluster.ts';

type Partly = NonNullable<NonNullable<Cluster['groups']>[string]>;

const asked = (given: Parameters<typeof givenAsk>[1] = {}): readonly Ask[] => [givenAsk('storage-1', given)];
const mark = 'mark storage-1 Evicted Evicted';
const holds = (code: string, id = 'storage-1') => `replace-asked holds ${id}: ${code}`;
const evicted = { removal: markedFor('Evicted', -400) };

interface World {
  readonly group?: Partly;
  readonly asks?: Snapshot['asks'];
  readonly health?: Partial<EngineHealth>;
  readonly process?: Partial<Process>;
  readonly cluster?: Cluster;
}

/** storage-1 is asked for, its data is tied to its node, and the engine is not fully replicated, so that it may not leave as it is. */
function asking({
  group = {},
  asks = asked(),
  health = { fullyReplicated: false },
  process = {},
  cluster = {},
}: World) {
  const { snapshot = {}, ...rest } = cluster;
  return saysOf(replaceAsked, {
    groups: { 'storage-1': group, 'storage-2': {}, 'storage-3': {} },
    ...rest,
    snapshot: {
      asks,
      topology: givenTopology({
        health: givenHealth(health),
        processes: [{ ...givenProcess('storage-1'), ...process }, givenProcess('storage-2'), givenProcess('storage-3')],
      }),
      ...snapshot,
    },
  });
}

describe('being asked to go starts the work where tied data has to leave by replacement', () => {
  test.each<[string, World, readonly string[]]>([
    ['asked, and it may not leave as it is', {}, [mark, 'wake +600']],
    ['nobody asks', { asks: [] }, []],
    ['someone asks for another', { asks: [givenAsk('storage-9')] }, []],
    ['it may leave as it is', { health: {} }, []],
    [
      'it may never leave as it is',
      { health: {}, cluster: { roles: [givenRole('storage', { count: 3, evictionRequires: ['never'] })] } },
      [mark, 'wake +600'],
    ],
    ['a person forces it', { asks: asked({ force: 'the disk is dead' }) }, []],
    ['it is leaving already', { group: { removal: markedFor('Failed') } }, []],
    ['its data travels', { group: { claim: givenClaim({ travels: true }) } }, []],
    [
      'the spec says that its data travels',
      { cluster: { roles: [givenRole('storage', { count: 3, dataTravels: 'always' })] } },
      [],
    ],
    [
      'the spec says that its data does not travel',
      {
        group: { claim: givenClaim({ travels: true }) },
        cluster: { roles: [givenRole('storage', { count: 3, dataTravels: 'never' })] },
      },
      [mark, 'wake +600'],
    ],
    ['its data is in the pod', { group: { claim: 'none' } }, [mark, 'wake +600']],
    [
      'the policy asks for eviction',
      { health: {}, cluster: { spec: { drainPolicy: 'block-for-eviction' } } },
      [mark, 'wake +600'],
    ],
    [
      'the policy asks for eviction, and it is drained',
      { health: {}, process: { drained: true }, cluster: { spec: { drainPolicy: 'block-for-eviction' } } },
      [],
    ],
    ['someone else owns the pod', { cluster: { spec: { ownsPods: false } } }, []],
    [
      'the cancel list holds it',
      { cluster: { spec: { cancelReplacements: ids('storage-1') } } },
      [holds('Cancelled'), 'wake +600'],
    ],
    [
      'the cancel list holds it, and it may leave as it is',
      { health: {}, cluster: { spec: { cancelReplacements: ids('storage-1') } } },
      [],
    ],
    [
      'the cancel list holds it, and nobody asks',
      { asks: [], cluster: { spec: { cancelReplacements: ids('storage-1') } } },
      [],
    ],
    [
      'the cancel list holds it, and a person forces it',
      { asks: asked({ force: 'x' }), cluster: { spec: { cancelReplacements: ids('storage-1') } } },
      [],
    ],
    [
      'no room for its successor',
      { cluster: { snapshot: { share: { reserved: [], quota: null } } } },
      [holds('NoRoom'), 'wake +600'],
    ],
    ['no cap holds it', { cluster: { spec: { maxConcurrentReplacements: 0 } } }, [mark, 'wake +600']],
  ])('%s', (_, world, expected) => {
    expect(asking(world)).toEqual(expected);
  });

  test('the reason names who asks, the first of several', () => {
    const asks = [
      givenAsk('storage-1', { by: 'zoe', since: at(-5) }),
      givenAsk('storage-1', { by: 'jane', since: at(-10) }),
      givenAsk('storage-1', { by: 'bob', since: at(-5) }),
    ];
    const snapshot = snapshotOf({
      groups: { 'storage-1': {} },
      spec: { drainPolicy: 'block-for-eviction' },
      snapshot: { asks },
    });
    expect(replaceAsked(surveyOf(snapshot)).records[0]).toMatchObject({
      reason: { evidence: { group: 'storage-1', by: 'jane' } },
    });
  });

  test('room is used up', () => {
    const cluster: Cluster = {
      groups: { 'storage-1': {}, 'storage-2': {} },
      roles: [givenRole('storage', { count: 1 })],
      spec: { drainPolicy: 'block-for-eviction' },
      snapshot: { asks: [givenAsk('storage-2'), givenAsk('storage-1')], share: { reserved: [], quota: null } },
    };
    expect(saysOf(replaceAsked, cluster)).toEqual([mark, holds('NoRoom', 'storage-2'), 'wake +600']);
  });
});

describe('nobody moves data for what a moment lifts', () => {
  test.each<[string, World, readonly string[]]>([
    [
      'the engine does not answer',
      { cluster: { snapshot: { topology: { unreachable: 'x', since: at(-5) } } } },
      [holds('EngineUnreachable'), 'wake +600'],
    ],
    [
      'another was just let go',
      { cluster: { snapshot: { grants: [givenGrant('storage-3'), givenGrant('storage-2')] } } },
      [holds('AnotherGranted'), 'wake +600'],
    ],
    [
      'it was just let go itself',
      { cluster: { snapshot: { grants: [givenGrant('storage-1')] } } },
      [mark, 'wake +600'],
    ],
    [
      'it is not known whether all is replicated',
      { health: { fullyReplicated: 'unknown' } },
      [holds('FactUnknown'), 'wake +600'],
    ],
    [
      'something is not known, and it is certainly not replicated',
      { health: { fullyReplicated: false, zonesThatMayFail: 'unknown' } },
      [mark, 'wake +600'],
    ],
  ])('%s', (_, world, expected) => {
    expect(asking(world)).toEqual(expected);
  });

  test('the one that was let go first by name is named', () => {
    const grants = [givenGrant('storage-3'), givenGrant('storage-2')];
    const snapshot = snapshotOf({
      groups: { 'storage-1': {} },
      spec: { drainPolicy: 'block-for-eviction' },
      snapshot: { asks: asked(), grants },
    });
    expect(replaceAsked(surveyOf(snapshot)).holds[0]?.reason.evidence).toEqual({
      group: 'storage-1',
      granted: 'storage-2',
    });
  });

  test.each<[string, readonly string[], readonly string[]]>([
    [
      'a leader is handed off first',
      ['member-1', 'member-2', 'member-3'],
      ['replace-asked holds member-1: QuorumLeader', 'wake +600'],
    ],
    ['a follower may leave as it is', ['member-2', 'member-1', 'member-3'], []],
    [
      'a leader of a quorum that would break asks for one as well',
      ['member-1', 'member-2'],
      ['mark member-1 Evicted Evicted', 'wake +600'],
    ],
    [
      'a quorum that would break asks for a replacement',
      ['member-2', 'member-1'],
      ['mark member-1 Evicted Evicted', 'wake +600'],
    ],
  ])('an etcd member with tied data: %s', (_, members, expected) => {
    const groups = Object.fromEntries(members.toSorted().map((id) => [id, {}]));
    const topology = givenTopology({
      processes: members.map((id) => givenProcess(id)),
      quorums: [givenQuorum('q', members)],
    });
    const cluster: Cluster = { groups, spec: { engine: 'etcd' }, snapshot: { topology, asks: [givenAsk('member-1')] } };
    expect(saysOf(replaceAsked, cluster)).toEqual(expected);
  });

  test.each(['agent-1', 'dbserver-1', 'coordinator-1', 'single-1', 'mystery-1'])(
    '%s does not leave by replacement',
    (id) => {
      const topology = givenTopology({
        processes: [givenProcess(id)],
        health: givenHealth({ fullyReplicated: false }),
      });
      const cluster: Cluster = {
        groups: { [id]: {} },
        spec: { engine: 'arangodb' },
        snapshot: { topology, asks: [givenAsk(id)] },
      };
      expect(saysOf(replaceAsked, cluster)).toEqual([]);
    },
  );
});

describe('who has not asked for 10 min has given up', () => {
  const unmarked = 'unmark storage-1 NotAskedAnyMore';
  const last = (seconds: number, given: Parameters<typeof givenAsk>[1] = {}) =>
    asked({ lastSeen: at(seconds), ...given });
  const nodes = (cordoned: boolean) => [givenNode('node-of-storage-1', { cordoned })];

  test.each<[string, World, readonly string[]]>([
    ['asked 599 s ago: goes on', { group: evicted, asks: last(-599) }, ['wake +1']],
    ['asked 600 s ago: stays', { group: evicted, asks: last(-600) }, [unmarked]],
    ['asked 599 s ago: begins', { asks: last(-599) }, [mark, 'wake +1']],
    ['asked 600 s ago: does not begin', { asks: last(-600) }, []],
    [
      'of two asks the last one counts',
      { group: evicted, asks: [...last(-10), ...last(-700), ...last(-20)] },
      ['wake +590'],
    ],
    ['no ask is left', { group: evicted, asks: [] }, [unmarked]],
    ['asked about another pod of that name', { group: evicted, asks: asked({ pod: 'uid-of-before' }) }, [unmarked]],
    ['its pod is gone for a moment: the last ask stands', { group: { ...evicted, pod: null } }, ['wake +600']],
    ['it may leave as it is by now: it goes on while asked', { group: evicted, health: {} }, ['wake +600']],
    ['marked for another cause: asks do not matter', { group: { removal: markedFor('Failed') }, asks: [] }, []],
    ['drained: stays', { group: { ...evicted, drainedAt: at(-5) }, asks: [] }, [unmarked]],
    ['its objects are going: too late', { group: { ...evicted, removingAt: at(-5) }, asks: [] }, []],
    [
      'the cordon stands',
      { group: evicted, asks: asked({ source: 'Cordon' }), cluster: { snapshot: { nodes: nodes(true) } } },
      ['wake +600'],
    ],
    [
      'the cordon was lifted',
      { group: evicted, asks: asked({ source: 'Cordon' }), cluster: { snapshot: { nodes: nodes(false) } } },
      [unmarked],
    ],
    [
      'the cordon of an unknown node',
      { group: evicted, asks: asked({ source: 'Cordon', node: null }), cluster: { snapshot: { nodes: nodes(false) } } },
      ['wake +600'],
    ],
    [
      'the cordon of a node that is gone',
      { group: evicted, asks: asked({ source: 'Cordon' }), cluster: { snapshot: { nodes: [] } } },
      ['wake +600'],
    ],
    ['an eviction needs no cordon', { group: evicted, cluster: { snapshot: { nodes: nodes(false) } } }, ['wake +600']],
  ])('%s', (_, world, expected) => {
    expect(asking(world)).toEqual(expected);
  });

  test.each<[string, 'Eviction' | 'Cordon', boolean, World, readonly string[]]>([
    ['a cordon asks by itself, for as long as it stands', 'Cordon', true, { asks: [] }, [mark]],
    ['a cordon that was lifted does not', 'Cordon', false, { asks: [] }, []],
    ['a cordon is no ask where it is not the trigger', 'Eviction', true, { asks: [] }, []],
    ['a cordon keeps a replacement going', 'Cordon', true, { asks: [], group: evicted }, []],
    ['a cordon outlasts the asks', 'Cordon', true, { group: evicted }, []],
    ['no node yet', 'Cordon', true, { asks: [], group: { pod: givenPod('storage-1', { node: null }) } }, []],
  ])('%s', (_, trigger, cordoned, world, expected) => {
    expect(asking({ ...world, cluster: { spec: { trigger }, snapshot: { nodes: nodes(cordoned) } } })).toEqual(
      expected,
    );
  });

  test('the cordon is named, unless a person asks as well', () => {
    const by = (asks: Snapshot['asks']) => {
      const spec = { drainPolicy: 'block-for-eviction', trigger: 'Cordon' } as const;
      const snapshot = snapshotOf({ groups: { 'storage-1': {} }, spec, snapshot: { nodes: nodes(true), asks } });
      const [record] = replaceAsked(surveyOf(snapshot)).records;
      return record !== undefined && 'reason' in record ? record.reason.evidence['by'] : undefined;
    };
    expect(by([])).toBe('the cordon of node-of-storage-1');
    expect(by(asked())).toBe('jane');
  });

  test.each<[string, readonly Ask[], number]>([
    ['the last ask', [...last(-700), ...last(-650), ...last(-800)], -650],
    ['without any, the mark', [], -400],
  ])('the reason says when it was last wanted: %s', (_, asks, expected) => {
    const snapshot = snapshotOf({ groups: { 'storage-1': evicted }, snapshot: { asks } });
    expect(replaceAsked(surveyOf(snapshot)).records[0]).toMatchObject({
      reason: { evidence: { lastAsked: at(expected) } },
    });
  });
});

describe('a person who forces the pod is not kept from it, for as long as that is said', () => {
  const forced = (seconds: number) => givenAsk('storage-1', { force: 'the disk is dead', lastSeen: at(seconds) });
  const plain = (seconds: number) => givenAsk('storage-1', { lastSeen: at(seconds) });
  const cordoned: Cluster = {
    spec: { trigger: 'Cordon' },
    snapshot: { nodes: [givenNode('node-of-storage-1', { cordoned: true })] },
  };

  test.each<[string, World, readonly string[]]>([
    ['nobody else asks: it lapses with the wish', { asks: [forced(-10)] }, []],
    ['another asks longer: then the work starts', { asks: [forced(-10), plain(0)] }, ['wake +590']],
    ['another asked before', { asks: [forced(-10), plain(-20)] }, []],
    ['two force it: until the later one lapses', { asks: [forced(-10), forced(-5), plain(0)] }, ['wake +595']],
    ['the node is cordoned, which lasts', { asks: [forced(-10)], cluster: cordoned }, ['wake +590']],
    ['it may leave as it is', { health: {}, asks: [forced(-10), plain(0)] }, []],
    ['it lapsed', { asks: [forced(-600), plain(0)] }, [mark, 'wake +600']],
  ])('%s', (_, world, expected) => {
    expect(asking(world)).toEqual(expected);
  });
});

describe('what the engine was told is undone, and until the engine shows it the row remembers', () => {
  const emptied = { ...evicted, evacuationAt: at(-300) };
  const told = 'cancel-evacuation storage-1 [storage-1] [10.0.0.1]';
  const keeping = 'keeping storage-1';

  test.each<[string, World, readonly string[]]>([
    [
      'while its data moves',
      { group: emptied, process: { excluded: true } },
      ['unmark storage-1 NotAskedAnyMore still emptied', `${keeping} NotAskedAnyMore`, `${told} NotAskedAnyMore`],
    ],
    [
      'not shown yet',
      { group: { evacuationAt: at(-300) }, process: { excluded: true } },
      [`${keeping} EvacuationCancelled`, `${told} EvacuationCancelled`],
    ],
    ['shown', { group: { evacuationAt: at(-300) } }, ['evacuation-ended storage-1 EvacuationCancelled']],
    ['a person excluded it: that is not ours to undo', { process: { excluded: true } }, []],
  ])('%s', (_, world, expected) => {
    expect(asking({ ...world, asks: [] })).toEqual(expected);
  });

  test('a cancel undoes its own', () => {
    const cluster = { spec: { cancelReplacements: ids('storage-1') } };
    expect(asking({ asks: [], group: { evacuationAt: at(-300) }, process: { excluded: true }, cluster })).toEqual([]);
  });

  test('asked again before it is undone, it is marked again and its data moves on', () => {
    expect(asking({ group: { evacuationAt: at(-300) }, process: { excluded: true } })).toEqual([mark, 'wake +600']);
  });

  test('it may leave as it is: it is undone all the same', () => {
    expect(asking({ health: {}, group: { evacuationAt: at(-300) }, process: { excluded: true } })).toEqual([
      `${keeping} EvacuationCancelled`,
      `${told} EvacuationCancelled`,
    ]);
  });

  test('the words', () => {
    const snapshot = snapshotOf({ groups: { 'storage-1': { evacuationAt: at(-300) } } });
    expect(replaceAsked(surveyOf(snapshot)).records[0]).toMatchObject({
      reason: { message: 'storage-1 keeps its data: it is no longer to be removed' },
    });
  });

  test('a role that is emptied in place is left to the step that does so', () => {
    const topology = givenTopology({ processes: [givenProcess('dbserver-1', { excluded: true })] });
    const cluster: Cluster = {
      groups: { 'dbserver-1': { evacuationAt: at(-300) } },
      spec: { engine: 'arangodb' },
      snapshot: { topology },
    };
    expect(saysOf(replaceAsked, cluster)).toEqual([]);
  });

  test('from the ask to the end and back: as if nothing had happened', () => {
    const before = snapshotOf({
      groups: { 'storage-1': {} },
      spec: { drainPolicy: 'block-for-eviction' },
      snapshot: { asks: asked() },
    });
    const marked = applyRecords(before, replaceAsked(surveyOf(before)).records);
    const later = { ...marked, now: at(600) };
    const unmarked = applyRecords(later, replaceAsked(surveyOf(later)).records);
    expect(unmarked.processGroups).toEqual(before.processGroups);
    expect(replaceAsked(surveyOf({ ...unmarked, asks: [] })).records).toEqual([]);
  });
});

test('one that waits does not keep the others from being looked at, in any order', () => {
  const cluster: Cluster = {
    groups: { 'storage-2': {}, 'storage-1': {} },
    spec: { drainPolicy: 'block-for-eviction' },
    snapshot: {
      asks: [givenAsk('storage-2'), givenAsk('storage-1')],
      share: { reserved: ids('storage-2'), quota: null },
    },
  };
  expect(saysOf(replaceAsked, cluster)).toEqual(['mark storage-2 Evicted Evicted', holds('NoRoom'), 'wake +600']);
});
