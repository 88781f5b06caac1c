import { describe, expect, test } from 'vitest';
import { name } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import {
  at,
  givenGroup,
  givenHealth,
  givenPod,
  givenProcess,
  givenRole,
  givenSpec,
  givenTopology,
} from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { seconds } from '../model/time.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { evacuate } from './evacuate.ts';
import { allowedEvacuations } from './evacuation-budget.ts';
import { begins, marked, missingSince, said, world } from './testing/evacuation-scene.ts';
import { told, toldInWords } from './testing/told.ts';

describe('how many of a role may be emptied', () => {
  test.each`
    valid | desired | ongoing | bonus | allowed
    ${10} | ${10}   | ${0}    | ${2}  | ${2}
    ${10} | ${10}   | ${1}    | ${2}  | ${1}
    ${10} | ${10}   | ${2}    | ${2}  | ${0}
    ${20} | ${10}   | ${0}    | ${2}  | ${12}
    ${20} | ${10}   | ${10}   | ${2}  | ${2}
    ${8}  | ${10}   | ${0}    | ${2}  | ${0}
    ${0}  | ${10}   | ${0}    | ${2}  | ${0}
    ${11} | ${10}   | ${0}    | ${0}  | ${1}
    ${10} | ${10}   | ${0}    | ${0}  | ${0}
  `('$valid valid, $desired wanted, $ongoing on their way, bonus $bonus: $allowed', (row) => {
    expect(allowedEvacuations(row)).toBe(row.allowed);
  });
});

describe('what is emptied leaves enough zones for the copies', () => {
  /** Five storage groups where three are wanted: 1 and 2 are marked. */
  const storage = (zones: readonly (string | null)[], first: Partial<ProcessGroup> = {}) =>
    zones.map((zone, index) =>
      givenGroup(`storage-${index + 1}`, { zone, ...(index < 2 && marked), ...(index === 0 && first) }),
    );
  const goes = ['record evacuating storage-1 (Leaving)', 'record evacuating storage-2 (Leaving)'];
  const held = ['record evacuating storage-1 (Leaving)', 'evacuate holds storage-2: TooFewZones'];
  const recordedAndHeld = (given: Parameters<typeof said>[0]) =>
    said(given).filter((line) => !line.startsWith('evacuate storage'));

  test.each<[string, number | null | typeof unknown, readonly ProcessGroup[], readonly string[]]>([
    ['those that stay are in as many zones', 3, storage(['a', 'b', 'a', 'b', 'c']), goes],
    ['they are in fewer', 3, storage(['a', 'c', 'a', 'b', 'b']), held],
    ['both are alone in a zone of their own', 2, storage(['a', 'b', 'c', 'c', 'c']), held],
    ['both are in the zone that is needed: one of them may go', 3, storage(['c', 'c', 'a', 'b', 'b']), held],
    ['a zone that is not known is one of its own', 3, storage(['a', 'c', 'a', 'b', null]), goes],
    ['it was in no zone that is needed', 3, storage(['a', 'a', 'a', 'b', 'b']), goes],
    ['the engine does not place by zones', null, storage(['a', 'c', 'a', 'b', 'b']), goes],
    ['how it places is not known', unknown, storage(['a', 'c', 'a', 'b', 'b']), goes],
  ])('%s', (_, zonesForCopies, groups, expected) => {
    expect(recordedAndHeld({ groups, count: 3, health: { zonesForCopies } })).toEqual(expected);
  });

  test('one that is missing leaves nothing behind, and may go', () => {
    const groups = storage(['c', 'a', 'a', 'b', 'b'], missingSince(-400));
    expect(recordedAndHeld({ groups, count: 3, health: { zonesForCopies: 3 } })).toEqual(goes);
  });

  test('and it is said in words how many zones are left', () => {
    const step = evacuate(
      surveyOf(world({ groups: storage(['a', 'c', 'a', 'b', 'b']), count: 3, health: { zonesForCopies: 3 } })),
    );
    expect(toldInWords(step)).toContain(
      'storage-2 is not evacuated yet: without it storage is in 2 zones, and its copies need 3',
    );
  });
});

