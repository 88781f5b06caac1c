import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import {
  at,
  givenGroup,
  givenHealth,
  givenPod,
  givenProcess,
  givenQuorum,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../model/testing/given.ts';
import { seconds } from '../model/time.ts';
import type { EngineHealth, QuorumMember } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { reseat } from './reseat.ts';
import { told } from './testing/told.ts';

interface World {
  /** What is known of the second of three members. */
  readonly member?: Partial<QuorumMember>;
  readonly membersMove?: boolean;
  readonly health?: Partial<EngineHealth>;
  readonly second?: Partial<ProcessGroup>;
}

function said({ member = {}, membersMove = true, health = {}, second = {} }: World = {}) {
  const ids = ['storage-1', 'storage-2', 'storage-3'];
  const quorum = givenQuorum('coordinators', ids, { membersMove });
  const [, dead] = quorum.members;
  const members = quorum.members.map((one) => (one === dead ? { ...one, responds: false, ...member } : one));
  return told(
    reseat(
      surveyOf(
        givenSnapshot({
          spec: givenSpec({ roles: [givenRole('storage', { count: 3 })] }),
          processGroups: [givenGroup('storage-1'), givenGroup('storage-2', second), givenGroup('storage-3')],
          topology: givenTopology({
            processes: ids.map((id) => givenProcess(id)),
            quorums: [{ ...quorum, members }],
            health: givenHealth(health),
          }),
        }),
      ),
    ),
  );
}

const moves = ['reseat coordinators [storage-2] (DeadSeat)'];

describe('a seat on which nobody answers is given to another', () => {
  test.each`
    what                               | world                                                                                   | outcome
    ${'nobody answers'}                | ${{}}                                                                                   | ${moves}
    ${'it answers'}                    | ${{ member: { responds: true } }}                                                       | ${[]}
    ${'nobody knows'}                  | ${{ member: { responds: unknown } }}                                                    | ${[]}
    ${'members are not moved'}         | ${{ membersMove: false }}                                                               | ${[]}
    ${'its group leaves, which moves'} | ${{ second: { removal: { at: at(-9), cause: 'Requested', withoutExclusion: false } } }} | ${[]}
  `('$what: $outcome', ({ world, outcome }) => {
    expect(said(world)).toEqual(outcome);
  });

  test.each`
    what                        | world                                                                     | outcome
    ${'a recovery 119 s ago'}   | ${{ health: { secondsSinceRecovery: seconds(119) } }}                     | ${['reseat holds all: RecentRecovery until at 1', 'wake at 1']}
    ${'a recovery 120 s ago'}   | ${{ health: { secondsSinceRecovery: seconds(120) } }}                     | ${moves}
    ${'an engine that is down'} | ${{ health: { available: false } }}                                       | ${['reseat holds all: EngineUnavailable']}
    ${'a pod that is going'}    | ${{ second: { pod: givenPod('storage-2', { deletingSince: at(-10) }) } }} | ${['reseat holds all: SeatStays until at 590', 'wake at 590']}
  `('not at once after $what', ({ world, outcome }) => {
    expect(said(world)).toEqual(outcome);
  });
});
