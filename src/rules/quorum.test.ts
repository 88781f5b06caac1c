import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import { at, givenGrant, givenGroup, givenProcess, givenQuorum } from '../model/testing/given.ts';
import type { Quorum, QuorumMember } from '../model/topology.ts';
import { ask } from './predicates.ts';
import type { Scene } from './testing/scene.ts';
import { evictionOf, questionIn, replacementOf, sentencesOf, verdictIn } from './testing/scene.ts';

const names = ['m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6', 'm-7'];

/** A cluster of so many members, led by the first, of which the last few are down. */
const cluster = (size: number, down = 0, given: Partial<Quorum> = {}): Scene => {
  const members = names.slice(0, size);
  return {
    engine: 'etcd',
    groups: members,
    processes: members.slice(size - down).map((id) => givenProcess(id, { responds: false })),
    quorums: [givenQuorum('raft', members, { leader: null, ...given })],
  };
};

const givenMember = (id: string): QuorumMember => ({ process: givenProcess(id).id, responds: true, inSync: true });

/** The quorum with something else said of one member. */
const withMember = (scene: Scene, id: string, given: Partial<QuorumMember>): Scene => ({
  ...scene,
  quorums: (scene.quorums ?? []).map((quorum) => ({
    ...quorum,
    members: quorum.members.map((member) => (member.process === id ? { ...member, ...given } : member)),
  })),
});

describe('a quorum survives without one more, by its size and by how many are down', () => {
  test.each`
    size | spare
    ${1} | ${-1}
    ${2} | ${-1}
    ${3} | ${0}
    ${4} | ${0}
    ${5} | ${1}
    ${6} | ${1}
    ${7} | ${2}
  `('of $size: with $spare down it does, with one more it does not', ({ size, spare }) => {
    for (let down = 0; down < size; down += 1) {
      expect(`${down} down: ${evictionOf(cluster(size, down), 'm-1')}`).toBe(
        `${down} down: ${down <= spare ? 'allow' : 'wait QuorumAtRisk'}`,
      );
    }
  });

  test('one that is down itself may go as long as the rest agrees', () => {
    expect(evictionOf(cluster(3, 1), 'm-3')).toBe('allow');
    expect(evictionOf(cluster(3, 2), 'm-3')).toBe('wait QuorumAtRisk');
  });

  test('the number that the engine names counts, not the majority', () => {
    expect(evictionOf(cluster(3, 0, { needed: 3 }), 'm-1')).toBe('wait QuorumAtRisk');
    expect(evictionOf(cluster(3, 1, { needed: 1 }), 'm-1')).toBe('allow');
    expect(evictionOf(cluster(3, 0, { needed: Number.NaN }), 'm-1')).toBe('wait QuorumAtRisk');
  });
});