describe('a marked process group is emptied once its successor is up', () => {
  test('it is recorded first, then the engine is told', () => {
    expect(said()).toEqual(begins);
  });

  test('what is not marked is left alone', () => {
    expect(said({ groups: [givenGroup('storage-1'), givenGroup('storage-2'), givenGroup('storage-3')] })).toEqual([]);
  });

  test('without a successor it waits, and says how many serve', () => {
    const step = evacuate(surveyOf(world({ count: 3 })));
    expect(told(step)).toEqual(['evacuate holds storage-1: SuccessorNotUp']);
    expect(toldInWords(step)).toEqual(['storage-1 is not evacuated yet: 3 of 4 storage process groups are serving']);
  });

  test('of two that are marked, the one that was marked first goes while one can be spared', () => {
    const later = { removal: { ...marked.removal, at: at(-300) } };
    const groups = [givenGroup('storage-1', later), givenGroup('storage-2', marked), givenGroup('storage-3')];
    expect(said({ groups })).toEqual([
      'record evacuating storage-2 (Leaving)',
      'evacuate storage-2 [storage-2] [] (Leaving)',
      'evacuate holds storage-1: SuccessorNotUp',
    ]);
  });

  test('of two that were marked together, the lower id goes first', () => {
    const groups = [givenGroup('storage-2', marked), givenGroup('storage-1', marked), givenGroup('storage-3')];
    expect(said({ groups })[0]).toBe('record evacuating storage-1 (Leaving)');
  });

  test('one that is being emptied already counts as lost', () => {
    const ongoing = { ...marked, evacuationAt: at(-60) };
    const groups = [givenGroup('storage-1', marked), givenGroup('storage-2', ongoing), givenGroup('storage-3')];
    const processes = [
      givenProcess('storage-1'),
      givenProcess('storage-2', { excluded: true }),
      givenProcess('storage-3'),
    ];
    expect(said({ groups, processes })).toEqual(['evacuate holds storage-1: SuccessorNotUp']);
  });

  test('one that a person excluded counts as lost too, and is only written down', () => {
    const groups = [givenGroup('storage-1', marked), givenGroup('storage-2', marked), givenGroup('storage-3')];
    const processes = [
      givenProcess('storage-1'),
      givenProcess('storage-2', { excluded: true }),
      givenProcess('storage-3'),
    ];
    expect(said({ groups, processes, health: { available: true } })).toEqual([
      'record evacuating storage-2 (Leaving)',
      'evacuate holds storage-1: SuccessorNotUp',
    ]);
  });

  test.each`
    which                    | gone
    ${'drained'}             | ${{ ...marked, drainedAt: at(-9), evacuationAt: at(-60) }}
    ${'without exclusion'}   | ${{ removal: { ...marked.removal, withoutExclusion: true } }}
    ${'already being taken'} | ${{ ...marked, removingAt: at(-9), evacuationAt: at(-60), drainedAt: at(-9) }}
  `('one that is $which is counted as neither serving nor on its way', ({ gone }) => {
    const groups = [givenGroup('storage-1', marked), givenGroup('storage-2', gone), givenGroup('storage-3')];
    const processes = [
      givenProcess('storage-1'),
      givenProcess('storage-2', { excluded: true, drained: true }),
      givenProcess('storage-3'),
    ];
    expect(said({ groups, processes, count: 1 })).toEqual(begins);
    expect(said({ groups, processes, count: 2 })).toEqual(['evacuate holds storage-1: SuccessorNotUp']);
  });

  test('each role has its own budget', () => {
    const groups = [
      givenGroup('storage-1', marked),
      givenGroup('storage-2'),
      givenGroup('log-1', marked),
      givenGroup('log-2'),
    ];
    expect(said({ groups, count: 1 }).filter((line) => line.startsWith('record'))).toEqual([
      'record evacuating log-1 (Leaving)',
      'record evacuating storage-1 (Leaving)',
    ]);
  });

  test('what its own role wants counts, not what another does', () => {
    const spec = givenSpec({ roles: [givenRole('log', { count: 9 }), givenRole('storage', { count: 2 })] });
    expect(said({ snapshot: { spec } })).toEqual(begins);
  });

  test('one of two processes that a person excluded does not make its group one that is on its way', () => {
    const groups = [givenGroup('storage-1', marked), givenGroup('storage-2', marked), givenGroup('storage-3')];
    const processes = [
      givenProcess('storage-1'),
      givenProcess('storage-2', { excluded: true }),
      givenProcess('storage-2b', { group: 'storage-2' }),
      givenProcess('storage-3'),
    ];
    expect(said({ groups, processes })[0]).toBe('record evacuating storage-1 (Leaving)');
  });

  test('nor does a marked one that the engine does not list', () => {
    const groups = [givenGroup('storage-1', marked), givenGroup('storage-2', marked), givenGroup('storage-3')];
    const processes = [givenProcess('storage-1'), givenProcess('storage-3')];
    expect(said({ groups, processes })[0]).toBe('record evacuating storage-1 (Leaving)');
  });

  test('how many serve is told without those on their way', () => {
    const ongoing = { ...marked, evacuationAt: at(-60) };
    const groups = [givenGroup('storage-1', marked), givenGroup('storage-2', ongoing), givenGroup('storage-3')];
    const processes = [
      givenProcess('storage-1'),
      givenProcess('storage-2', { excluded: true }),
      givenProcess('storage-3'),
    ];
    expect(toldInWords(evacuate(surveyOf(world({ groups, processes }))))).toEqual([
      'storage-1 is not evacuated yet: 2 of 3 storage process groups are serving',
    ]);
  });

  test('a role that was taken out of the spec is emptied to the last', () => {
    const rows = [givenGroup('storage-1', marked)];
    expect(said({ groups: rows, snapshot: { spec: givenSpec() } })).toEqual(begins);
  });
});

