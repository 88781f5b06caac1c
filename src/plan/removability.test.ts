import { describe, expect, test } from 'vitest';
import { name } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { at, givenGroup, givenPod, givenProcess, givenQuorum, givenRole, givenUnit } from '../model/testing/given.ts';
import type { Topology } from '../model/topology.ts';
import type { World } from './testing/removal-scene.ts';
import { holds, marked, removes, said, step } from './testing/removal-scene.ts';
import { told } from './testing/told.ts';

describe('a dead process that can never be drained', () => {
  const spec = { engine: 'arangodb', roles: [givenRole('dbserver', { count: 2 })] } as const;
  const dead = (since: number) => ({
    ...marked,
    conditions: [{ type: 'MissingProcesses', since: at(since) } as const],
  });
  const processes = [givenProcess('dbserver-1', { responds: false }), givenProcess('dbserver-2')];
  const health = { zonesThatMayFail: null };
  const safe = [givenUnit('s1', ['dbserver-2', 'dbserver-1'])];
  const world = (since: number, topology: Partial<Topology>) => ({
    groups: [givenGroup('dbserver-1', dead(since)), givenGroup('dbserver-2')],
    spec,
    health,
    topology: { processes, units: safe, ...topology },
  });

  test('is removed when its replace rule holds and every unit survives without it', () => {
    const outcome = step(world(-300, {}));
    expect(told(outcome)).toEqual(removes('dbserver-1'));
    expect(outcome.records).toMatchObject([
      { reason: { message: 'dbserver-1 is removed with its volume: it is dead, and everything survives without it' } },
    ]);
  });

  test('not before it has been dead for 5 min', () => {
    expect(said(world(-299, {}))).toEqual(['wake at 1']);
  });

  test('not when it holds the last copy', () => {
    expect(said(world(-300, { units: [givenUnit('s1', ['dbserver-1'])] }))).toEqual([
      holds('dbserver-1', 'LeadsUnits'),
      holds('dbserver-1', 'NoInSyncFollower'),
      holds('dbserver-1', 'LastReplica'),
    ]);
  });

  test('not when the engine knows nothing of its death', () => {
    const groups = [givenGroup('dbserver-1', marked), givenGroup('dbserver-2')];
    expect(said({ ...world(-300, {}), groups })).toEqual([]);
  });

  test.each([true, unknown])('not when its process answers or may answer: %s', (responds) => {
    const alive = [givenProcess('dbserver-1', { responds }), givenProcess('dbserver-2')];
    expect(said(world(-300, { processes: alive }))).toEqual([]);
  });

  test('not when only one of its processes is dead', () => {
    const half = [...processes, givenProcess('dbserver-1b', { group: 'dbserver-1' })];
    expect(said(world(-300, { processes: half }))).toEqual([]);
  });

  test('of two that are dead only what can be lost is lost', () => {
    const two = [
      givenProcess('dbserver-1', { responds: false }),
      givenProcess('dbserver-2', { responds: false }),
      givenProcess('dbserver-3'),
    ];
    const groups = ['dbserver-1', 'dbserver-2'].map((id) => ({
      ...givenGroup(id, dead(-300)),
      zone: name<NonNullable<ProcessGroup['zone']>>('a'),
    }));
    const quorums = [givenQuorum('q', ['dbserver-3', 'dbserver-1', 'dbserver-2'], { needed: 1 })];
    expect(
      said({
        groups: [...groups, givenGroup('dbserver-3')],
        spec,
        health,
        topology: { processes: two, quorums },
      }).filter((line) => line.startsWith('record')),
    ).toEqual(['record removing dbserver-1 (Removed)', 'record removing dbserver-2 (Removed)']);
  });

  test('the dead of an engine whose units cannot be seen are not lost that way', () => {
    const groups = [givenGroup('storage-1', dead(-300)), givenGroup('storage-2')];
    expect(
      said({
        groups,
        topology: { processes: [givenProcess('storage-1', { responds: false }), givenProcess('storage-2')] },
      }),
    ).toEqual([holds('storage-1', 'NotDrained')]);
  });
});

