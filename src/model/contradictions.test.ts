import { describe, expect, test } from 'vitest';
import { contradictionsIn } from './contradictions.ts';
import { name } from './ids.ts';
import type { Snapshot } from './snapshot.ts';
import {
  at,
  givenAsk,
  givenGrant,
  givenGroup,
  givenNode,
  givenProcess,
  givenQuorum,
  givenSnapshot,
  givenTopology,
  givenUnit,
} from './testing/given.ts';

const ids = ['storage-1', 'storage-2', 'storage-3'];
const topology = givenTopology({
  processes: ids.map((id) => givenProcess(id)),
  units: [givenUnit('u1', ids)],
  quorums: [givenQuorum('q1', ids)],
});
const sound = (given: Partial<Snapshot> = {}): Snapshot =>
  givenSnapshot({ processGroups: ids.map((id) => givenGroup(id)), nodes: [givenNode('n1')], topology, ...given });

const said = (snapshot: Snapshot): readonly string[] =>
  contradictionsIn(snapshot).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('a snapshot that agrees with itself', () => {
  test.each<readonly [string, Partial<Snapshot>]>([
    ['with nodes', {}],
    ['without nodes', { nodes: null }],
    ['with an engine that does not answer', { topology: { unreachable: 'timed out', since: at(0) } }],
    [
      'with a process that belongs to nobody',
      { topology: { ...topology, processes: [...topology.processes, givenProcess('x', { group: null })] } },
    ],
    ['with an ask and a grant', { asks: [givenAsk('storage-1')], grants: [givenGrant('storage-2')] }],
    ['with a grant that outlived its group', { grants: [givenGrant('storage-9', { goneAt: at(-1) })] }],
    ['with moments that are just now', { lastRemovalAt: at(0), asks: [givenAsk('storage-1', { since: at(0) })] }],
  ])('%s', (_, given) => {
    expect(said(sound(given))).toEqual([]);
  });
});

describe('what cannot be true at once is named with its place', () => {
  test.each<readonly [string, Partial<Snapshot>, readonly string[]]>([
    [
      'two process groups with one id',
      { processGroups: [...ids, 'storage-2'].map((id) => givenGroup(id)) },
      ['processGroups.3: a second process group storage-2'],
    ],
    [
      'two nodes with one name',
      { nodes: [givenNode('n1'), givenNode('n2'), givenNode('n1')] },
      ['nodes.2: a second node n1'],
    ],
    [
      'two processes with one id',
      { topology: { ...topology, processes: [...topology.processes, givenProcess('storage-3')] } },
      ['topology.processes.3: a second process storage-3'],
    ],
    [
      'a process in no group',
      { topology: { ...topology, processes: [...topology.processes, givenProcess('x', { group: 'storage-9' })] } },
      ['topology.processes.3.group: process x runs in storage-9, which is no process group; null if it runs in none'],
    ],
    [
      'a copy on an unknown process',
      { topology: { ...topology, units: [givenUnit('u1', ['storage-1', 'storage-9'])] } },
      ['topology.units.0.replicas.1.process: u1 has a copy on storage-9, which is no process'],
    ],
    [
      'two copies on one process',
      { topology: { ...topology, units: [givenUnit('u1', ['storage-1', 'storage-1'])] } },
      ['topology.units.0.replicas.1: a second replica of u1 on storage-1'],
    ],
    [
      'a member that is no process',
      { topology: { ...topology, quorums: [givenQuorum('q1', ['storage-1', 'x'])] } },
      ['topology.quorums.0.members.1.process: q1 has the member x, which is no process'],
    ],
    [
      'a quorum that nobody can reach',
      { topology: { ...topology, quorums: [givenQuorum('q1', ids, { needed: 4 })] } },
      ['topology.quorums.0.needed: q1 needs 4 members and has 3'],
    ],
    [
      'an ask for nothing',
      { asks: [givenAsk('storage-1'), givenAsk('storage-9')] },
      ['asks.1.group: storage-9 is asked to go, and is no process group'],
    ],
    [
      'a grant for nothing',
      { grants: [givenGrant('storage-9')] },
      ['grants.0.group: storage-9 was let go, and is no process group'],
    ],
  ])('%s', (_, given, expected) => {
    expect(said(sound(given))).toEqual(expected);
  });

  const group = givenGroup('storage-1');
  test.each<readonly [string, Partial<Snapshot>]>([
    ['lastRemovalAt', { lastRemovalAt: at(1) }],
    ['topology.observedAt', { topology: { ...topology, observedAt: at(1) } }],
    ['topology.since', { topology: { unreachable: 'timed out', since: at(1) } }],
    ['asks.0.since', { asks: [givenAsk('storage-1', { since: at(1) })] }],
    ['grants.0.grantedAt', { grants: [givenGrant('storage-1', { grantedAt: at(1) })] }],
    [
      'processGroups.0.removal.at',
      { processGroups: [{ ...group, removal: { at: at(1), cause: 'Failed', withoutExclusion: false } }] },
    ],
    ['processGroups.0.drainedAt', { processGroups: [{ ...group, drainedAt: at(1) }] }],
    ['processGroups.0.removingAt', { processGroups: [{ ...group, removingAt: at(1) }] }],
    [
      'processGroups.0.conditions.0.since',
      { processGroups: [{ ...group, conditions: [{ type: 'PodFailing', since: at(1) }] }] },
    ],
  ])('%s in the future', (path, given) => {
    const alone = { topology: givenTopology({ processes: [givenProcess('storage-1')] }), processGroups: [group] };
    expect(said(sound({ ...alone, ...given, nodes: [], share: { reserved: [name('x')], quota: null } }))).toContain(
      `${path}: lies in the future of now`,
    );
  });
});