describe('the engine is left alone when it is not well', () => {
  test.each`
    health                                      | outcome
    ${{ secondsSinceRecovery: seconds(120) }}   | ${begins}
    ${{ secondsSinceRecovery: seconds(119) }}   | ${['evacuate holds storage-1: RecentRecovery until at 1', 'wake at 1']}
    ${{ secondsSinceRecovery: seconds(119.5) }} | ${['evacuate holds storage-1: RecentRecovery until at 0.5', 'wake at 0.5']}
    ${{ secondsSinceRecovery: null }}           | ${begins}
    ${{ secondsSinceRecovery: unknown }}        | ${['evacuate holds storage-1: FactUnknown']}
    ${{ activeGenerations: 10 }}                | ${begins}
    ${{ activeGenerations: 11 }}                | ${['evacuate holds storage-1: ManyGenerations']}
    ${{ activeGenerations: null }}              | ${begins}
    ${{ activeGenerations: unknown }}           | ${['evacuate holds storage-1: FactUnknown']}
    ${{ available: false }}                     | ${['evacuate holds storage-1: EngineUnavailable']}
    ${{ available: unknown }}                   | ${['evacuate holds storage-1: FactUnknown']}
  `('$health: $outcome', ({ health, outcome }) => {
    expect(said({ health })).toEqual(outcome);
  });

  test('an engine that cannot be read is not told anything', () => {
    const step = evacuate(surveyOf(world({ snapshot: { topology: { unreachable: 'refused', since: at(-9) } } })));
    expect(told(step)).toEqual(['evacuate holds storage-1: EngineUnreachable']);
    expect(toldInWords(step)[0]).toContain('storage-1 is not evacuated yet');
  });

  test('the time since a recovery runs on while the answer gets older', () => {
    const groups = world().processGroups;
    const topology = givenTopology({
      observedAt: at(-20),
      processes: groups.map(({ id }) => givenProcess(id)),
      health: givenHealth({ secondsSinceRecovery: seconds(100) }),
    });
    expect(said({ snapshot: { topology } })).toEqual(begins);
    expect(said({ snapshot: { topology, now: at(-1) } })).toEqual([
      'evacuate holds storage-1: RecentRecovery until at 0',
      'wake at 0',
    ]);
  });
});

