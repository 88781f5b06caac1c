import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import type { PredicateName } from '../model/role-rules.ts';
import { givenGroup, givenProcess, givenQuorum, givenReplica, givenUnit } from '../model/testing/given.ts';
import { answerOf } from './finding.ts';
import { ask } from './predicates.ts';
import type { Scene } from './testing/scene.ts';
import { questionIn, sentencesOf } from './testing/scene.ts';

const groups = ['storage-1', 'storage-2'];
const scene = (given: Scene): Scene => ({ engine: 'foundationdb', groups, ...given });
const own = (given: object) => [givenProcess('storage-1', given)];
const other = (given: object) => [givenProcess('storage-2', given)];
const quorum = (given: object) => [givenQuorum('q', groups, given)];
const drained = own({ drained: true });
const copies = (given: object = {}, unit: object = {}) => [
  givenUnit('u', [givenReplica('storage-1', { leader: true }), givenReplica('storage-2', given)], unit),
];
const following = [givenUnit('u', [givenReplica('storage-1'), givenReplica('storage-2')])];
const podless = { groups: [givenGroup('storage-1', { pod: null })] };

/** What is told about storage-1 for one question. */
const said = (predicate: PredicateName, given: Scene): readonly string[] =>
  sentencesOf(answerOf([ask(predicate, questionIn(scene(given), 'storage-1'))], 'storage-1'));

describe('what nobody knows is named', () => {
  test.each`
    predicate                            | given                                                                                                   | missing
    ${'drained'}                         | ${{ unlisted: ['storage-1'] }}                                                                          | ${'what it holds: the engine does not list it'}
    ${'drained'}                         | ${{ processes: own({ drained: unknown }) }}                                                             | ${'whether it is drained'}
    ${'drained'}                         | ${{ processes: drained, health: { activeGenerations: unknown } }}                                       | ${'how many generations of the log are active'}
    ${'drained'}                         | ${{ processes: drained, units: copies() }}                                                              | ${'whether it is drained: the engine says so, and lists copies on it'}
    ${'leads-no-unit'}                   | ${{ unlisted: ['storage-1'] }}                                                                          | ${'what it holds: the engine does not list it'}
    ${'led-units-have-in-sync-follower'} | ${{ unlisted: ['storage-1'] }}                                                                          | ${'what it holds: the engine does not list it'}
    ${'led-units-have-in-sync-follower'} | ${{ units: copies({ inSync: unknown }) }}                                                               | ${'whether the copy of unit u on storage-2 is in sync'}
    ${'write-concern-survives'}          | ${{ unlisted: ['storage-1'] }}                                                                          | ${'what it holds: the engine does not list it'}
    ${'not-quorum-leader'}               | ${{ quorums: quorum({ leader: unknown }) }}                                                             | ${'who leads quorum q'}
    ${'leader-responds'}                 | ${{ quorums: quorum({ leader: unknown }) }}                                                             | ${'who leads quorum q'}
    ${'leader-responds'}                 | ${{ quorums: [] }}                                                                                      | ${'which quorum it belongs to'}
    ${'leader-responds'}                 | ${{ quorums: [givenQuorum('q', ['storage-2', 'storage-1'])], processes: other({ responds: unknown }) }} | ${'whether storage-2 responds'}
    ${'other-follower-responds'}         | ${{ quorums: quorum({ leader: unknown }) }}                                                             | ${'who leads quorum q'}
    ${'other-follower-responds'}         | ${{ quorums: quorum({}), processes: other({ responds: unknown }) }}                                     | ${'whether storage-2 responds'}
    ${'quorum-survives'}                 | ${{ quorums: quorum({ needed: 1 }), processes: other({ responds: unknown }) }}                          | ${'whether storage-2 responds'}
    ${'follower'}                        | ${{ unlisted: ['storage-1'] }}                                                                          | ${'what it holds: the engine does not list it'}
    ${'follower'}                        | ${{}}                                                                                                   | ${'whom it follows: the engine lists no copy on it'}
    ${'follower'}                        | ${{ units: following }}                                                                                 | ${'who leads unit u'}
    ${'follower'}                        | ${{ quorums: quorum({ leader: unknown }) }}                                                             | ${'who leads quorum q'}
    ${'old-pod-gone'}                    | ${{ ...podless, processes: own({ responds: unknown }) }}                                                | ${'whether its process still runs'}
    ${'fully-replicated'}                | ${{ health: { available: unknown } }}                                                                   | ${'whether the engine serves'}
    ${'fully-replicated'}                | ${{ health: { fullyReplicated: unknown } }}                                                             | ${'whether the engine is fully replicated'}
    ${'one-more-zone-may-fail'}          | ${{ health: { zonesThatMayFail: unknown } }}                                                            | ${'how many zones may fail'}
    ${'no-other-zone-down'}              | ${{ processes: other({ responds: unknown }) }}                                                          | ${'whether storage-2 responds'}
    ${'rest-of-role-serves'}             | ${{ processes: other({ excluded: unknown }) }}                                                          | ${'whether storage-2 is excluded'}
    ${'no-attached-unit-led'}            | ${{ unlisted: ['storage-1'] }}                                                                          | ${'what it holds: the engine does not list it'}
    ${'no-attached-unit-led'}            | ${{ units: copies({}, { attached: unknown }) }}                                                         | ${'whether unit u is attached'}
  `('$predicate: $missing', ({ predicate, given, missing }) => {
    expect(said(predicate, given)).toEqual([`storage-1 stays: it is not known ${missing}`]);
  });
});

