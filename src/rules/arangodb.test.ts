import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import {
  at,
  givenGroup,
  givenProcess,
  givenQuorum,
  givenReplica,
  givenRole,
  givenUnit,
} from '../model/testing/given.ts';
import type { Quorum } from '../model/topology.ts';
import type { Scene } from './testing/scene.ts';
import { evictionOf, replacementOf } from './testing/scene.ts';

const gone = { unreachable: 'connection refused', since: at(-60) };

describe('image id, coordinator, syncmaster and syncworker pods may always go', () => {
  const roles = ['image-id', 'coordinator', 'syncmaster', 'syncworker'];

  test.each(roles)('%s', (role) => {
    const scene: Scene = { engine: 'arangodb', groups: [`${role}-1`] };
    expect(evictionOf(scene, `${role}-1`)).toBe('allow');
    expect(replacementOf(scene, `${role}-1`)).toBe('allow');
  });

  test.each(roles)('%s, with the engine out of reach and no process of it listed', (role) => {
    const scene: Scene = { engine: 'arangodb', groups: [`${role}-1`], unreachable: gone };
    expect(evictionOf(scene, `${role}-1`)).toBe('allow');
    expect(replacementOf(scene, `${role}-1`)).toBe('allow');
  });

  test('what the spec asks on top holds them all the same', () => {
    const spec = { roles: [givenRole('coordinator', { evictionRequires: ['rest-of-role-serves'] })] };
    const alone: Scene = { engine: 'arangodb', spec, groups: ['coordinator-1'] };
    expect(evictionOf(alone, 'coordinator-1')).toBe('wait RestOfRoleDown');
    expect(evictionOf({ ...alone, groups: ['coordinator-1', 'coordinator-2'] }, 'coordinator-1')).toBe('allow');
    expect(evictionOf({ ...alone, unreachable: gone }, 'coordinator-1')).toBe('wait EngineUnreachable');
  });
});

describe('a dbserver is evicted when it is drained and leads no shard', () => {
  test.each`
    drained    | leads        | eviction
    ${true}    | ${'nothing'} | ${'allow'}
    ${false}   | ${'nothing'} | ${'wait NotDrained'}
    ${unknown} | ${'nothing'} | ${'wait FactUnknown'}
    ${true}    | ${'a shard'} | ${'wait LeadsUnits'}
    ${false}   | ${'a shard'} | ${'wait NotDrained, LeadsUnits'}
    ${unknown} | ${'a shard'} | ${'wait LeadsUnits'}
  `('drained $drained, leads $leads: $eviction', ({ drained, leads, eviction }) => {
    const scene: Scene = {
      engine: 'arangodb',
      groups: ['dbserver-1', 'dbserver-2'],
      processes: [givenProcess('dbserver-1', { drained })],
      units: leads === 'nothing' ? [] : [givenUnit('s1', ['dbserver-1', 'dbserver-2'])],
    };
    expect(evictionOf(scene, 'dbserver-1')).toBe(eviction);
  });

  test('out of reach: wait', () => {
    const scene: Scene = { engine: 'arangodb', groups: ['dbserver-1'], unreachable: gone };
    expect(evictionOf(scene, 'dbserver-1')).toBe('wait EngineUnreachable');
    expect(replacementOf(scene, 'dbserver-1')).toBe('wait EngineUnreachable');
  });
});