describe('a member counts when it responds, is level, and was not let go', () => {
  const three = cluster(3);
  const silent: Scene = { ...three, processes: [givenProcess('m-2', { responds: false })] };
  const inDoubt: Scene = { ...three, processes: [givenProcess('m-2', { responds: unknown })] };
  const granted: Scene = { ...three, snapshot: { grants: [givenGrant('m-2')] } };
  const deleted: Scene = { ...three, groups: ['m-1', givenGroup('m-2', { pod: null }), 'm-3'] };
  const unlisted: Scene = { ...three, unlisted: ['m-2'] };
  const twice: Scene = {
    ...three,
    quorums: [givenQuorum('raft', ['m-1', 'm-2', 'm-2', 'm-2'], { leader: null, needed: 2 })],
  };
  const free: Scene = {
    engine: 'foundationdb',
    groups: [
      givenGroup('m-1', { role: 'stateless' }),
      givenGroup('m-2', { role: 'test' }),
      givenGroup('m-3', { role: 'stateless' }),
    ],
    quorums: three.quorums ?? [],
  };
  test.each`
    situation                         | scene                                              | said
    ${'all well'}                     | ${three}                                           | ${[]}
    ${'process silent'}               | ${silent}                                          | ${['m-1 stays: quorum raft needs 2 members and would have 1 (not counted: m-2: does not respond)']}
    ${'member silent'}                | ${withMember(three, 'm-2', { responds: false })}   | ${['m-1 stays: quorum raft needs 2 members and would have 1 (not counted: m-2: does not respond)']}
    ${'member behind'}                | ${withMember(three, 'm-2', { inSync: false })}     | ${['m-1 stays: quorum raft needs 2 members and would have 1 (not counted: m-2: behind)']}
    ${'let go'}                       | ${granted}                                         | ${['m-1 stays: quorum raft needs 2 members and would have 1 (not counted: m-2: let go)']}
    ${'pod gone'}                     | ${deleted}                                         | ${['m-1 stays: quorum raft needs 2 members and would have 1 (not counted: m-2: has no pod)']}
    ${'process in doubt'}             | ${inDoubt}                                         | ${['m-1 stays: it is not known whether m-2 responds']}
    ${'member in doubt'}              | ${withMember(three, 'm-2', { responds: unknown })} | ${['m-1 stays: it is not known whether m-2 responds']}
    ${'level in doubt'}               | ${withMember(three, 'm-2', { inSync: unknown })}   | ${['m-1 stays: it is not known whether m-2 is level with quorum raft']}
    ${'behind, and process in doubt'} | ${withMember(inDoubt, 'm-2', { inSync: false })}   | ${['m-1 stays: quorum raft needs 2 members and would have 1 (not counted: m-2: behind)']}
    ${'not listed'}                   | ${unlisted}                                        | ${['m-1 stays: it is not known what m-2 is: the engine names it and does not list it']}
    ${'listed three times'}           | ${twice}                                           | ${['m-1 stays: quorum raft needs 2 members and would have 1']}
    ${'may go at any time'}           | ${free}                                            | ${['m-1 stays: quorum raft needs 2 members and would have 1 (not counted: m-2: may go at any time)']}
  `('$situation', ({ scene, said }) => {
    expect(sentencesOf(verdictIn(scene, 'm-1').eviction)).toEqual(said);
  });

  test('a doubt does not matter where enough are certain, nor where it could not help', () => {
    const five = withMember(cluster(5), 'm-2', { inSync: unknown });
    expect(evictionOf(five, 'm-1')).toBe('allow');
    expect(
      evictionOf({ ...five, processes: ['m-4', 'm-5'].map((id) => givenProcess(id, { responds: false })) }, 'm-1'),
    ).toBe('wait QuorumAtRisk');
    const lastHope = { ...five, processes: [givenProcess('m-5', { responds: false })] };
    expect(evictionOf(lastHope, 'm-1')).toBe('wait FactUnknown');
  });

  test.each`
    first                    | second                 | eviction
    ${{}}                    | ${{}}                  | ${'allow'}
    ${{}}                    | ${{ inSync: false }}   | ${'wait QuorumAtRisk'}
    ${{ responds: false }}   | ${{}}                  | ${'wait QuorumAtRisk'}
    ${{}}                    | ${{ inSync: unknown }} | ${'wait FactUnknown'}
    ${{ responds: unknown }} | ${{}}                  | ${'wait FactUnknown'}
  `(
    'a member that is listed twice counts by the worse of its entries: $first, $second',
    ({ first, second, eviction }) => {
      const member = (given: Partial<QuorumMember>) => ({ ...givenMember('m-2'), ...given });
      const members = [givenMember('m-1'), member(first), member(second), givenMember('m-3')];
      expect(evictionOf({ ...three, quorums: [givenQuorum('raft', [], { members, needed: 2 })] }, 'm-1')).toBe(
        eviction,
      );
    },
  );

  test('of several doubts the first is told', () => {
    const doubtful = withMember(withMember(three, 'm-3', { inSync: unknown }), 'm-2', { inSync: unknown });
    const reversed = (doubtful.quorums ?? []).map((each) => ({ ...each, members: each.members.toReversed() }));
    for (const quorums of [doubtful.quorums ?? [], reversed]) {
      expect(sentencesOf(verdictIn({ ...doubtful, quorums }, 'm-1').eviction)).toEqual([
        'm-1 stays: it is not known whether m-2 is level with quorum raft',
      ]);
    }
  });

  test('what is not counted is told in order', () => {
    expect(
      sentencesOf(
        verdictIn({ ...cluster(4, 2), quorums: [givenQuorum('raft', ['m-4', 'm-3', 'm-2', 'm-1'])] }, 'm-1').eviction,
      ),
    ).toEqual([
      'm-1 stays: quorum raft needs 3 members and would have 1 (not counted: m-3: does not respond and m-4: does not respond)',
    ]);
  });
});

