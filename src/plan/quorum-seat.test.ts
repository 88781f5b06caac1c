import { describe, expect, test } from 'vitest';
import { at, givenGroup, givenProcess, givenQuorum } from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { seconds } from '../model/time.ts';
import { surveyOf } from '../rules/survey.ts';
import { evacuate } from './evacuate.ts';
import { begins, marked, said, world } from './testing/evacuation-scene.ts';
import { told, toldInWords } from './testing/told.ts';

describe('who sits in a quorum whose members are moved gives up its seat', () => {
  const coordinators = givenQuorum('coordinators', ['storage-1', 'storage-2', 'storage-3'], { membersMove: true });
  const evacuating = [
    givenGroup('storage-1', { ...marked, evacuationAt: at(-60) }),
    givenGroup('storage-2'),
    givenGroup('storage-3'),
  ];
  const excluded = [
    givenProcess('storage-1', { excluded: true }),
    givenProcess('storage-2'),
    givenProcess('storage-3'),
  ];
  const handsOff = ['hand-off storage-1 [storage-1] (IsCoordinator)'];

  test('along with its data', () => {
    expect(said({ quorums: [coordinators] })).toEqual([...begins, ...handsOff]);
    expect(said({ groups: evacuating, processes: excluded, quorums: [coordinators] })).toEqual(handsOff);
  });

  test('also where a person began its evacuation', () => {
    const groups = [givenGroup('storage-1', marked), givenGroup('storage-2'), givenGroup('storage-3')];
    expect(said({ groups, processes: excluded, quorums: [coordinators] })).toEqual([
      'record evacuating storage-1 (Leaving)',
      ...handsOff,
    ]);
  });

  test('for the process of two that is a member', () => {
    const processes = [...excluded, givenProcess('storage-1b', { group: 'storage-1', excluded: true })];
    expect(said({ groups: evacuating, processes, quorums: [coordinators] })).toEqual(handsOff);
  });

  test('of two quorums the one whose name comes first is changed first', () => {
    const other = givenQuorum('a', ['storage-3', 'storage-1'], { membersMove: true });
    for (const quorums of [
      [coordinators, other],
      [other, coordinators],
    ]) {
      const step = evacuate(surveyOf(world({ groups: evacuating, processes: excluded, quorums })));
      expect(step.actions[0]?.reason.message).toContain('quorum a');
    }
  });

  test('an engine that is not well is left alone, and that is said once', () => {
    expect(said({ quorums: [coordinators], health: { available: false } })).toEqual([
      'evacuate holds storage-1: EngineUnavailable',
    ]);
  });

  test('not before its evacuation begins', () => {
    expect(said({ quorums: [coordinators], count: 3 })).toEqual(['evacuate holds storage-1: SuccessorNotUp']);
  });

  test('not where members just miss', () => {
    expect(said({ quorums: [{ ...coordinators, membersMove: false }] })).toEqual(begins);
  });

  test('not for others that are members', () => {
    expect(said({ quorums: [givenQuorum('c', ['storage-2', 'storage-3'], { membersMove: true })] })).toEqual(begins);
  });

  test('also where it goes without its data being moved', () => {
    const groups = [
      givenGroup('storage-1', { removal: { ...marked.removal, withoutExclusion: true } }),
      givenGroup('storage-2'),
    ];
    expect(said({ groups, quorums: [coordinators] })).toEqual(handsOff);
  });

  test('a member that the engine does not list is moved for the group that is not listed', () => {
    const processes = [givenProcess('storage-2'), givenProcess('storage-3')];
    const snapshot = { jobs: [givenJob('storage-1')] };
    expect(said({ groups: evacuating, processes, quorums: [coordinators], snapshot })).toEqual(handsOff);
  });

  test('a hand-off that failed is tried again at its time', () => {
    const failed = givenJob('storage-1', { verb: 'HandOff', state: 'Failed', retryAt: at(5) });
    const given = { groups: evacuating, processes: excluded, quorums: [coordinators] };
    expect(said({ ...given, snapshot: { jobs: [failed] } })).toEqual([
      'evacuate holds storage-1: JobFailed until at 5',
      'wake at 5',
    ]);
    expect(said({ ...given, snapshot: { jobs: [{ ...failed, retryAt: at(0) }] } })).toEqual(handsOff);
  });

  test('not within 120 s of a recovery', () => {
    const given = { groups: evacuating, processes: excluded, quorums: [coordinators] };
    const step = evacuate(surveyOf(world({ ...given, health: { secondsSinceRecovery: seconds(119) } })));
    expect(told(step)).toEqual(['evacuate holds storage-1: RecentRecovery until at 1', 'wake at 1']);
    expect(toldInWords(step)[0]).toContain('storage-1 keeps its place in quorum coordinators for now');
  });

  test('not once its objects are going', () => {
    const going = { ...marked, evacuationAt: at(-60), drainedAt: at(-30), removingAt: at(-9) };
    const groups = [givenGroup('storage-1', going), givenGroup('storage-2')];
    expect(said({ groups, processes: excluded, quorums: [coordinators] })).toEqual([]);
  });
});
