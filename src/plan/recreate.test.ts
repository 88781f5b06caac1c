import { describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../model/cluster-spec.ts';
import { name } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { ConditionType, Pod, ProcessGroup } from '../model/process-group.ts';
import type { Grant, Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenGrant,
  givenGroup,
  givenHealth,
  givenPod,
  givenProcess,
  givenQuorum,
  givenRole,
  givenShape,
  givenSnapshot,
  givenSpec,
  givenTopology,
  givenUnit,
} from '../model/testing/given.ts';
import type { EngineHealth, Topology } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { recreate } from './recreate.ts';
import { told, toldInWords } from './testing/told.ts';

const old = givenShape({ specHash: 'pod-0' });
const oldPod = (id: string, given: Partial<Pod> = {}) => givenPod(id, { shape: old, ...given });
const group = (id: string, zone: string, given: Partial<ProcessGroup> = {}) =>
  givenGroup(id, { zone: name(zone), ...given });
const outdated = (id: string, zone: string, given: Partial<ProcessGroup> = {}) =>
  group(id, zone, { pod: oldPod(id), ...given });
const condition = (type: ConditionType, since: number) => ({ conditions: [{ type, since: at(since) }] });

interface World {
  readonly groups: readonly ProcessGroup[];
  readonly spec?: Partial<ClusterSpec>;
  readonly health?: Partial<EngineHealth>;
  readonly topology?: Partial<Topology>;
  readonly snapshot?: Partial<Snapshot>;
}

function world({ groups, spec, health, topology, snapshot }: World): Snapshot {
  const roles = [...new Set(groups.map(({ role }) => role))].map((role) => givenRole(role, { count: 9 }));
  return givenSnapshot({
    spec: givenSpec({ roles, podUpdateStrategy: 'Delete', ...spec }),
    processGroups: groups,
    topology: givenTopology({
      processes: groups.map(({ id, zone }) => givenProcess(id, { zone })),
      health: givenHealth({ maintenance: null, ...health }),
      ...topology,
    }),
    ...snapshot,
  });
}

const step = (given: World) => recreate(surveyOf(world(given)));
const said = (given: World) => told(step(given));

const deletes = (id: string, because = 'PodOutdated') => `delete-pod ${id} uid-${id}@1 (${because})`;
const exempts = (id: string) =>
  `record granted ${id} uid-${id} on node-of-${id} at 0 exempt: deletionMode is All (AllAtOnce)`;
const holds = (id: string, code: string) => `recreate holds ${id}: ${code}`;

describe('a pod that differs from the spec is deleted, to be made again', () => {
  test('only where it differs', () => {
    expect(said({ groups: [outdated('storage-1', 'a'), group('storage-2', 'a')] })).toEqual([deletes('storage-1')]);
  });

  test.each`
    strategy                      | role         | outcome
    ${'Delete'}                   | ${'storage'} | ${[deletes('storage-1')]}
    ${'Delete'}                   | ${'log'}     | ${[deletes('log-1')]}
    ${'ReplaceTransactionSystem'} | ${'storage'} | ${[deletes('storage-1')]}
    ${'ReplaceTransactionSystem'} | ${'log'}     | ${[]}
    ${'Replace'}                  | ${'storage'} | ${[]}
  `('$strategy, $role: $outcome', ({ strategy, role, outcome }) => {
    expect(said({ groups: [outdated(`${role}-1`, 'a')], spec: { podUpdateStrategy: strategy } })).toEqual(outcome);
  });

  test('not where only a replacement can follow the change', () => {
    const pod = oldPod('storage-1', { shape: { ...old, processesPerPod: 2 } });
    expect(said({ groups: [outdated('storage-1', 'a', { pod })] })).toEqual([]);
  });

  test.each`
    which           | given
    ${'is marked'}  | ${{ removal: { at: at(-9), cause: 'Requested', withoutExclusion: false } }}
    ${'has no pod'} | ${{ pod: null }}
    ${'is going'}   | ${{ pod: oldPod('storage-1', { deletingSince: at(-601) }) }}
  `('not where it $which', ({ given }) => {
    expect(said({ groups: [outdated('storage-1', 'a', given)] })).toEqual([]);
  });

  test('never where the pods belong to someone else', () => {
    expect(said({ groups: [outdated('storage-1', 'a')], spec: { ownsPods: false } })).toEqual([]);
  });
});

describe('deletions go in lots', () => {
  const groups = [
    outdated('storage-1', 'b'),
    outdated('storage-2', 'a'),
    outdated('storage-3', 'a'),
    outdated('storage-4', 'c'),
  ];

  const ofOthers = givenQuorum('coordinators', ['log-7', 'log-8', 'log-9'], { membersMove: true });

  test('All: everything at once, and no rule is asked', () => {
    const ids = ['storage-1', 'storage-2', 'storage-3', 'storage-4'];
    const topology = { quorums: [ofOthers] };
    expect(said({ groups, spec: { deletionMode: 'All' }, health: { fullyReplicated: false }, topology })).toEqual([
      ...ids.map(exempts),
      ...ids.map((id) => deletes(id, 'AllAtOnce')),
    ]);
  });

  test('All: the exemption is recorded once, for as long as it counts', () => {
    const topology = { quorums: [ofOthers] };
    const one = { groups: [outdated('storage-1', 'a')], spec: { deletionMode: 'All' } as const, topology };
    const again = (grant: Grant) => said({ ...one, snapshot: { grants: [grant] } });
    const goes = deletes('storage-1', 'AllAtOnce');
    expect(again(givenGrant('storage-1'))).toEqual([goes]);
    expect(again(givenGrant('storage-1', { closedAt: at(-60) }))).toEqual([exempts('storage-1'), goes]);
    expect(again(givenGrant('storage-1', { pod: 'uid-before' }))).toEqual([exempts('storage-1'), goes]);
  });

  test('Zone: one zone, by name', () => {
    const outcome = step({ groups });
    expect(told(outcome)).toEqual([
      deletes('storage-2'),
      deletes('storage-3'),
      holds('storage-1', 'AnotherBatch'),
      holds('storage-4', 'AnotherBatch'),
    ]);
    expect(toldInWords(outcome)[0]).toBe('storage-1 waits its turn: a goes first');
  });

  test('Zone is the default', () => {
    expect(givenSpec().deletionMode).toBe('Zone');
  });

  test('Zone: what has no zone goes alone', () => {
    const nowhere = [outdated('storage-1', 'a', { zone: null }), outdated('storage-2', 'a', { zone: null })];
    expect(said({ groups: nowhere })).toEqual([deletes('storage-1'), holds('storage-2', 'AnotherBatch')]);
  });

  test('ProcessGroup: one pod, by id', () => {
    expect(said({ groups: groups.toReversed(), spec: { deletionMode: 'ProcessGroup' } })).toEqual([
      deletes('storage-1'),
      holds('storage-2', 'AnotherBatch'),
      holds('storage-3', 'AnotherBatch'),
      holds('storage-4', 'AnotherBatch'),
    ]);
  });
});

describe('the rules let each of them be away for a while', () => {
  test.each`
    health                          | code
    ${{ fullyReplicated: false }}   | ${'NotFullyReplicated'}
    ${{ fullyReplicated: unknown }} | ${'FactUnknown'}
    ${{ available: false }}         | ${'EngineUnavailable'}
    ${{ zonesThatMayFail: 0 }}      | ${'NoZoneToSpare'}
  `('not with the engine at $health', ({ health, code }) => {
    expect(said({ groups: [outdated('storage-1', 'a')], health })).toContain(holds('storage-1', code));
    expect(step({ groups: [outdated('storage-1', 'a')], health }).actions).toEqual([]);
  });

  test('not while the engine cannot be read', () => {
    const topology = { unreachable: 'refused', since: at(-5) };
    const outcome = step({ groups: [outdated('storage-1', 'a')], snapshot: { topology } });
    expect(outcome.actions).toEqual([]);
    expect(told(outcome)).toContain(holds('storage-1', 'EngineUnreachable'));
  });

  test('a zone that has to wait does not hold up the next', () => {
    const groups = [outdated('storage-1', 'a'), outdated('storage-2', 'b'), group('storage-3', 'b')];
    const processes = [
      givenProcess('storage-1', { zone: 'a' }),
      givenProcess('storage-2', { zone: 'b' }),
      givenProcess('storage-3', { zone: 'b', responds: false }),
    ];
    const lines = said({ groups, topology: { processes } });
    expect(lines).toContain(deletes('storage-2'));
    expect(lines).toContain(holds('storage-1', 'OtherZoneDown'));
  });

  test('what was let go counts as gone', () => {
    const groups = [outdated('storage-1', 'a'), group('storage-2', 'b')];
    const grants = [givenGrant('storage-2')];
    expect(step({ groups, snapshot: { grants } }).actions).toEqual([]);
  });

  test('those of a zone go together only as far as they can be lost together', () => {
    const groups = ['member-1', 'member-2', 'member-3'].map((id) => outdated(id, id === 'member-3' ? 'b' : 'a'));
    const quorums = [givenQuorum('q', ['member-3', 'member-1', 'member-2'])];
    const lines = said({ groups, spec: { engine: 'etcd' }, health: { zonesThatMayFail: null }, topology: { quorums } });
    expect(lines.filter((line) => line.startsWith('delete-pod'))).toEqual([deletes('member-1')]);
    expect(lines).toContain(holds('member-2', 'QuorumAtRisk'));
    expect(lines).toContain(holds('member-3', 'AnotherBatch'));
  });
});

describe('data stays on its volume, so that it need not be moved for that', () => {
  const spec = { engine: 'arangodb' } as const;
  const health = { zonesThatMayFail: null };
  const groups = [outdated('dbserver-1', 'a'), group('dbserver-2', 'b')];

  test('a follower with another copy elsewhere is made again undrained', () => {
    const units = [givenUnit('s1', ['dbserver-2', 'dbserver-1'])];
    expect(said({ groups, spec, health, topology: { units } })).toEqual([deletes('dbserver-1')]);
  });

  test('a leader hands over first', () => {
    const units = [givenUnit('s1', ['dbserver-1', 'dbserver-2'])];
    expect(said({ groups, spec, health, topology: { units } })).toEqual([
      'hand-off dbserver-1 [dbserver-1] (LeadsUnits)',
      holds('dbserver-1', 'LeadsUnits'),
    ]);
  });

  test('the last copy stays, also where the policy would move it away first', () => {
    for (const drainPolicy of ['block-if-contains-last-replica', 'block-for-eviction'] as const) {
      const units = [givenUnit('s1', ['dbserver-1'])];
      const lines = said({ groups, spec: { ...spec, drainPolicy }, health, topology: { units } });
      expect(lines).toContain(holds('dbserver-1', 'LastReplica'));
      expect(lines.some((line) => line.startsWith('delete-pod') || line.startsWith('hand-off'))).toBe(false);
    }
  });

  test('leadership is not moved where something else keeps it anyway', () => {
    const units = [givenUnit('s1', ['dbserver-1', 'dbserver-2']), givenUnit('s2', ['dbserver-1'])];
    const lines = said({ groups, spec, health, topology: { units } });
    expect(lines.every((line) => line.startsWith('recreate holds dbserver-1'))).toBe(true);
  });

  test('leaders come last, so that leadership moves once', () => {
    const both = [outdated('dbserver-1', 'a'), outdated('dbserver-2', 'b')];
    const units = [givenUnit('s1', ['dbserver-1', 'dbserver-2'])];
    expect(said({ groups: both, spec, health, topology: { units } })).toEqual([
      deletes('dbserver-2'),
      holds('dbserver-1', 'LeadsUnits'),
    ]);
  });

  test('one leader at a time', () => {
    const both = [outdated('dbserver-1', 'a'), outdated('dbserver-2', 'b')];
    const units = [givenUnit('s1', ['dbserver-1', 'dbserver-2']), givenUnit('s2', ['dbserver-2', 'dbserver-1'])];
    expect(
      said({ groups: both, spec, health, topology: { units } }).filter((line) => line.startsWith('hand-off')),
    ).toEqual(['hand-off dbserver-1 [dbserver-1] (LeadsUnits)']);
  });

  test('what another step hands off already is not handed off twice', () => {
    const units = [givenUnit('s1', ['dbserver-1', 'dbserver-2'])];
    const survey = surveyOf(world({ groups, spec, health, topology: { units } }));
    const first = recreate(survey);
    const elsewhere = first.actions.map((action) => ({ ...action, group: name<ProcessGroup['id']>('dbserver-2') }));
    expect(told(recreate(survey, elsewhere))).toEqual(told(first));
    expect(told(recreate(survey, first.actions))).toEqual([holds('dbserver-1', 'LeadsUnits')]);
  });
});

describe('no more zones with unavailable pods than the limit', () => {
  const drained = { removal: { at: at(-9), cause: 'Requested', withoutExclusion: false }, drainedAt: at(-1) } as const;
  const away = (id: string, zone: string, type: ConditionType) => group(id, zone, condition(type, -3600));
  const two = [away('test-1', 'b', 'PodFailing'), away('test-2', 'c', 'PodPending')];

  test.each`
    most    | zone   | outcome
    ${null} | ${'a'} | ${[deletes('test-9')]}
    ${3}    | ${'a'} | ${[deletes('test-9')]}
    ${2}    | ${'a'} | ${[deletes('test-9')]}
    ${1}    | ${'a'} | ${[holds('test-9', 'ZonesUnavailable')]}
    ${0}    | ${'a'} | ${[holds('test-9', 'ZonesUnavailable')]}
    ${1}    | ${'b'} | ${[deletes('test-9')]}
    ${0}    | ${'c'} | ${[deletes('test-9')]}
  `('at most $most, two are unavailable, the pod is in $zone: $outcome', ({ most, zone, outcome }) => {
    const groups = [outdated('test-9', zone), ...two];
    expect(said({ groups, spec: { maxZonesWithUnavailablePods: most } })).toEqual(outcome);
  });

  test.each`
    what                   | given                                                        | counts
    ${'PodPending'}        | ${condition('PodPending', -3600)}                            | ${true}
    ${'MissingProcesses'}  | ${condition('MissingProcesses', -3600)}                      | ${true}
    ${'PodFailing'}        | ${condition('PodFailing', -3600)}                            | ${true}
    ${'MissingPod'}        | ${condition('MissingPod', -3600)}                            | ${true}
    ${'no pod'}            | ${{ pod: null }}                                             | ${true}
    ${'a pod that goes'}   | ${{ pod: givenPod('test-1', { deletingSince: at(-3600) }) }} | ${true}
    ${'a pod not ready'}   | ${{ pod: givenPod('test-1', { ready: false }) }}             | ${true}
    ${'a removal'}         | ${{ removingAt: at(0) }}                                     | ${true}
    ${'drained, no place'} | ${{ ...drained, pod: givenPod('test-1', { ready: false }) }} | ${true}
    ${'drained'}           | ${drained}                                                   | ${false}
    ${'a taint'}           | ${condition('NodeTaintDetected', -3600)}                     | ${false}
    ${'nothing'}           | ${{}}                                                        | ${false}
  `('$what makes a zone unavailable: $counts', ({ given, counts }) => {
    const groups = [outdated('test-9', 'a'), group('test-1', 'b', given)];
    expect(said({ groups, spec: { maxZonesWithUnavailablePods: 0 } })).toEqual([
      counts ? holds('test-9', 'ZonesUnavailable') : deletes('test-9'),
    ]);
  });

  test('the zones are told in order', () => {
    const groups = [outdated('test-9', 'a'), away('test-1', 'c', 'PodFailing'), away('test-2', 'b', 'PodFailing')];
    expect(toldInWords(step({ groups, spec: { maxZonesWithUnavailablePods: 1 } }))[0]).toContain('(b and c)');
  });

  test('what has never been anywhere is in no zone', () => {
    const groups = [outdated('test-9', 'a'), group('test-1', 'b', { zone: null, pod: null })];
    expect(said({ groups, spec: { maxZonesWithUnavailablePods: 0 } })).toEqual([deletes('test-9')]);
  });

  test('it is asked at each deletion: All stops when the limit is passed', () => {
    const groups = ['a', 'b', 'c', 'd'].map((zone, index) => outdated(`test-${index + 1}`, zone));
    const spec = { deletionMode: 'All', maxZonesWithUnavailablePods: 1 } as const;
    const outcome = step({ groups, spec });
    expect(told(outcome)).toEqual([
      exempts('test-1'),
      exempts('test-2'),
      deletes('test-1', 'AllAtOnce'),
      deletes('test-2', 'AllAtOnce'),
      holds('test-3', 'ZonesUnavailable'),
      holds('test-4', 'ZonesUnavailable'),
    ]);
    expect(toldInWords(outcome)[0]).toBe(
      'test-3 is not deleted: pods of 2 zones are unavailable (a and b), and at most 1 may be',
    );
  });

  test('Zone: what waits for its limit does not count', () => {
    const groups = [outdated('test-1', 'a'), outdated('test-2', 'b'), away('test-8', 'b', 'PodFailing')];
    const spec = { maxZonesWithUnavailablePods: 0 };
    expect(said({ groups, spec })).toEqual([deletes('test-2'), holds('test-1', 'ZonesUnavailable')]);
  });
});

describe('nothing is deleted while something settles', () => {
  const target = outdated('test-9', 'a');
  const settles = (due: number) => [`${holds('test-9', 'PodsSettling')} until at ${due}`, `wake at ${due}`];
  const goes = [deletes('test-9')];
  const fresh = (createdAt: number) => ({ pod: givenPod('test-1', { createdAt: at(createdAt) }) });

  test.each`
    what                                   | given                                                       | reports  | outcome
    ${'terminating for 599 s'}             | ${{ pod: givenPod('test-1', { deletingSince: at(-599) }) }} | ${true}  | ${settles(1)}
    ${'terminating for 600 s'}             | ${{ pod: givenPod('test-1', { deletingSince: at(-600) }) }} | ${true}  | ${goes}
    ${'made 59 s ago, silent'}             | ${fresh(-59)}                                               | ${false} | ${settles(1)}
    ${'made 60 s ago, silent'}             | ${fresh(-60)}                                               | ${false} | ${goes}
    ${'made 59 s ago, reporting'}          | ${fresh(-59)}                                               | ${true}  | ${goes}
    ${'pod missing for 89 s'}              | ${{ pod: null, ...condition('MissingPod', -89) }}           | ${false} | ${settles(1)}
    ${'pod missing for 90 s'}              | ${{ pod: null, ...condition('MissingPod', -90) }}           | ${false} | ${goes}
    ${'pod missing, nobody knows since'}   | ${{ pod: null }}                                            | ${false} | ${goes}
    ${'process missing for 89 s'}          | ${condition('MissingProcesses', -89)}                       | ${false} | ${settles(1)}
    ${'process missing for 90 s'}          | ${condition('MissingProcesses', -90)}                       | ${false} | ${goes}
    ${'that began anew 89 s ago'}          | ${{ pod: givenPod('test-1', { restartedAt: at(-89) }) }}    | ${true}  | ${settles(1)}
    ${'that began anew 90 s ago'}          | ${{ pod: givenPod('test-1', { restartedAt: at(-90) }) }}    | ${true}  | ${goes}
    ${'failing for 1 s'}                   | ${condition('PodFailing', -1)}                              | ${true}  | ${goes}
    ${'new and missing: the later counts'} | ${{ ...fresh(-59), ...condition('MissingProcesses', -50) }} | ${false} | ${settles(40)}
    ${'new and missing: the other way'}    | ${{ ...fresh(-9), ...condition('MissingProcesses', -85) }}  | ${false} | ${settles(51)}
  `('a pod $what: $outcome', ({ given, reports, outcome }) => {
    const processes = [givenProcess('test-9'), ...(reports ? [givenProcess('test-1', { startedAt: at(-30) })] : [])];
    expect(said({ groups: [target, group('test-1', 'b', given)], topology: { processes } })).toEqual(outcome);
  });

  test('a process that started before its pod was made is what the engine remembers', () => {
    const processes = [givenProcess('test-9'), givenProcess('test-1', { startedAt: at(-60) })];
    expect(said({ groups: [target, group('test-1', 'b', fresh(-59))], topology: { processes } })).toEqual(settles(1));
    const level = [givenProcess('test-9'), givenProcess('test-1', { startedAt: at(-59) })];
    expect(said({ groups: [target, group('test-1', 'b', fresh(-59))], topology: { processes: level } })).toEqual(goes);
    const silent = [givenProcess('test-9'), givenProcess('test-1', { startedAt: null })];
    expect(said({ groups: [target, group('test-1', 'b', fresh(-59))], topology: { processes: silent } })).toEqual(goes);
  });

  test('one that is being removed is not waited for', () => {
    const removing = {
      removal: { at: at(-60), cause: 'Requested', withoutExclusion: false } as const,
      removingAt: at(-9),
      pod: givenPod('test-1', { deletingSince: at(-9) }),
    };
    expect(said({ groups: [target, group('test-1', 'b', removing)] })).toEqual(goes);
  });

  test('the one that takes longest is named', () => {
    const groups = [
      target,
      group('test-1', 'b', condition('MissingProcesses', -50)),
      group('test-2', 'c', condition('MissingProcesses', -10)),
      group('test-3', 'd', condition('MissingProcesses', -10)),
    ];
    const outcome = step({ groups });
    expect(told(outcome)).toEqual(settles(80));
    expect(toldInWords(outcome)[0]).toContain('test-9 is not deleted yet: test-2 changed a moment ago');
    expect(toldInWords(step({ groups: groups.toReversed() }))).toEqual(toldInWords(outcome));
  });

  test('All waits too', () => {
    const groups = [target, group('test-1', 'b', condition('MissingPod', -1))];
    expect(said({ groups, spec: { deletionMode: 'All' } })).toEqual(settles(89));
  });

  test('where there is nothing to delete nobody waits', () => {
    expect(said({ groups: [group('test-1', 'b', condition('MissingPod', -1))] })).toEqual([]);
  });
});
