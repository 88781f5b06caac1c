import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenAsk,
  givenGroup,
  givenHealth,
  givenProcess,
  givenQuorum,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
} from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { seconds } from '../model/time.ts';
import { surveyOf } from '../rules/survey.ts';
import { evacuateAsked } from './evacuate-asked.ts';
import { told, toldInWords } from './testing/told.ts';

const evacuating = { evacuationAt: at(-20) };

describe('a role whose rule asks for an empty process is emptied whole', () => {
  const spec = {
    engine: 'arangodb',
    trigger: 'Eviction',
    roles: [givenRole('dbserver')],
    drainPolicy: 'always-allow',
  } as const;
  const dbserver = (
    given: Parameters<typeof givenProcess>[1] = {},
    first: Partial<ProcessGroup> = {},
    more: Partial<Snapshot> = {},
  ) =>
    told(
      evacuateAsked(
        surveyOf(
          givenSnapshot({
            spec: givenSpec(spec),
            processGroups: [givenGroup('dbserver-1', first)],
            asks: [givenAsk('dbserver-1')],
            topology: givenTopology({
              processes: [givenProcess('dbserver-1', given)],
              health: givenHealth({ zonesThatMayFail: null }),
            }),
            ...more,
          }),
        ),
      ),
    );

  test.each`
    process                              | first         | outcome
    ${{}}                                | ${{}}         | ${['record evacuating dbserver-1 (EmptiedForDrain)', 'evacuate dbserver-1 [dbserver-1] [] (EmptiedForDrain)', 'wake at 600']}
    ${{}}                                | ${evacuating} | ${['evacuate dbserver-1 [dbserver-1] [] (EmptiedForDrain)', 'wake at 600']}
    ${{ excluded: unknown }}             | ${evacuating} | ${['evacuate dbserver-1 [dbserver-1] [] (EmptiedForDrain)', 'wake at 600']}
    ${{ excluded: true }}                | ${evacuating} | ${['evacuate-asked holds dbserver-1: Draining', 'wake at 600']}
    ${{ excluded: true, drained: true }} | ${evacuating} | ${['wake at 600']}
    ${{ excluded: true, drained: true }} | ${{}}         | ${[]}
  `('$process, $first: $outcome', ({ process, first, outcome }) => {
    expect(dbserver(process, first)).toEqual(outcome);
  });

  test('every process of a pod has to be told, and to be empty', () => {
    const two = (second: Parameters<typeof givenProcess>[1]) => ({
      topology: givenTopology({
        processes: [
          givenProcess('dbserver-1', { excluded: true, drained: true }),
          givenProcess('dbserver-1b', { group: 'dbserver-1', ...second }),
        ],
      }),
    });
    expect(dbserver({}, evacuating, two({ excluded: false }))[0]).toBe(
      'evacuate dbserver-1 [dbserver-1 dbserver-1b] [] (EmptiedForDrain)',
    );
    expect(dbserver({}, evacuating, two({ excluded: true }))[0]).toBe('evacuate-asked holds dbserver-1: Draining');
    expect(dbserver({}, { ...evacuating }, { ...two({ excluded: false }), asks: [] })).toEqual([
      'record keeping dbserver-1 (EvacuationCancelled)',
      'cancel-evacuation dbserver-1 [dbserver-1 dbserver-1b] [10.0.0.1] (EvacuationCancelled)',
    ]);
  });

  test('its progress is told from the job', () => {
    const survey = surveyOf(
      givenSnapshot({
        spec: givenSpec(spec),
        processGroups: [givenGroup('dbserver-1', evacuating)],
        asks: [givenAsk('dbserver-1')],
        jobs: [givenJob('dbserver-1', { percent: 30, secondsLeft: seconds(60) })],
        topology: givenTopology({ processes: [givenProcess('dbserver-1', { excluded: true })] }),
      }),
    );
    expect(toldInWords(evacuateAsked(survey))).toEqual(['dbserver-1 is being emptied, 30 %, about 60 s left']);
  });

  test('not where the spec says that its data travels', () => {
    const travelling = givenSpec({ ...spec, roles: [givenRole('dbserver', { dataTravels: 'always' })] });
    expect(dbserver({}, {}, { spec: travelling })).toEqual([]);
  });

  test('undone while the engine shows it excluded', () => {
    expect(dbserver({ excluded: true, drained: true }, evacuating, { asks: [] })).toEqual([
      'record keeping dbserver-1 (EvacuationCancelled)',
      'cancel-evacuation dbserver-1 [dbserver-1] [10.0.0.1] (EvacuationCancelled)',
    ]);
    expect(dbserver({}, evacuating, { asks: [] })).toEqual([
      'record evacuation-ended dbserver-1 (EvacuationCancelled)',
    ]);
  });
});

