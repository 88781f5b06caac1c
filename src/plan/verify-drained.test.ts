import { describe, expect, test } from 'vitest';
import { name } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { reasons } from '../model/reasons.ts';
import type { Job, Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenClaim,
  givenGroup,
  givenHealth,
  givenPod,
  givenProcess,
  givenQuorum,
  givenRole,
  givenShape,
  givenSnapshot,
  givenSpec,
  givenTopology,
  givenUnit,
} from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { seconds } from '../model/time.ts';
import type { EngineHealth, Topology } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { told, toldInWords } from './testing/told.ts';
import { verifyDrained } from './verify-drained.ts';

const evacuating = {
  removal: { at: at(-600), cause: 'Requested', withoutExclusion: false },
  evacuationAt: at(-120),
} as const;
const empty = { excluded: true, drained: true } as const;

interface World {
  readonly group?: Partial<ProcessGroup>;
  readonly topology?: Partial<Topology>;
  readonly health?: Partial<EngineHealth>;
  readonly snapshot?: Partial<Snapshot>;
}

const stepOf = ({ group, topology, health, snapshot }: World = {}) =>
  verifyDrained(
    surveyOf(
      givenSnapshot({
        spec: givenSpec({ roles: [givenRole('storage', { count: 1 })] }),
        processGroups: [givenGroup('storage-1', { ...evacuating, ...group }), givenGroup('storage-2')],
        topology: givenTopology({
          processes: [givenProcess('storage-1', empty), givenProcess('storage-2')],
          health: givenHealth(health),
          ...topology,
        }),
        ...snapshot,
      }),
    ),
  );
const said = (given: World = {}) => told(stepOf(given));

const drained = ['record drained storage-1 (Drained)'];
const holds = (code: string) => [`verify-drained holds storage-1: ${code}`];

describe('a process group is drained when the engine confirms it of every process', () => {
  test.each`
    excluded   | empty      | outcome
    ${true}    | ${true}    | ${drained}
    ${true}    | ${false}   | ${holds('Draining')}
    ${false}   | ${true}    | ${holds('Draining')}
    ${false}   | ${false}   | ${holds('Draining')}
    ${unknown} | ${true}    | ${holds('FactUnknown')}
    ${true}    | ${unknown} | ${holds('FactUnknown')}
    ${unknown} | ${false}   | ${holds('FactUnknown')}
  `('excluded $excluded, empty $empty: $outcome', (row) => {
    const process = givenProcess('storage-1', { excluded: row.excluded, drained: row.empty });
    expect(said({ topology: { processes: [process] } })).toEqual(row.outcome);
  });

  test('one process of two that still holds a role is enough to wait', () => {
    const second = givenProcess('storage-1b', { group: 'storage-1', excluded: true, drained: false });
    expect(said({ topology: { processes: [givenProcess('storage-1', empty), second] } })).toEqual(holds('Draining'));
  });

  test('one process of two that was never excluded is enough to wait', () => {
    const second = givenProcess('storage-1b', { group: 'storage-1', excluded: false, drained: true });
    expect(said({ topology: { processes: [givenProcess('storage-1', empty), second] } })).toEqual(holds('Draining'));
  });

  test('a copy that is listed on it contradicts the engine, so nothing is believed', () => {
    expect(
      said({ topology: { processes: [givenProcess('storage-1', empty)], units: [givenUnit('u', ['storage-1'])] } }),
    ).toEqual(holds('FactUnknown'));
  });

  test.each`
    health                            | outcome
    ${{ activeGenerations: 1 }}       | ${drained}
    ${{ activeGenerations: 2 }}       | ${holds('ManyGenerations')}
    ${{ activeGenerations: null }}    | ${drained}
    ${{ activeGenerations: unknown }} | ${holds('FactUnknown')}
    ${{ available: false }}           | ${holds('EngineUnavailable')}
    ${{ available: unknown }}         | ${holds('FactUnknown')}
    ${{ fullyReplicated: false }}     | ${drained}
  `('with the engine at $health: $outcome', ({ health, outcome }) => {
    expect(said({ health })).toEqual(outcome);
  });

  test('a seat in a quorum whose members move keeps it; one in which members just miss does not', () => {
    const quorum = givenQuorum('coordinators', ['storage-1'], { membersMove: true });
    expect(said({ topology: { processes: [givenProcess('storage-1', empty)], quorums: [quorum] } })).toEqual(
      holds('IsCoordinator'),
    );
    const raft = { ...quorum, membersMove: false };
    expect(said({ topology: { processes: [givenProcess('storage-1', empty)], quorums: [raft] } })).toEqual(drained);
  });

  test('an engine that cannot be read confirms nothing', () => {
    const silent = stepOf({ snapshot: { topology: { unreachable: 'refused', since: at(-5) } } });
    expect(told(silent)).toEqual(holds('EngineUnreachable'));
    expect(toldInWords(silent)[0]).toContain('storage-1 is not taken for drained');
  });
});