describe('a dbserver is replaced when it leads no shard, or each has an in-sync follower', () => {
  test.each`
    leads    | follower      | replacement
    ${false} | ${'in sync'}  | ${'allow'}
    ${true}  | ${'in sync'}  | ${'allow'}
    ${true}  | ${'behind'}   | ${'wait LeadsUnits, NoInSyncFollower, LastReplica'}
    ${true}  | ${'silent'}   | ${'wait LeadsUnits, NoInSyncFollower, LastReplica'}
    ${true}  | ${'in doubt'} | ${'wait LeadsUnits, FactUnknown'}
    ${true}  | ${'none'}     | ${'wait LeadsUnits, NoInSyncFollower, LastReplica'}
    ${false} | ${'behind'}   | ${'wait LastReplica'}
  `('leads $leads, follower $follower: $replacement', ({ leads, follower, replacement }) => {
    const own = givenReplica('dbserver-1', { leader: leads });
    const other = givenReplica('dbserver-2', {
      leader: !leads,
      inSync: follower === 'in doubt' ? unknown : follower !== 'behind',
    });
    const scene: Scene = {
      engine: 'arangodb',
      groups: ['dbserver-1', 'dbserver-2'],
      processes: [givenProcess('dbserver-2', { responds: follower !== 'silent' })],
      units: [givenUnit('s1', follower === 'none' ? [own] : [own, other])],
    };
    expect(replacementOf(scene, 'dbserver-1')).toBe(replacement);
  });
});

describe('an agent is evicted when it does not lead, a leader and another follower respond, and the quorum survives', () => {
  const agents = ['agent-1', 'agent-2', 'agent-3', 'agent-4', 'agent-5'];
  const agencyOf = (size: number, given: Partial<Quorum> = {}): Scene => ({
    engine: 'arangodb',
    groups: agents.slice(0, size),
    quorums: [givenQuorum('agency', agents.slice(0, size), given)],
  });
  const silent = (scene: Scene, ...ids: readonly string[]): Scene => ({
    ...scene,
    processes: ids.map((id) => givenProcess(id, { responds: false })),
  });
  const inDoubt = (scene: Scene, id: string): Scene => ({
    ...scene,
    processes: [givenProcess(id, { responds: unknown })],
  });
  const [leaderless, leaderUnknown] = [agencyOf(3, { leader: null }), agencyOf(3, { leader: unknown })];

  test.each`
    situation                            | scene                                        | eviction
    ${'a follower of three'}             | ${agencyOf(3)}                               | ${'allow'}
    ${'a follower of five'}              | ${agencyOf(5)}                               | ${'allow'}
    ${'no leader'}                       | ${leaderless}                                | ${'wait NoQuorumLeader'}
    ${'leader not known'}                | ${leaderUnknown}                             | ${'wait FactUnknown'}
    ${'leader silent, of five'}          | ${silent(agencyOf(5), 'agent-1')}            | ${'wait NoQuorumLeader'}
    ${'leader in doubt, of five'}        | ${inDoubt(agencyOf(5), 'agent-1')}           | ${'wait FactUnknown'}
    ${'other follower silent'}           | ${silent(agencyOf(3), 'agent-3')}            | ${'wait NoOtherFollower, QuorumAtRisk'}
    ${'other follower in doubt'}         | ${inDoubt(agencyOf(3), 'agent-3')}           | ${'wait FactUnknown'}
    ${'one of five silent'}              | ${silent(agencyOf(5), 'agent-3')}            | ${'allow'}
    ${'two of five silent'}              | ${silent(agencyOf(5), 'agent-3', 'agent-4')} | ${'wait QuorumAtRisk'}
    ${'itself silent'}                   | ${silent(agencyOf(3), 'agent-2')}            | ${'allow'}
    ${'of two: only the leader is left'} | ${agencyOf(2)}                               | ${'wait NoOtherFollower, QuorumAtRisk'}
    ${'in no agency'}                    | ${{ engine: 'arangodb', groups: agents }}    | ${'wait FactUnknown'}
  `('agent-2, $situation: $eviction', ({ scene, eviction }) => {
    expect(evictionOf(scene, 'agent-2')).toBe(eviction);
  });

  test('the leader stays', () => {
    expect(evictionOf(agencyOf(3), 'agent-1')).toBe('wait QuorumLeader');
  });
});