describe('the engine is told until it shows it', () => {
  const evacuating = (given: Partial<ProcessGroup> = {}) => [
    givenGroup('storage-1', { ...marked, evacuationAt: at(-60), ...given }),
    givenGroup('storage-2'),
  ];
  const tells = ['evacuate storage-1 [storage-1] [] (Leaving)'];

  test.each`
    excluded   | outcome
    ${true}    | ${[]}
    ${false}   | ${tells}
    ${unknown} | ${tells}
  `('the engine says excluded: $excluded', ({ excluded, outcome }) => {
    expect(said({ groups: evacuating(), processes: [givenProcess('storage-1', { excluded })] })).toEqual(outcome);
  });

  test.each([
    ['told in between that it stays', 'Done'],
    ['perhaps told in between that it stays, before something crashed', 'Running'],
  ] as const)('%s: it is told and written down anew, whatever the engine still shows', (_, state) => {
    const jobs = [givenJob('storage-1', { verb: 'CancelEvacuation', state, since: at(-30) })];
    const again = 'record evacuating storage-1 (Leaving)';
    const saying = (excluded: boolean) =>
      said({ groups: evacuating(), processes: [givenProcess('storage-1', { excluded })], snapshot: { jobs } });
    expect(saying(false)).toEqual([again, ...tells]);
    expect(saying(true)).toEqual([again, ...tells]);
  });

  test.each(['Done', 'Running'] as const)('and told until it has taken it, but written down once: %s', (state) => {
    const stays = givenJob('storage-1', { verb: 'CancelEvacuation', state, since: at(-30) });
    const processes = [givenProcess('storage-1', { excluded: true })];
    const before = { groups: evacuating(), processes, snapshot: { jobs: [stays] } };
    const { jobs } = applyRecords(world(before), evacuate(surveyOf(world(before))).records);
    expect(jobs).toEqual([{ ...stays, state: 'Recorded' }]);
    expect(said({ ...before, snapshot: { jobs } })).toEqual(tells);
  });

  test('every process of the group has to be excluded', () => {
    const processes = [
      givenProcess('storage-1b', { group: 'storage-1' }),
      givenProcess('storage-1', { excluded: true }),
    ];
    expect(said({ groups: evacuating(), processes })).toEqual([
      'evacuate storage-1 [storage-1 storage-1b] [] (Leaving)',
    ]);
  });

  test('not within 120 s of a recovery, though it was begun', () => {
    expect(said({ groups: evacuating(), health: { secondsSinceRecovery: seconds(1) } })).toEqual([
      'evacuate holds storage-1: RecentRecovery until at 119',
      'wake at 119',
    ]);
  });

  test('a process that lost its IP is excluded by every address that it was known by', () => {
    const groups = evacuating({ addresses: ['10.0.0.1', '10.0.0.9'] });
    expect(said({ groups, processes: [] })).toEqual(['evacuate storage-1 [] [10.0.0.1 10.0.0.9] (Leaving)']);
    expect(said({ groups, processes: [givenProcess('storage-1')] })).toEqual([
      'evacuate storage-1 [storage-1] [10.0.0.9] (Leaving)',
    ]);
  });

  test.each`
    state         | outcome
    ${'Running'}  | ${[]}
    ${'Done'}     | ${[]}
    ${'Recorded'} | ${['evacuate storage-1 [] [10.0.0.1] (Leaving)']}
  `('where the engine lists no process, a job that is $state tells: $outcome', ({ state, outcome }) => {
    const snapshot = { jobs: [givenJob('storage-1', { state })] };
    expect(said({ groups: evacuating(), processes: [], snapshot })).toEqual(outcome);
  });

  test('a job of another verb or another group tells nothing', () => {
    const snapshot = { jobs: [givenJob('storage-1', { verb: 'HandOff' }), givenJob('storage-2')] };
    expect(said({ groups: evacuating(), processes: [], snapshot })).toEqual([
      'evacuate storage-1 [] [10.0.0.1] (Leaving)',
    ]);
  });

  test('what was drained and is not listed any more needs no telling, whatever becomes of it', () => {
    expect(said({ groups: evacuating({ drainedAt: at(-30) }), processes: [] })).toEqual([]);
    expect(said({ groups: evacuating({ removingAt: at(-9) }), processes: [] })).toEqual([]);
    const topology = { unreachable: 'refused', since: at(-5) };
    expect(said({ groups: evacuating({ drainedAt: at(-30) }), snapshot: { topology } })).toEqual([]);
  });

  test('what someone included again by hand is excluded once more, until its objects are gone', () => {
    expect(said({ groups: evacuating({ drainedAt: at(-30) }) })).toEqual(tells);
    expect(said({ groups: evacuating({ drainedAt: at(-30), removingAt: at(-9) }) })).toEqual(tells);
  });

  test.each`
    retryAt  | outcome
    ${at(1)} | ${['evacuate holds storage-1: JobFailed until at 1', 'wake at 1']}
    ${at(0)} | ${tells}
    ${null}  | ${tells}
  `('a job that failed is tried again at its time', ({ retryAt, outcome }) => {
    const failed = givenJob('storage-1', { state: 'Failed', retryAt, message: 'timed out' });
    expect(said({ groups: evacuating(), snapshot: { jobs: [failed] } })).toEqual(outcome);
  });

  test('the newest job counts, whatever the order', () => {
    const old = givenJob('storage-1', { state: 'Failed', retryAt: at(50), since: at(-500) });
    const next = givenJob('storage-1', { state: 'Failed', retryAt: at(70), since: at(-60) });
    const retried = givenJob('storage-1', { state: 'Failed', retryAt: at(90), since: at(-60), attempts: 2 });
    for (const jobs of [
      [old, next, retried],
      [retried, next, old],
    ]) {
      expect(said({ groups: evacuating(), snapshot: { jobs } })).toEqual([
        'evacuate holds storage-1: JobFailed until at 90',
        'wake at 90',
      ]);
    }
  });
});