describe('what the engine showed before it was told to empty it is not a confirmation', () => {
  const stays = (given: Partial<Job> = {}) => givenJob('storage-1', { verb: 'CancelEvacuation', ...given });
  const unlisted = { conditions: [{ type: 'MissingProcesses', since: at(-600) }] } as const;
  const gone = [givenProcess('storage-2')];

  test.each<[string, World, readonly string[]]>([
    ['seen after that', { topology: { observedAt: at(-119) } }, drained],
    ['seen when it was written down', { topology: { observedAt: at(-120) } }, holds('Draining')],
    ['seen before', { topology: { observedAt: at(-121) } }, holds('Draining')],
    [
      'it was told to keep its data, and not to be empty since',
      { snapshot: { jobs: [stays({ state: 'Done', since: at(-60) })] } },
      holds('Draining'),
    ],
    [
      'it was about to be told that when something crashed',
      { snapshot: { jobs: [stays({ state: 'Running', since: at(-60) })] } },
      holds('Draining'),
    ],
    [
      'the same, by a clock that was set back since it was emptied',
      { snapshot: { jobs: [stays({ state: 'Done', since: at(-180) })] } },
      holds('Draining'),
    ],
    [
      'the same, and the engine does not list it',
      {
        group: unlisted,
        topology: { processes: gone },
        snapshot: { jobs: [stays({ state: 'Done' }), givenJob('storage-1', { state: 'Done', since: at(-90) })] },
      },
      holds('Draining'),
    ],
    [
      'the same, and it is on record that it is emptied since: nobody knows that the engine was told',
      { snapshot: { jobs: [stays({ state: 'Recorded' })] } },
      holds('Draining'),
    ],
    [
      'not listed, and never told to keep its data',
      {
        group: unlisted,
        topology: { processes: gone },
        snapshot: { jobs: [givenJob('storage-1', { state: 'Done', since: at(-90) })] },
      },
      drained,
    ],
    ['the engine refused to keep its data', { snapshot: { jobs: [stays({ state: 'Failed' })] } }, drained],
  ])('%s', (_, world, outcome) => {
    expect(said(world)).toEqual(outcome);
  });
});

describe('a command that returned is not a confirmation', () => {
  test('a job that says it is done changes nothing', () => {
    const process = givenProcess('storage-1', { excluded: true, drained: false });
    const jobs = [givenJob('storage-1', { state: 'Done', percent: 100 })];
    expect(said({ topology: { processes: [process] }, snapshot: { jobs } })).toEqual(holds('Draining'));
  });

  test('progress is told from the job', () => {
    const process = givenProcess('storage-1', { excluded: true, drained: false });
    const jobs = [givenJob('storage-1', { percent: 62, secondsLeft: seconds(240) })];
    expect(toldInWords(stepOf({ topology: { processes: [process] }, snapshot: { jobs } }))).toEqual([
      'storage-1 is being emptied, 62 %, about 4 min left',
    ]);
    expect(toldInWords(stepOf({ topology: { processes: [process] } }))).toEqual(['storage-1 is being emptied']);
  });
});

describe('which process groups are looked at', () => {
  test.each`
    which                              | group                                                             | outcome
    ${'not marked'}                    | ${{ removal: null }}                                              | ${[]}
    ${'not begun to be emptied'}       | ${{ evacuationAt: null }}                                         | ${[]}
    ${'to go without exclusion'}       | ${{ removal: { ...evacuating.removal, withoutExclusion: true } }} | ${[]}
    ${'being removed already'}         | ${{ removingAt: at(-9) }}                                         | ${[]}
    ${'drained already, and still so'} | ${{ drainedAt: at(-9) }}                                          | ${[]}
  `('$which: nothing is said', ({ group, outcome }) => {
    expect(said({ group })).toEqual(outcome);
  });

  test('a pod that never found a place has nothing to empty', () => {
    const pending = { evacuationAt: null, addresses: [], pod: givenPod('storage-1', { phase: 'Pending' as const }) };
    expect(said({ group: pending, topology: { processes: [givenProcess('storage-2')] } })).toEqual(drained);
    const dead = { unreachable: 'refused', since: at(-5) };
    expect(said({ group: pending, snapshot: { topology: dead } })).toEqual(holds('EngineUnreachable'));
  });
});