describe('what fails is told with its evidence', () => {
  const generations = { processes: drained, health: { activeGenerations: 2 } };
  const coordinators = [givenQuorum('coordinators', groups, { membersMove: true })];
  const alone = [givenUnit('u', ['storage-1'])];
  test.each`
    predicate                            | given                                             | message
    ${'drained'}                         | ${generations}                                    | ${'storage-1 is not taken for drained: 2 log generations are active, and more than 1 is too many'}
    ${'drained'}                         | ${{ processes: drained, quorums: coordinators }}  | ${'storage-1 is not removed yet: it belongs to quorum coordinators; its seat is being given to another process'}
    ${'led-units-have-in-sync-follower'} | ${{ units: alone }}                               | ${'storage-1 stays: it leads unit u, which has no in-sync follower'}
    ${'not-quorum-leader'}               | ${{ quorums: quorum({}) }}                        | ${'storage-1 stays: it leads quorum q'}
    ${'leader-responds'}                 | ${{ quorums: quorum({ leader: null }) }}          | ${'storage-1 stays: quorum q has no leader that responds'}
    ${'other-follower-responds'}         | ${{ quorums: [givenQuorum('q', ['storage-1'])] }} | ${'storage-1 stays: no follower of quorum q responds besides itself'}
    ${'follower'}                        | ${{ units: alone }}                               | ${'storage-1 stays: it is the leader; a follower is asked to take over first'}
    ${'old-pod-gone'}                    | ${{}}                                             | ${'storage-1 keeps its identity: its pod is not known to be gone'}
    ${'fully-replicated'}                | ${{ health: { available: false } }}               | ${'storage-1 stays: the engine does not serve requests'}
    ${'fully-replicated'}                | ${{ health: { fullyReplicated: false } }}         | ${'storage-1 stays: the engine is not fully replicated'}
    ${'rest-of-role-serves'}             | ${{ groups: ['storage-1'] }}                      | ${'storage-1 stays: no other storage process is serving'}
    ${'no-attached-unit-led'}            | ${{ units: alone }}                               | ${'storage-1 stays: unit u is attached and served through it'}
  `('$predicate: $message', ({ predicate, given, message }) => {
    expect(said(predicate, given)).toEqual([message]);
  });

  test('several units: the first by id is named, the others are counted', () => {
    const units = ['u3', 'u1', 'u2'].map((id) => givenUnit(id, ['storage-1']));
    expect(said('no-attached-unit-led', { units })).toEqual([
      'storage-1 stays: unit u1 is attached and served through it; so are 2 other units',
    ]);
    const doubtful = units.map((unit) => ({ ...unit, attached: unknown }));
    expect(said('no-attached-unit-led', { units: doubtful })).toEqual([
      'storage-1 stays: it is not known whether unit u1 is attached',
    ]);
    const unled = ['u3', 'u1'].map((id) => givenUnit(id, [givenReplica('storage-1')]));
    expect(said('follower', { units: unled })).toEqual(['storage-1 stays: it is not known who leads unit u1']);
    const inDoubt = ['u3', 'u1'].map((id) =>
      givenUnit(id, ['storage-1', givenReplica('storage-2', { inSync: unknown })]),
    );
    expect(said('led-units-have-in-sync-follower', { units: inDoubt })).toEqual([
      'storage-1 stays: it is not known whether the copy of unit u1 on storage-2 is in sync',
    ]);
  });

  test('a unit that two processes of one pod lead is counted once', () => {
    const processes = [givenProcess('storage-1-b', { group: 'storage-1' })];
    const both = ['storage-1', 'storage-1-b'].map((id) => givenReplica(id, { leader: true }));
    expect(said('leads-no-unit', { processes, units: [givenUnit('u', both)] })).toEqual([
      'storage-1 stays: it leads 1 unit, first unit u',
    ]);
    expect(said('led-units-have-in-sync-follower', { processes, units: [givenUnit('u', both)] })).toEqual([
      'storage-1 stays: it leads unit u, which has no in-sync follower',
    ]);
  });
});