describe('what is not emptied', () => {
  test('a role that nobody knows waits and says so', () => {
    expect(said({ groups: [givenGroup('mystery-1', marked)] })).toEqual(['evacuate holds mystery-1: NoSuchRole']);
  });

  test('a role that is not drained before it is removed', () => {
    expect(said({ groups: [givenGroup('test-1', marked)] })).toEqual([]);
  });

  test('a group whose pod never found a place: there is nothing to move', () => {
    const pending = givenGroup('storage-1', {
      ...marked,
      addresses: [],
      pod: givenPod('storage-1', { phase: 'Pending' }),
    });
    expect(said({ groups: [pending, givenGroup('storage-2')], processes: [givenProcess('storage-2')] })).toEqual([]);
  });

  test('one that a cancel holds', () => {
    const spec = givenSpec({ roles: [givenRole('storage', { count: 2 })], cancelReplacements: [name('storage-1')] });
    expect(said({ snapshot: { spec } })).toEqual([]);
  });
});

test('the order of the lists does not matter', () => {
  const snapshot = world();
  const turned = {
    ...snapshot,
    processGroups: snapshot.processGroups.toReversed(),
    topology: givenTopology({ processes: snapshot.processGroups.map(({ id }) => givenProcess(id)).reverse() }),
  };
  expect(evacuate(surveyOf(turned))).toEqual(evacuate(surveyOf(snapshot)));
});