describe('a role whose successor takes over the identity', () => {
  const spec = { engine: 'arangodb', roles: [givenRole('agent', { count: 3 })], removalMode: 'All' } as const;
  const agents = ['agent-1', 'agent-2', 'agent-3'];
  const world = (
    first: Partial<ProcessGroup>,
    topology: Partial<Topology> = {},
    second: Partial<ProcessGroup> = {},
  ): World => ({
    groups: [givenGroup('agent-1', first), givenGroup('agent-2', second), givenGroup('agent-3')],
    spec,
    health: { zonesThatMayFail: null },
    topology: { quorums: [givenQuorum('agency', ['agent-3', 'agent-1', 'agent-2'])], ...topology },
  });

  test('its pod goes first, when it may be evicted', () => {
    const outcome = step(world(marked));
    expect(told(outcome)).toEqual(['record removing agent-1 (Removed)', 'delete-pod agent-1 uid-agent-1@1 (Removed)']);
    expect(outcome.records).toMatchObject([
      { reason: { message: expect.stringContaining('its role is not drained, and everything survives without it') } },
    ]);
  });

  test('its volume only when the pod is known to be gone', () => {
    const going = { ...marked, removingAt: at(-30) };
    expect(said(world({ ...going, pod: givenPod('agent-1', { deletingSince: at(-60) }) }))).toEqual([
      holds('agent-1', 'StuckTerminating'),
    ]);
    const gone = agents.map((id) => givenProcess(id, { responds: id !== 'agent-1' }));
    expect(said(world({ ...going, pod: null }, { processes: gone }))).toEqual([
      'delete-group agent-1 without pod (Removed)',
    ]);
  });

  test('not the leader', () => {
    const quorums = [givenQuorum('agency', agents)];
    expect(said(world(marked, { quorums }))).toEqual([holds('agent-1', 'QuorumLeader')]);
  });

  test('of two, one goes and the other waits for the quorum', () => {
    const lines = said(world(marked, {}, marked));
    expect(lines.slice(0, 2)).toEqual([
      'record removing agent-1 (Removed)',
      'delete-pod agent-1 uid-agent-1@1 (Removed)',
    ]);
    expect(lines).toContain(holds('agent-2', 'QuorumAtRisk'));
    expect(lines.filter((line) => line.includes('agent-2')).every((line) => line.startsWith('remove holds'))).toBe(
      true,
    );
  });

  test('recorded is not done: when safety is lost before its pod is going, it stays', () => {
    const processes = agents.map((id) => givenProcess(id, { responds: id !== 'agent-2' }));
    const lines = said(world({ ...marked, removingAt: at(-30) }, { processes }));
    expect(lines.every((line) => line.startsWith('remove holds agent-1'))).toBe(true);
    expect(lines).toContain(holds('agent-1', 'QuorumAtRisk'));
  });

  test('once its pod is going, it goes', () => {
    const processes = agents.map((id) => givenProcess(id, { responds: id !== 'agent-2' }));
    const pod = givenPod('agent-1', { deletingSince: at(-60) });
    expect(said(world({ ...marked, removingAt: at(-30), pod }, { processes }))).toEqual([
      holds('agent-1', 'StuckTerminating'),
    ]);
  });
});

describe('roles', () => {
  test('one that is never replaced is never removed', () => {
    const spec = { engine: 'arangodb', roles: [givenRole('single', { count: 1 })] } as const;
    expect(said({ groups: [givenGroup('single-1', marked)], spec })).toContain(holds('single-1', 'NeverReplaced'));
  });

  test('one that nobody knows stays', () => {
    expect(said({ groups: [givenGroup('mystery-1', marked)] })).toEqual([holds('mystery-1', 'NoSuchRole')]);
  });

  test('one that may always go needs no drain', () => {
    expect(said({ groups: [givenGroup('test-1', marked)] })).toEqual(removes('test-1'));
  });
});