describe('one that was drained and is in use again is emptied once more', () => {
  test.each`
    excluded   | empty      | outcome
    ${true}    | ${true}    | ${[]}
    ${false}   | ${true}    | ${['record not-drained storage-1 (UsedAgain)']}
    ${true}    | ${false}   | ${['record not-drained storage-1 (UsedAgain)']}
    ${unknown} | ${unknown} | ${[]}
  `('excluded $excluded, empty $empty: $outcome', (row) => {
    const process = givenProcess('storage-1', { excluded: row.excluded, drained: row.empty });
    expect(said({ group: { drainedAt: at(-9) }, topology: { processes: [process] } })).toEqual(row.outcome);
  });

  test('also where it was never emptied: its pod had no place, and found one afterwards', () => {
    const group = { evacuationAt: null, drainedAt: at(-9) };
    expect(said({ group, topology: { processes: [givenProcess('storage-1')] } })).toEqual([
      'record not-drained storage-1 (UsedAgain)',
    ]);
  });

  describe('also where it is on record that it goes, and it was taken for drained because it never ran', () => {
    const neverRan = { evacuationAt: null, drainedAt: at(-9), removingAt: at(-5) };
    const backAgain = ['record not-drained storage-1 (UsedAgain)'];
    const going = { pod: givenPod('storage-1', { deletingSince: at(-1) }) };
    test.each<[string, Partial<ProcessGroup>, readonly string[]]>([
      ['it came up', {}, backAgain],
      ['it came up, and its pod is going', going, backAgain],
      ['it was seen to be empty before', { evacuationAt: at(-60) }, []],
      ['its volume is going already', { claim: givenClaim({ deleting: true }) }, []],
      ['it has no volume', { claim: 'none' }, backAgain],
      ['it has no volume, and its pod is going', { claim: 'none', ...going }, []],
    ])('%s', (_, given, outcome) => {
      const group = { ...neverRan, ...given };
      expect(said({ group, topology: { processes: [givenProcess('storage-1')] } })).toEqual(outcome);
    });

    test('then it goes no more', () => {
      const snapshot = givenSnapshot({ processGroups: [givenGroup('storage-1', { ...evacuating, ...neverRan })] });
      const reason = reasons.usedAgain({ group: 'storage-1' });
      const after = applyRecords(snapshot, [{ record: 'not-drained', group: name('storage-1'), reason }]);
      expect(after.processGroups[0]).toMatchObject({ removal: evacuating.removal, drainedAt: null, removingAt: null });
    });
  });

  test('its process being gone is no use', () => {
    expect(said({ group: { drainedAt: at(-9) }, topology: { processes: [givenProcess('storage-2')] } })).toEqual([]);
  });
});