describe('every quorum that a group belongs to must survive, whatever its engine and role', () => {
  const groups = ['storage-1', 'storage-2', 'storage-3'];
  const processes = [givenProcess('storage-1', { drained: true })];
  const both = (needed: number): Scene => ({
    engine: 'foundationdb',
    groups,
    processes,
    quorums: [givenQuorum('b', groups, { needed }), givenQuorum('a', groups)],
  });

  test('one of two at risk is enough to wait', () => {
    expect(evictionOf(both(2), 'storage-1')).toBe('allow');
    expect(evictionOf(both(3), 'storage-1')).toBe('wait QuorumAtRisk');
    expect(evictionOf({ ...both(2), quorums: [givenQuorum('a', ['storage-2'])] }, 'storage-1')).toBe('allow');
  });

  test('a member that has to be moved first may be evicted, and may not be replaced', () => {
    const quorums = [givenQuorum('coordinators', groups, { membersMove: true })];
    const scene: Scene = { engine: 'foundationdb', groups, quorums };
    expect(evictionOf(scene, 'storage-1')).toBe('allow');
    expect(replacementOf({ ...scene, processes }, 'storage-1')).toBe('wait IsCoordinator');
    expect(replacementOf({ ...scene, processes, quorums: [] }, 'storage-1')).toBe('allow');
  });

  test('two processes of one pod leave together', () => {
    const scene = { ...cluster(3), processes: [givenProcess('m-2', { group: 'm-1' })] };
    expect(evictionOf(scene, 'm-1')).toBe('wait QuorumAtRisk');
  });
});