describe('an agent is replaced under its own id once its old pod is known to be gone', () => {
  const agents = ['agent-1', 'agent-2', 'agent-3'];
  const quorums = [givenQuorum('agency', agents)];

  test.each`
    pod          | process       | replacement
    ${'present'} | ${'silent'}   | ${'wait OldPodPresent'}
    ${'gone'}    | ${'silent'}   | ${'allow'}
    ${'gone'}    | ${'answers'}  | ${'wait OldPodPresent'}
    ${'gone'}    | ${'in doubt'} | ${'wait FactUnknown'}
  `('pod $pod, process $process: $replacement', ({ pod, process, replacement }) => {
    const responds = process === 'in doubt' ? unknown : process === 'answers';
    const scene: Scene = {
      engine: 'arangodb',
      groups: ['agent-1', 'agent-2', pod === 'gone' ? givenGroup('agent-3', { pod: null }) : givenGroup('agent-3')],
      processes: [givenProcess('agent-3', { responds })],
      quorums,
    };
    expect(replacementOf(scene, 'agent-3')).toBe(replacement);
  });

  test('not while the agency would be without a majority', () => {
    const scene: Scene = {
      engine: 'arangodb',
      groups: ['agent-1', 'agent-2', givenGroup('agent-3', { pod: null })],
      processes: [givenProcess('agent-3', { responds: false }), givenProcess('agent-2', { responds: false })],
      quorums,
    };
    expect(replacementOf(scene, 'agent-3')).toBe('wait QuorumAtRisk');
  });
});

describe('a single server is never evicted and never replaced', () => {
  test.each`
    situation         | scene
    ${'well'}         | ${{}}
    ${'drained'}      | ${{ processes: [givenProcess('single-1', { drained: true })] }}
    ${'not listed'}   | ${{ unlisted: ['single-1'] }}
    ${'always-allow'} | ${{ policy: 'always-allow' }}
    ${'out of reach'} | ${{ unreachable: gone }}
  `('$situation', ({ scene }) => {
    const whole: Scene = { engine: 'arangodb', groups: ['single-1'], ...scene };
    expect(evictionOf(whole, 'single-1')).toBe('never NeverEvicted');
    expect(replacementOf(whole, 'single-1')).toBe('never NeverReplaced');
  });
});

describe('a single server in active failover is evicted when it follows, and always replaced while another has its data', () => {
  const [a, b] = ['single-active-failover-1', 'single-active-failover-2'];
  const pair = (leader: string | undefined, given: Partial<Scene> = {}): Scene => ({
    engine: 'arangodb',
    groups: [a, b],
    units: [givenUnit('data', [givenReplica(a, { leader: leader === a }), givenReplica(b, { leader: leader === b })])],
    ...given,
  });

  test.each`
    situation                    | scene                                                                            | eviction              | replacement
    ${'it follows'}              | ${pair(b)}                                                                       | ${'allow'}            | ${'allow'}
    ${'it leads'}                | ${pair(a)}                                                                       | ${'wait NotFollower'} | ${'allow'}
    ${'nobody leads'}            | ${pair(undefined)}                                                               | ${'wait FactUnknown'} | ${'allow'}
    ${'it has no copy'}          | ${{ ...pair(b), units: [] }}                                                     | ${'wait FactUnknown'} | ${'allow'}
    ${'it is not listed'}        | ${pair(b, { unlisted: [a] })}                                                    | ${'wait FactUnknown'} | ${'wait FactUnknown'}
    ${'the leader is silent'}    | ${pair(b, { processes: [givenProcess(b, { responds: false })] })}                | ${'wait LastReplica'} | ${'wait LastReplica'}
    ${'it leads by the quorum'}  | ${pair(b, { quorums: [givenQuorum('q', [a], { needed: 0 })] })}                  | ${'wait NotFollower'} | ${'allow'}
    ${'quorum leader not known'} | ${pair(b, { quorums: [givenQuorum('q', [a], { needed: 0, leader: unknown })] })} | ${'wait FactUnknown'} | ${'allow'}
  `('$situation: $eviction, replaced: $replacement', ({ scene, eviction, replacement }) => {
    expect(evictionOf(scene, a)).toBe(eviction);
    expect(replacementOf(scene, a)).toBe(replacement);
  });
});
