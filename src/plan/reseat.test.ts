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
import { givenJob } from '../model/testing/given-job.ts';
import type { Instant } from '../model/time.ts';
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
  /** Until when a change that the engine refused is not tried again. */
  readonly retryAt?: Instant;
}

function said({ member = {}, membersMove = true, health = {}, second = {}, retryAt }: World = {}) {
  const refused = { verb: 'HandOff', state: 'Failed', retryAt: retryAt ?? null, message: 'too few zones' } as const;
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
          jobs: retryAt === undefined ? [] : [givenJob('coordinators', refused)],
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
    what                         | world                                                                     | outcome
    ${'a recovery 119 s ago'}    | ${{ health: { secondsSinceRecovery: seconds(119) } }}                     | ${['reseat holds all: RecentRecovery until at 1', 'wake at 1']}
    ${'a recovery 120 s ago'}    | ${{ health: { secondsSinceRecovery: seconds(120) } }}                     | ${moves}
    ${'it was refused'}          | ${{ retryAt: at(20) }}                                                    | ${['reseat holds all: JobFailed until at 20', 'wake at 20']}
    ${'it was refused long ago'} | ${{ retryAt: at(0) }}                                                     | ${moves}
    ${'an engine that is down'}  | ${{ health: { available: false } }}                                       | ${['reseat holds all: EngineUnavailable']}
    ${'a pod that is going'}     | ${{ second: { pod: givenPod('storage-2', { deletingSince: at(-10) }) } }} | ${['reseat holds all: SeatStays until at 590', 'wake at 590']}
  `('not at once after $what', ({ world, outcome }) => {
    expect(said(world)).toEqual(outcome);
  });
});

describe('of two seats in one zone one goes to another zone', () => {
  type Given = Parameters<typeof givenProcess>[1];
  interface Crowd {
    /** Where the three members are; null: not known. */
    readonly zones?: readonly [string | null, string | null, string | null];
    /** A process that is no member. */
    readonly other?: Given;
    readonly role?: string;
    readonly leaves?: 'storage-2' | 'storage-3' | 'storage-4';
    readonly health?: Partial<EngineHealth>;
    readonly pod?: Partial<ProcessGroup>;
    readonly isSilent?: boolean;
  }
  function crowd({ zones = ['a', 'b', 'b'], other = {}, role = 'storage', ...given }: Crowd = {}) {
    const members = ['storage-1', 'storage-2', 'storage-3'];
    const fourth = `${role}-4`;
    const removal = { at: at(-9), cause: 'Requested', withoutExclusion: false } as const;
    const quorum = givenQuorum('coordinators', members, { membersMove: true });
    const heard = quorum.members.map((one) => ({ ...one, responds: one.process !== 'storage-1' || !given.isSilent }));
    return told(
      reseat(
        surveyOf(
          givenSnapshot({
            spec: givenSpec({ roles: [givenRole('storage', { count: 4 }), givenRole('stateless', { count: 1 })] }),
            processGroups: [...members, fourth].map((id) =>
              givenGroup(id, { ...(id === given.leaves && { removal }), ...(id === 'storage-1' && given.pod) }),
            ),
            topology: givenTopology({
              processes: [
                ...members.map((id, place) => givenProcess(id, { zone: zones[place] ?? null })),
                givenProcess(fourth, { role, zone: 'c', ...other }),
              ],
              quorums: [{ ...quorum, members: heard }],
              health: givenHealth(given.health ?? {}),
            }),
          }),
        ),
      ),
    );
  }
  const moves = ['reseat coordinators [storage-3] (CrowdedSeats)'];

  test.each<[string, Crowd, readonly string[]]>([
    ['two in one zone', {}, moves],
    ['each in its own', { zones: ['a', 'b', 'd'] }, []],
    [
      'three in one zone, and one zone that is free',
      { zones: ['a', 'a', 'a'] },
      ['reseat coordinators [storage-2] (CrowdedSeats)'],
    ],
    ['no other zone', { other: { zone: 'a' } }, []],
    ['nobody knows where one is', { zones: [null, 'b', 'b'] }, []],
    ['in the other zone is only what has no disk', { role: 'stateless' }, []],
    ['only one that does not answer', { other: { responds: false } }, []],
    ['only one of which nobody knows', { other: { responds: unknown } }, []],
    ['only one that is excluded', { other: { excluded: true } }, []],
    ['only one that leaves', { leaves: 'storage-4' }, []],
    ['one of them leaves, which moves its seat', { leaves: 'storage-3' }, []],
    ['a dead seat comes first', { isSilent: true }, ['reseat coordinators [storage-1] (DeadSeat)']],
    ['pods come and go', { pod: { pod: givenPod('storage-1', { deletingSince: at(-10) }) } }, ['wake at 590']],
    ['the engine is down', { health: { available: false } }, ['reseat holds all: EngineUnavailable']],
  ])('%s', (_, given, expected) => {
    expect(crowd(given)).toEqual(expected);
  });
});