describe('a role that would be replaced is emptied in its place where the pods are somebody else’s', () => {
  interface Given {
    readonly asked?: boolean;
    readonly policy?: 'block-for-eviction' | 'block-if-contains-last-replica';
    readonly ownsPods?: boolean;
    readonly travels?: boolean;
    readonly first?: Partial<ProcessGroup>;
    /** null: the engine does not list it. */
    readonly process?: Parameters<typeof givenProcess>[1] | null;
    readonly health?: Parameters<typeof givenHealth>[0];
    /** Another one is asked for, too. */
    readonly second?: boolean;
    /** Not the first one is asked for, but others of its node. */
    readonly withNode?: boolean;
    readonly isCoordinator?: boolean;
    /** After it was told to be empty. */
    readonly toldToStay?: boolean;
  }
  const stays = givenJob('storage-1', { verb: 'CancelEvacuation', state: 'Done', since: at(-1) });
  function storage(given: Given = {}) {
    const { asked = true, policy = 'block-for-eviction', ownsPods = false, travels = false, process = {} } = given;
    const ids = given.second === true ? ['storage-1', 'storage-2'] : ['storage-1'];
    const role = givenRole('storage', { dataTravels: travels ? 'always' : 'auto', shape: null });
    const spec = { engine: 'foundationdb', ownsPods, trigger: 'Eviction', roles: [role], drainPolicy: policy } as const;
    const others = ['storage-8', 'storage-9'];
    const quorum = givenQuorum('coordinators', ['storage-1', ...others], { membersMove: true });
    return told(
      evacuateAsked(
        surveyOf(
          givenSnapshot({
            spec: givenSpec(spec),
            processGroups: [...ids, ...others].map((id) => givenGroup(id, id === 'storage-1' ? given.first : {})),
            jobs: given.toldToStay === true ? [stays] : [],
            asks: asked
              ? ids.map((id) => givenAsk(id, { wants: given.withNode === true && id === 'storage-1' ? 'Node' : 'Pod' }))
              : [],
            topology: givenTopology({
              processes:
                process === null
                  ? []
                  : [...ids, ...others].map((id) => givenProcess(id, id === 'storage-1' ? process : {})),
              quorums: given.isCoordinator === true ? [quorum] : [],
              health: givenHealth(given.health ?? {}),
            }),
          }),
        ),
      ),
    );
  }
  const begins = [
    'record evacuating storage-1 (EmptiedForDrain)',
    'evacuate storage-1 [storage-1] [] (EmptiedForDrain)',
    'wake at 600',
  ];
  const emptied = { excluded: true, drained: true };
  const givesUpSeat = 'hand-off storage-1 [storage-1] (IsCoordinator)';

  test.each<[string, Given, readonly string[]]>([
    ['asked for', {}, begins],
    ['asked for by nobody', { asked: false }, []],
    ['under a policy that moves nothing', { policy: 'block-if-contains-last-replica' }, []],
    ['with data that travels', { travels: true }, []],
    ['in a cluster that Drover owns, which replaces it', { ownsPods: true }, []],
    ['drained', { first: evacuating, process: emptied }, ['wake at 600']],
    ['a coordinator', { isCoordinator: true }, [begins[0] ?? '', givesUpSeat, ...begins.slice(1)]],
    [
      'drained, and a coordinator still',
      { isCoordinator: true, first: evacuating, process: emptied },
      [givesUpSeat, 'wake at 600'],
    ],
    [
      'drained by itself, and a coordinator: until nobody asks any more',
      { isCoordinator: true, process: { drained: true } },
      [givesUpSeat, 'wake at 600'],
    ],
    [
      'back, and wanted gone by nobody any more',
      { asked: false, first: evacuating, process: { excluded: true } },
      [
        'record keeping storage-1 (EvacuationCancelled)',
        'cancel-evacuation storage-1 [storage-1] [10.0.0.1] (EvacuationCancelled)',
      ],
    ],
    [
      'back under another address, and wanted gone by nobody any more',
      { asked: false, first: { ...evacuating, addresses: ['old', 'new'] }, process: { addresses: ['new'] } },
      [
        'record keeping storage-1 (EvacuationCancelled)',
        'cancel-evacuation storage-1 [storage-1] [old new] (EvacuationCancelled)',
      ],
    ],
    [
      'back under another address, and the engine was told that it stays',
      {
        asked: false,
        first: { ...evacuating, addresses: ['old', 'new'] },
        process: { addresses: ['new'] },
        toldToStay: true,
      },
      ['record evacuation-ended storage-1 (EvacuationCancelled)'],
    ],
    ['wanted gone again after the engine was told that it stays', { first: evacuating, toldToStay: true }, begins],
    [
      'the same, and the engine still shows what it was told before that',
      { first: evacuating, process: { excluded: true }, toldToStay: true },
      begins,
    ],
    ['the same, down to that it is drained', { first: evacuating, process: emptied, toldToStay: true }, begins],
    ['away: it was told to be empty, and still is', { asked: false, first: evacuating, process: null }, []],
    [
      'asked for with another one, which has to wait',
      { second: true },
      [...begins.slice(0, 2), 'evacuate-asked holds storage-2: AnotherEmptied', 'wake at 600'],
    ],
    ['asked for with its node', { withNode: true }, begins],
    [
      'asked for with its node: after another one that was asked for itself',
      { second: true, withNode: true },
      [
        'record evacuating storage-2 (EmptiedForDrain)',
        'evacuate storage-2 [storage-2] [] (EmptiedForDrain)',
        'evacuate-asked holds storage-1: AnotherEmptied',
        'wake at 600',
      ],
    ],
    [
      'drained, with another one asked for: its turn is over',
      { second: true, first: evacuating, process: emptied },
      [
        'record evacuating storage-2 (EmptiedForDrain)',
        'evacuate storage-2 [storage-2] [] (EmptiedForDrain)',
        'wake at 600',
      ],
    ],
    [
      'where the engine cannot do without one',
      { health: { zonesThatMayFail: 0 } },
      ['evacuate-asked holds storage-1: NoZoneToSpare', 'wake at 600'],
    ],
    ['where the others are in as many zones as there are copies', { health: { zonesForCopies: 2 } }, begins],
    [
      'where they are in fewer zones',
      { health: { zonesForCopies: 3 } },
      ['evacuate-asked holds storage-1: TooFewZones', 'wake at 600'],
    ],
    [
      'where copies are missing',
      { health: { fullyReplicated: false } },
      ['evacuate-asked holds storage-1: NotFullyReplicated', 'wake at 600'],
    ],
  ])('%s', (_, given, expected) => {
    expect(storage(given)).toEqual(expected);
  });
});
