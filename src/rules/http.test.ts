import { expect, test } from 'vitest';
import {
  givenGroup,
  givenProcess,
  givenQuorum,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
  givenUnit,
} from '../model/testing/given.ts';
import type { RoleKind } from '../model/topology.ts';
import { surveyOf } from './survey.ts';
import { verdictOf } from './verdict.ts';

const ids = ['p-1', 'p-2', 'p-3'];

/** Three processes of one role; p-1 leads the quorum of all three, and holds what it is given. */
function mayGo(id: string, kind: RoleKind | undefined, copies: readonly string[]): string {
  const processGroups = ids.map((one) => givenGroup(one, { role: 'ledger' }));
  const topology = givenTopology({
    processes: ids.map((one) => givenProcess(one, { role: 'ledger' })),
    units: copies.length === 0 ? [] : [givenUnit('s1', copies)],
    quorums: kind === 'stateless' ? [] : [givenQuorum('log', ids)],
    ...(kind !== undefined && { kinds: { ledger: kind } }),
  });
  const spec = givenSpec({ engine: 'http', roles: [givenRole('ledger')] });
  const survey = surveyOf(givenSnapshot({ spec, processGroups, topology }));
  const group = processGroups.find((one) => one.id === id);
  if (group === undefined) throw new Error(`no ${id}`);
  const { eviction } = verdictOf(survey, group);
  return [eviction.kind, ...('reasons' in eviction ? eviction.reasons.map(({ code }) => code) : [])].join(' ');
}

test.each`
  kind           | id       | copies            | expected
  ${undefined}   | ${'p-1'} | ${[]}             | ${'allow'}
  ${'data'}      | ${'p-1'} | ${['p-1', 'p-2']} | ${'allow'}
  ${undefined}   | ${'p-1'} | ${['p-1']}        | ${'wait LastReplica'}
  ${'member'}    | ${'p-1'} | ${[]}             | ${'wait QuorumLeader'}
  ${'member'}    | ${'p-2'} | ${[]}             | ${'allow'}
  ${'member'}    | ${'p-2'} | ${['p-2']}        | ${'wait LastReplica'}
  ${'stateless'} | ${'p-1'} | ${[]}             | ${'allow'}
  ${'stateless'} | ${'p-1'} | ${['p-1']}        | ${'wait LastReplica'}
`('$id of the kind $kind with copies on $copies: $expected', ({ kind, id, copies, expected }) => {
  expect(mayGo(id, kind, copies)).toBe(expected);
});
