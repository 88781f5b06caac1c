import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { at, givenGroup, givenProcess } from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { surveyOf } from '../rules/survey.ts';
import { evacuate } from './evacuate.ts';
import { begins, marked, missingSince, said, world } from './testing/evacuation-scene.ts';
import { told, toldInWords } from './testing/told.ts';

describe('processes that went missing may be back in a moment', () => {
  const successor = (since: number) => [
    givenGroup('storage-1', marked),
    givenGroup('storage-2'),
    givenGroup('storage-3', missingSince(since)),
  ];

  test.each`
    missing  | zones | outcome
    ${-299}  | ${1}  | ${['evacuate holds storage-1: ProcessesMissing until at 1', 'wake at 1']}
    ${-300}  | ${1}  | ${begins}
    ${-300}  | ${0}  | ${['evacuate holds storage-1: SuccessorNotUp']}
    ${-300}  | ${-1} | ${['evacuate holds storage-1: SuccessorNotUp']}
    ${-3000} | ${1}  | ${begins}
  `('a successor missing for $missing s, $zones zones to spare: $outcome', ({ missing, zones, outcome }) => {
    expect(said({ groups: successor(missing), health: { zonesThatMayFail: zones } })).toEqual(outcome);
  });

  test.each`
    zones      | fullyReplicated | outcome
    ${unknown} | ${true}         | ${['evacuate holds storage-1: SuccessorNotUp']}
    ${null}    | ${true}         | ${begins}
    ${null}    | ${false}        | ${['evacuate holds storage-1: SuccessorNotUp']}
    ${null}    | ${unknown}      | ${['evacuate holds storage-1: SuccessorNotUp']}
  `('an engine with the figure $zones and full replication $fullyReplicated: $outcome', (row) => {
    const health = { zonesThatMayFail: row.zones, fullyReplicated: row.fullyReplicated };
    expect(said({ groups: successor(-300), health })).toEqual(row.outcome);
  });

  test('the relief is part of what is told to be needed', () => {
    const groups = [...successor(-300), givenGroup('storage-4', marked)];
    const step = evacuate(surveyOf(world({ groups, count: 5 })));
    expect(toldInWords(step)[0]).toBe('storage-1 is not evacuated yet: 3 of 5 storage process groups are serving');
  });

  test('zones to spare are no substitute for a successor that is merely on its way', () => {
    expect(said({ count: 3, health: { zonesThatMayFail: 2 } })).toEqual(['evacuate holds storage-1: SuccessorNotUp']);
  });

  test('one that was made a moment ago is said to be coming, unless another one went missing', () => {
    const coming = [
      givenGroup('storage-1', marked),
      givenGroup('storage-2'),
      givenGroup('storage-3', { ...missingSince(-100), addresses: [] }),
    ];
    const words = (groups: readonly ProcessGroup[]) => toldInWords(evacuate(surveyOf(world({ groups }))))[0];
    expect(words(coming)).toMatch(
      /^storage-1 is not evacuated yet: storage-3 of storage is coming up; waited for until 2/,
    );
    expect(words([...coming, givenGroup('storage-4', { ...missingSince(-50), addresses: [] })])).toContain(
      'storage-3 and storage-4 of storage are coming up',
    );
    expect(words([...coming, givenGroup('storage-4', missingSince(-50))])).toContain(
      'storage-4 of storage went missing just now',
    );
  });

  test('of several that are missing, the first to be given up is waited for', () => {
    const groups = [givenGroup('storage-4', missingSince(-200)), ...successor(-100)];
    const step = evacuate(surveyOf(world({ groups })));
    expect(told(step)).toEqual(['evacuate holds storage-1: ProcessesMissing until at 100', 'wake at 100']);
    expect(toldInWords(step)[0]).toContain('storage-3 and storage-4');
  });

  test('a process that is missing itself takes nothing from its role by leaving', () => {
    const groups = [
      givenGroup('storage-1', { ...marked, ...missingSince(-300) }),
      givenGroup('storage-2'),
      givenGroup('storage-3'),
    ];
    const health = { zonesThatMayFail: 0 };
    expect(said({ groups, health, count: 2 })).toEqual(begins);
    const step = evacuate(surveyOf(world({ groups, health, count: 3 })));
    expect(toldInWords(step)).toEqual(['storage-1 is not evacuated yet: 2 of 3 storage process groups are serving']);
    const [dead, ...others] = groups;
    const removed = [givenGroup('storage-1', { ...dead, removingAt: at(-9) }), ...others];
    expect(said({ groups: removed, health, count: 3 }), 'it is dead, and removed as it is').toEqual([]);
  });

  test('one that is missing and being emptied is not counted twice', () => {
    const dead = { ...marked, ...missingSince(-300), evacuationAt: at(-60) };
    const groups = [givenGroup('storage-1', marked), givenGroup('storage-2', dead), givenGroup('storage-3')];
    const processes = [givenProcess('storage-1'), givenProcess('storage-3')];
    const snapshot = { jobs: [givenJob('storage-2')] };
    expect(said({ groups, processes, health: { zonesThatMayFail: 0 }, count: 1, snapshot })).toEqual(begins);
  });
});