describe('leaders and followers', () => {
  const five = cluster(5, 0, { leader: givenProcess('m-1').id });
  const answerTo = (
    predicate: 'not-quorum-leader' | 'leader-responds' | 'other-follower-responds',
    scene: Scene,
    id: string,
  ) => ask(predicate, questionIn(scene, id)).finding;
  const lead = (leader: Quorum['leader']): Scene => ({
    ...five,
    quorums: (five.quorums ?? []).map((quorum) => ({ ...quorum, leader })),
  });
  const downBut = (...up: readonly string[]): Scene => ({
    ...five,
    processes: names
      .slice(0, 5)
      .filter((id) => !up.includes(id))
      .map((id) => givenProcess(id, { responds: false })),
  });
  const letGo = (id: string): Scene => ({ ...five, snapshot: { grants: [givenGrant(id)] } });

  test.each`
    predicate                    | situation                          | scene                                                                             | id       | finding
    ${'not-quorum-leader'}       | ${'it follows'}                    | ${five}                                                                           | ${'m-2'} | ${'holds'}
    ${'not-quorum-leader'}       | ${'it leads'}                      | ${five}                                                                           | ${'m-1'} | ${'fails'}
    ${'not-quorum-leader'}       | ${'nobody leads'}                  | ${lead(null)}                                                                     | ${'m-1'} | ${'holds'}
    ${'not-quorum-leader'}       | ${'not known'}                     | ${lead(unknown)}                                                                  | ${'m-2'} | ${'unknown'}
    ${'not-quorum-leader'}       | ${'not listed'}                    | ${{ ...five, unlisted: ['m-2'] }}                                                 | ${'m-2'} | ${'unknown'}
    ${'not-quorum-leader'}       | ${'in no quorum'}                  | ${{ ...five, quorums: [] }}                                                       | ${'m-2'} | ${'holds'}
    ${'leader-responds'}         | ${'it does'}                       | ${five}                                                                           | ${'m-2'} | ${'holds'}
    ${'leader-responds'}         | ${'it is the leader itself'}       | ${five}                                                                           | ${'m-1'} | ${'holds'}
    ${'leader-responds'}         | ${'it does not'}                   | ${downBut('m-2', 'm-3')}                                                          | ${'m-2'} | ${'fails'}
    ${'leader-responds'}         | ${'it was let go'}                 | ${letGo('m-1')}                                                                   | ${'m-2'} | ${'fails'}
    ${'leader-responds'}         | ${'nobody leads'}                  | ${lead(null)}                                                                     | ${'m-2'} | ${'fails'}
    ${'leader-responds'}         | ${'not known who'}                 | ${lead(unknown)}                                                                  | ${'m-2'} | ${'unknown'}
    ${'leader-responds'}         | ${'not known whether'}             | ${withMember(five, 'm-1', { responds: unknown })}                                 | ${'m-2'} | ${'unknown'}
    ${'leader-responds'}         | ${'behind is no matter'}           | ${withMember(five, 'm-1', { inSync: false })}                                     | ${'m-2'} | ${'holds'}
    ${'leader-responds'}         | ${'in no quorum'}                  | ${{ ...five, quorums: [] }}                                                       | ${'m-2'} | ${'unknown'}
    ${'other-follower-responds'} | ${'all do'}                        | ${five}                                                                           | ${'m-2'} | ${'holds'}
    ${'other-follower-responds'} | ${'one does'}                      | ${downBut('m-1', 'm-2', 'm-3')}                                                   | ${'m-2'} | ${'holds'}
    ${'other-follower-responds'} | ${'only the leader does'}          | ${downBut('m-1', 'm-2')}                                                          | ${'m-2'} | ${'fails'}
    ${'other-follower-responds'} | ${'it leads, one follower'}        | ${downBut('m-1', 'm-2')}                                                          | ${'m-1'} | ${'holds'}
    ${'other-follower-responds'} | ${'the other was let go'}          | ${{ ...downBut('m-1', 'm-2', 'm-3'), snapshot: { grants: [givenGrant('m-3')] } }} | ${'m-2'} | ${'fails'}
    ${'other-follower-responds'} | ${'not known whether'}             | ${withMember(downBut('m-1', 'm-2', 'm-3'), 'm-3', { responds: unknown })}         | ${'m-2'} | ${'unknown'}
    ${'other-follower-responds'} | ${'who leads not known, two do'}   | ${{ ...downBut('m-1', 'm-2', 'm-3'), quorums: lead(unknown).quorums }}            | ${'m-2'} | ${'holds'}
    ${'other-follower-responds'} | ${'who leads not known, one does'} | ${{ ...downBut('m-2', 'm-3'), quorums: lead(unknown).quorums }}                   | ${'m-2'} | ${'unknown'}
    ${'other-follower-responds'} | ${'who leads not known, none do'}  | ${{ ...downBut('m-2'), quorums: lead(unknown).quorums }}                          | ${'m-2'} | ${'fails'}
    ${'other-follower-responds'} | ${'in no quorum'}                  | ${{ ...five, quorums: [] }}                                                       | ${'m-2'} | ${'unknown'}
  `('$predicate, $situation: $finding', ({ predicate, scene, id, finding }) => {
    expect(answerTo(predicate, scene, id)).toBe(finding);
  });

  test('an etcd leader hands over first', () => {
    expect(evictionOf(five, 'm-1')).toBe('wait QuorumLeader');
    expect(evictionOf(five, 'm-2')).toBe('allow');
    expect(replacementOf(five, 'm-1')).toBe('allow');
  });

  test('a member that the engine does not list waits; one that never ran belongs to nothing', () => {
    const unlisted = { ...five, unlisted: ['m-2'] };
    expect(evictionOf(unlisted, 'm-2')).toBe('wait FactUnknown');
    const never = givenGroup('m-2', { addresses: [], pod: null });
    for (const predicate of [
      'quorum-survives',
      'not-quorum-leader',
      'leader-responds',
      'other-follower-responds',
    ] as const) {
      expect(ask(predicate, questionIn(unlisted, 'm-2')).finding).toBe('unknown');
      expect(ask(predicate, questionIn({ ...unlisted, groups: [never] }, 'm-2')).finding).toBe('holds');
    }
    expect(evictionOf({ ...unlisted, groups: [never] }, 'm-2')).toBe('allow');
    const drained = givenGroup('m-2', { drainedAt: at(-5) });
    expect(evictionOf({ ...unlisted, groups: [drained] }, 'm-2')).toBe('allow');
  });
});