describe('a process that the engine does not list any more', () => {
  const missing = (since: number) => ({ conditions: [{ type: 'MissingProcesses', since: at(since) } as const] });
  const absent = { processes: [givenProcess('storage-2')] };
  const carriedOut = [givenJob('storage-1', { state: 'Done' })];
  const step = (given: World) => stepOf({ ...given, snapshot: { jobs: carriedOut, ...given.snapshot } });
  const said = (given: World) => told(step(given));

  test('is taken for empty when every copy is known to be elsewhere', () => {
    expect(said({ group: missing(-90), topology: absent })).toEqual(drained);
  });

  test.each`
    since  | outcome
    ${-90} | ${drained}
    ${-89} | ${['verify-drained holds storage-1: PodsSettling until at 1', 'wake at 1']}
  `('missing since $since: the engine needs a while to notice', ({ since, outcome }) => {
    expect(said({ group: missing(since), topology: absent })).toEqual(outcome);
  });

  const settling = ['verify-drained holds storage-1: PodsSettling until at 60', 'wake at 60'];

  test.each<[string, Parameters<typeof givenPod>[1] | null, readonly string[]]>([
    ['began long ago', { createdAt: at(-90) }, drained],
    ['was made again', { createdAt: at(-30) }, settling],
    ['had a container begin anew', { createdAt: at(-900), restartedAt: at(-30) }, settling],
    ['was made again and is going', { createdAt: at(-30), deletingSince: at(-5) }, drained],
    ['is not there', null, drained],
  ])('one whose pod %s', (_, pod, outcome) => {
    const given = pod === null ? null : givenPod('storage-1', pod);
    expect(said({ group: { pod: given, ...missing(-900) }, topology: absent })).toEqual(outcome);
  });

  test('since when it is missing has to be known', () => {
    expect(said({ topology: absent })).toEqual(holds('FactUnknown'));
  });

  test.each`
    evacuated | outcome
    ${at(-1)} | ${drained}
    ${at(0)}  | ${holds('Draining')}
    ${at(1)}  | ${holds('Draining')}
  `('the observation has to have begun after the evacuation was recorded', ({ evacuated, outcome }) => {
    expect(said({ group: { ...missing(-90), evacuationAt: evacuated }, topology: absent })).toEqual(outcome);
  });

  test.each`
    state         | outcome
    ${'Done'}     | ${drained}
    ${'Running'}  | ${drained}
    ${'Recorded'} | ${holds('Draining')}
    ${'Failed'}   | ${holds('Draining')}
    ${undefined}  | ${holds('Draining')}
  `('the engine has to have been told: its job is $state', ({ state, outcome }) => {
    const jobs = state === undefined ? [] : [givenJob('storage-1', { state })];
    expect(said({ group: missing(-90), topology: absent, snapshot: { jobs } })).toEqual(outcome);
  });

  test('another process of it that is excluded shows that the engine was told', () => {
    const pod = givenPod('storage-1', { shape: givenShape({ processesPerPod: 2 }) });
    const one = { processes: [givenProcess('storage-1', empty)] };
    expect(said({ group: { pod, ...missing(-90) }, topology: one, snapshot: { jobs: [] } })).toEqual(drained);
  });

  test.each`
    fullyReplicated | outcome
    ${true}         | ${drained}
    ${false}        | ${holds('NotFullyReplicated')}
    ${unknown}      | ${holds('FactUnknown')}
  `('the engine is fully replicated: $fullyReplicated', ({ fullyReplicated, outcome }) => {
    expect(said({ group: missing(-90), topology: absent, health: { fullyReplicated } })).toEqual(outcome);
  });

  test('a unit that names a process nobody lists may mean this one', () => {
    const units = [givenUnit('u', ['storage-2', 'ghost-2', 'ghost-1'])];
    const doubtful = step({ group: missing(-90), topology: { ...absent, units } });
    expect(told(doubtful)).toEqual(holds('FactUnknown'));
    expect(toldInWords(doubtful)[0]).toContain('whether ghost-1, which still holds data, belongs to it');
    expect(said({ group: missing(-90), topology: { ...absent, units: [givenUnit('u', ['storage-2'])] } })).toEqual(
      drained,
    );
  });

  test('a seat that names a process nobody lists may be this one', () => {
    const quorums = [givenQuorum('coordinators', ['storage-2', 'ghost'], { membersMove: true })];
    expect(said({ group: missing(-90), topology: { ...absent, quorums } })).toEqual(holds('IsCoordinator'));
  });

  test('of two processes of a pod, the one that is listed speaks for itself only', () => {
    const pod = givenPod('storage-1', { shape: givenShape({ processesPerPod: 2 }) });
    const one = { processes: [givenProcess('storage-1', empty)] };
    expect(said({ group: { pod }, topology: one })).toEqual(holds('FactUnknown'));
    expect(said({ group: { pod, ...missing(-90) }, topology: one })).toEqual(drained);
  });

  test('how many there should be is read off the spec where there is no pod', () => {
    const spec = givenSpec({ roles: [givenRole('storage', { shape: givenShape({ processesPerPod: 2 }) })] });
    const one = { processes: [givenProcess('storage-1', empty)] };
    expect(said({ group: { pod: null }, topology: one, snapshot: { spec } })).toEqual(holds('FactUnknown'));
    expect(said({ group: { pod: null }, topology: one })).toEqual(drained);
    expect(said({ group: { pod: null }, topology: one, snapshot: { spec: givenSpec() } })).toEqual(drained);
  });
});
