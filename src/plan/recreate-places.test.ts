import { describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../model/cluster-spec.ts';
import type { Action } from '../model/decision.ts';
import { name } from '../model/ids.ts';
import type { Pod, ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenAsk,
  givenClaim,
  givenGrant,
  givenGroup,
  givenHealth,
  givenNode,
  givenPod,
  givenProcess,
  givenQuorum,
  givenRole,
  givenShape,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../model/testing/given.ts';
import type { Topology } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { recreate } from './recreate.ts';
import { told } from './testing/told.ts';

const old = givenShape({ specHash: 'pod-0' });
const oldPod = (id: string, given: Partial<Pod> = {}) => givenPod(id, { shape: old, ...given });
const group = (id: string, zone: string, given: Partial<ProcessGroup> = {}) =>
  givenGroup(id, { zone: name(zone), ...given });
const outdated = (id: string, zone: string, given: Partial<ProcessGroup> = {}) =>
  group(id, zone, { pod: oldPod(id), ...given });

interface World {
  readonly groups: readonly ProcessGroup[];
  readonly spec?: Partial<ClusterSpec>;
  readonly topology?: Partial<Topology>;
  readonly snapshot?: Partial<Snapshot>;
  /** What the steps before want done. */
  readonly taken?: readonly Action[];
}

function said({ groups, spec, topology, snapshot: given, taken = [] }: World): readonly string[] {
  const snapshot = givenSnapshot({
    spec: givenSpec({ roles: [givenRole('storage', { count: 9 })], podUpdateStrategy: 'Delete', ...spec }),
    processGroups: groups,
    topology: givenTopology({
      processes: groups.map(({ id, zone }) => givenProcess(id, { zone })),
      health: givenHealth({ maintenance: null }),
      ...topology,
    }),
    ...given,
  });
  return told(recreate(surveyOf(snapshot), taken));
}

const deletes = (id: string, because = 'PodOutdated') => `delete-pod ${id} uid-${id}@1 (${because})`;
const holds = (id: string, code: string) => `recreate holds ${id}: ${code}`;

describe('a pod is not deleted where it could not come back to what it had', () => {
  test.each`
    source       | membersMove | outcome
    ${'Pod'}     | ${true}     | ${['storage-1']}
    ${'Service'} | ${true}     | ${['storage-1', 'storage-2', 'storage-3']}
    ${'Pod'}     | ${false}    | ${['storage-1', 'storage-2', 'storage-3']}
  `('all at once, but a majority of seats that would not come back stays: $source, moved $membersMove', (row) => {
    const ids = ['storage-1', 'storage-2', 'storage-3'];
    const shape = { ...old, publicIPSource: row.source };
    const groups = ids.map((id) => outdated(id, 'a', { pod: oldPod(id, { shape }) }));
    const roles = [givenRole('storage', { count: 3, shape: givenShape({ publicIPSource: row.source }) })];
    const quorums = [givenQuorum('coordinators', ids, { membersMove: row.membersMove })];
    const lines = said({ groups, spec: { roles, deletionMode: 'All' }, topology: { quorums } });
    const kept = ids.filter((id) => !row.outcome.includes(id)).map((id) => holds(id, 'SeatIsKept'));
    expect(lines.filter((line) => line.startsWith('delete-pod'))).toEqual(
      row.outcome.map((id: string) => deletes(id, 'AllAtOnce')),
    );
    expect(lines.filter((line) => line.includes('SeatIsKept'))).toEqual(kept);
  });

  const shapeByPod = { shape: { ...old, publicIPSource: 'Pod' } } as const;
  const alive = { pod: oldPod('storage-1', shapeByPod) };
  const goes = { pod: oldPod('storage-1', { ...shapeByPod, deletingSince: at(-1) }) };
  const goesForLong = { pod: oldPod('storage-1', { ...shapeByPod, deletingSince: at(-3600) }) };
  const lost = { pod: null, conditions: [{ type: 'MissingPod', since: at(-3600) }] };
  const letGo = { grants: [givenGrant('storage-1', { pod: 'uid-storage-1', exemption: 'deletionMode is All' })] };
  test.each`
    situation                                                    | first          | snapshot | outcome
    ${'there as the others'}                                     | ${alive}       | ${{}}    | ${['storage-1']}
    ${'recorded as let go and not deleted yet'}                  | ${alive}       | ${letGo} | ${['storage-1']}
    ${'being deleted'}                                           | ${goes}        | ${letGo} | ${[]}
    ${'being deleted for an hour, by a clock that may be wrong'} | ${goesForLong} | ${letGo} | ${[]}
    ${'without a pod for an hour'}                               | ${lost}        | ${{}}    | ${[]}
  `('all at once, and of three seats that the engine hears the first is $situation', ({ first, snapshot, outcome }) => {
    const ids = ['storage-1', 'storage-2', 'storage-3'];
    const groups = [
      group('storage-1', 'a', first),
      ...ids.slice(1).map((id) => outdated(id, 'a', { pod: oldPod(id, shapeByPod) })),
    ];
    const roles = [givenRole('storage', { count: 3, shape: givenShape({ publicIPSource: 'Pod' }) })];
    const quorums = [givenQuorum('coordinators', ids, { membersMove: true })];
    const lines = said({ groups, spec: { roles, deletionMode: 'All' }, topology: { quorums }, snapshot });
    expect(lines.filter((line) => line.startsWith('delete-pod'))).toEqual(
      outcome.map((id: string) => deletes(id, 'AllAtOnce')),
    );
  });

  const because = reasons.isCoordinator({ group: name('log-7'), quorum: 'coordinators' });
  const handOff: Action = { act: 'hand-off', group: name('log-7'), processes: [], reason: because };
  const reseat: Action = { act: 'reseat', quorum: name('coordinators'), processes: [], reason: because };
  const evacuate: Action = { act: 'evacuate', group: name('log-7'), processes: [], addresses: [], reason: because };
  test.each`
    taken         | source       | deleted
    ${[]}         | ${'Pod'}     | ${true}
    ${[handOff]}  | ${'Pod'}     | ${false}
    ${[reseat]}   | ${'Pod'}     | ${false}
    ${[evacuate]} | ${'Pod'}     | ${true}
    ${[handOff]}  | ${'Service'} | ${true}
  `('all at once, by $source, and to whom a seat goes is not known before it went: $taken.0.act', (row) => {
    const shape = { ...old, publicIPSource: row.source };
    const roles = [givenRole('storage', { count: 1, shape: givenShape({ publicIPSource: row.source }) })];
    const groups = [outdated('storage-1', 'a', { pod: oldPod('storage-1', { shape }) })];
    const topology = { quorums: [givenQuorum('coordinators', ['log-7', 'log-8', 'log-9'], { membersMove: true })] };
    const lines = said({ groups, spec: { roles, deletionMode: 'All' }, topology, taken: row.taken });
    const outcome = row.deleted ? deletes('storage-1', 'AllAtOnce') : holds('storage-1', 'FactUnknown');
    expect(lines.filter((line) => !line.startsWith('record'))).toEqual([outcome]);
  });

  test.each`
    role           | source       | quorums                                     | outcome
    ${'storage'}   | ${'Pod'}     | ${[]}                                       | ${[holds('storage-1', 'FactUnknown')]}
    ${'stateless'} | ${'Pod'}     | ${[]}                                       | ${[holds('stateless-1', 'FactUnknown')]}
    ${'test'}      | ${'Pod'}     | ${[]}                                       | ${[deletes('test-1', 'AllAtOnce')]}
    ${'storage'}   | ${'Service'} | ${[]}                                       | ${[deletes('storage-1', 'AllAtOnce')]}
    ${'storage'}   | ${'Pod'}     | ${[givenQuorum('coordinators', ['log-9'])]} | ${[deletes('storage-1', 'AllAtOnce')]}
  `(
    'all at once, while the engine does not tell who has a seat: $role by $source',
    ({ role, source, quorums, outcome }) => {
      const id = `${role}-1`;
      const shape = { ...old, publicIPSource: source };
      const roles = [givenRole(role, { count: 1, shape: givenShape({ publicIPSource: source }) })];
      const groups = [outdated(id, 'a', { pod: oldPod(id, { shape }) })];
      const lines = said({ groups, spec: { roles, deletionMode: 'All' }, topology: { quorums } });
      expect(lines.filter((line) => !line.startsWith('record'))).toEqual(outcome);
    },
  );

  const cordoned = { nodes: [givenNode('node-of-storage-1', { cordoned: true, cordonedSince: at(-30) })] };
  const free = { nodes: [givenNode('node-of-storage-1')] };
  const asked = { asks: [givenAsk('storage-1', { source: 'Eviction' })] };
  const fromThere = givenPod('storage-1', { shape: old });
  const nowhere = givenPod('storage-1', { shape: old, phase: 'Pending', node: null });
  test.each`
    situation                                      | snapshot                     | pod          | claim                            | isHeld
    ${'its node is cordoned'}                      | ${cordoned}                  | ${fromThere} | ${givenClaim()}                  | ${true}
    ${'somebody wants it gone'}                    | ${{ ...free, ...asked }}     | ${fromThere} | ${givenClaim()}                  | ${true}
    ${'somebody wants it gone, nodes are unknown'} | ${{ nodes: null, ...asked }} | ${fromThere} | ${givenClaim()}                  | ${true}
    ${'neither'}                                   | ${free}                      | ${fromThere} | ${givenClaim()}                  | ${false}
    ${'its data goes along'}                       | ${cordoned}                  | ${fromThere} | ${givenClaim({ travels: true })} | ${false}
    ${'it has no volume'}                          | ${cordoned}                  | ${fromThere} | ${'none'}                        | ${false}
    ${'it is on no node'}                          | ${cordoned}                  | ${nowhere}   | ${givenClaim()}                  | ${false}
  `('not where its node is to be left, in no mode: $situation: $isHeld', ({ snapshot, pod, claim, isHeld }) => {
    for (const deletionMode of ['Zone', 'ProcessGroup', 'All'] as const) {
      const lines = said({ groups: [group('storage-1', 'a', { pod, claim })], spec: { deletionMode }, snapshot });
      expect(lines.includes(holds('storage-1', 'PlaceLeft'))).toBe(isHeld);
      if (isHeld) expect(lines.filter((line) => line.startsWith('delete-pod'))).toEqual([]);
    }
  });

  test.each`
    other                                                           | travels  | outcome
    ${{ unschedulable: null }}                                      | ${false} | ${[deletes('storage-1')]}
    ${{ unschedulable: '0/9 nodes', phase: 'Pending', node: null }} | ${false} | ${[holds('storage-1', 'PlaceWanted')]}
    ${{ unschedulable: '0/9 nodes', phase: 'Pending', node: null }} | ${true}  | ${[deletes('storage-1')]}
  `('not while another pod of its role, $other, would take its node, if data travels: $travels', (row) => {
    const claim = givenClaim({ travels: row.travels });
    const groups = [
      outdated('storage-1', 'a', { claim }),
      group('storage-2', 'a', { pod: givenPod('storage-2', row.other) }),
    ];
    expect(said({ groups })).toEqual(row.outcome);
  });
});
