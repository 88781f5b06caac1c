import { describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../model/cluster-spec.ts';
import type { Step } from '../model/decision.ts';
import type { Zone } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { Pod, ProcessGroup } from '../model/process-group.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  at,
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
} from '../model/testing/given.ts';
import { seconds } from '../model/time.ts';
import type { EngineHealth, Process } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { maintain } from './maintenance.ts';
import { recreate } from './recreate.ts';
import { told, toldInWords } from './testing/told.ts';

const zone = (text: string): Zone => name(text);
const old = givenShape({ specHash: 'pod-0' });
const outdated = (id: string, given: Partial<Pod> = {}) =>
  givenGroup(id, { zone: 'a', pod: givenPod(id, { shape: old, ...given }) });
const current = (id: string, given: Partial<Pod> = {}) => givenGroup(id, { zone: 'a', pod: givenPod(id, given) });
const elsewhere = givenGroup('storage-7', { zone: 'b' });

const recorded = { zone: zone('a'), since: at(-100), until: at(500) };
const confirmed = { zone: zone('a'), until: at(500) };
const other = { zone: zone('b'), until: at(300) };

interface World {
  readonly groups?: readonly ProcessGroup[];
  readonly processes?: readonly Process[];
  readonly spec?: Partial<ClusterSpec>;
  readonly maintenance?: Snapshot['maintenance'];
  readonly engine?: EngineHealth['maintenance'];
  readonly health?: Partial<EngineHealth>;
  readonly snapshot?: Partial<Snapshot>;
}

function world({
  groups = [outdated('storage-1'), elsewhere],
  processes,
  spec,
  maintenance = null,
  engine = 'off',
  health,
  snapshot,
}: World) {
  return surveyOf(
    givenSnapshot({
      spec: givenSpec({
        roles: [givenRole('storage', { count: 2 }), givenRole('log', { count: 1 }), givenRole('test', { count: 1 })],
        podUpdateStrategy: 'Delete',
        maintenance: { use: true, time: seconds(600) },
        ...spec,
      }),
      processGroups: groups,
      maintenance,
      topology: givenTopology({
        processes: processes ?? groups.map(({ id, zone: where }) => givenProcess(id, { zone: where })),
        health: givenHealth({ maintenance: engine, ...health }),
        quorums: [givenQuorum('coordinators', ['log-9'], { membersMove: true })],
      }),
      ...snapshot,
    }),
  );
}

const recreates = (given: World = {}) => told(recreate(world(given)));
const maintains = (given: World = {}) => told(maintain(world({ maintenance: recorded, engine: confirmed, ...given })));

const deletes = (id: string) => `delete-pod ${id} uid-${id}@1 (PodOutdated)`;

describe('the engine knows of a zone before its data is taken down', () => {
  const begins = [
    'record maintenance-on a until at 600 (MaintenanceOn)',
    'maintenance-on a for 600 s (MaintenanceOn)',
    'recreate holds storage-1: MaintenancePending',
  ];

  test('recorded, told, and nothing deleted yet', () => {
    expect(recreates()).toEqual(begins);
  });

  test('recorded and not confirmed: told again', () => {
    expect(recreates({ maintenance: recorded })).toEqual([
      'maintenance-on a for 600 s (MaintenanceOn)',
      'recreate holds storage-1: MaintenancePending',
    ]);
    expect(recreates({ maintenance: recorded, engine: unknown })).toEqual([
      'maintenance-on a for 600 s (MaintenanceOn)',
      'recreate holds storage-1: MaintenancePending',
    ]);
  });

  test('confirmed: deleted', () => {
    expect(recreates({ maintenance: recorded, engine: confirmed })).toEqual([deletes('storage-1')]);
  });

  test('what a person set for the same zone is recorded as ours first', () => {
    expect(recreates({ engine: confirmed })).toEqual(begins);
  });

  test.each`
    what                                 | given
    ${'it is not used'}                  | ${{ spec: { maintenance: { use: false, time: seconds(600) } } }}
    ${'the engine has no such notion'}   | ${{ engine: null }}
    ${'only a log is made again'}        | ${{ groups: [givenGroup('log-1', { zone: 'a', pod: givenPod('log-1', { shape: old }) }), elsewhere] }}
    ${'nothing with data is made again'} | ${{ groups: [givenGroup('test-1', { zone: 'a', pod: givenPod('test-1', { shape: old }) }), elsewhere] }}
    ${'nobody knows its zone'}           | ${{ groups: [givenGroup('storage-1', { zone: null, pod: givenPod('storage-1', { shape: old }) })] }}
  `('not where $what', ({ given }) => {
    const lines = recreates(given);
    expect(lines.some((line) => line.startsWith('delete-pod'))).toBe(true);
    expect(lines.some((line) => line.includes('maintenance'))).toBe(false);
  });

  test('deletionMode All does without', () => {
    expect(recreates({ spec: { deletionMode: 'All' } })).toEqual([
      'record granted storage-1 uid-storage-1 on node-of-storage-1 at 0 exempt: deletionMode is All (AllAtOnce)',
      'delete-pod storage-1 uid-storage-1@1 (AllAtOnce)',
    ]);
  });

  test('ProcessGroup does not', () => {
    expect(recreates({ spec: { deletionMode: 'ProcessGroup' } })).toEqual(begins);
  });

  test.each`
    where                   | given
    ${'as recorded'}        | ${{ maintenance: { ...other, since: at(-100) }, engine: 'off' }}
    ${'as the engine says'} | ${{ engine: other }}
    ${'as both say'}        | ${{ maintenance: { ...other, since: at(-100) }, engine: other }}
  `('only one zone can be: another is under maintenance, $where', ({ given }) => {
    expect(recreates(given)).toEqual(['recreate holds storage-1: MaintenanceElsewhere until at 300', 'wake at 300']);
  });

  test('at its end the other zone is in nobody’s way', () => {
    expect(recreates({ engine: { zone: zone('b'), until: at(0) } })).toEqual(begins);
    expect(recreates({ engine: { zone: zone('b'), until: at(1) } })).toEqual([
      'recreate holds storage-1: MaintenanceElsewhere until at 1',
      'wake at 1',
    ]);
  });

  test('a zone without data goes ahead of one that has to wait for its turn', () => {
    const groups = [
      outdated('storage-1'),
      givenGroup('log-2', { zone: 'c', pod: givenPod('log-2', { shape: old }) }),
      elsewhere,
    ];
    expect(recreates({ groups, engine: other })).toEqual([
      deletes('log-2'),
      'recreate holds storage-1: MaintenanceElsewhere until at 300',
      'wake at 300',
    ]);
  });

  test('the zone that is under maintenance comes before one whose name does', () => {
    const groups = [
      outdated('storage-1'),
      givenGroup('storage-2', { zone: 'z', pod: givenPod('storage-2', { shape: old }) }),
    ];
    const inZ = { zone: zone('z'), since: at(-1), until: at(500) };
    expect(recreates({ groups, maintenance: inZ, engine: inZ })).toEqual([
      deletes('storage-2'),
      'recreate holds storage-1: AnotherBatch',
    ]);
  });
});

describe('maintenance ends when the pods are back', () => {
  const off = ['maintenance-off (MaintenanceOver)', 'wake at 500'];
  const goesOn = ['maintenance holds all: MaintenanceOn until at 500', 'wake at 500'];
  const backPod = { createdAt: at(-50) };
  const back = {
    groups: [current('storage-1', backPod), elsewhere],
    processes: [givenProcess('storage-1', { startedAt: at(-40) })],
  };

  test('where none was begun there is nothing to say', () => {
    expect(told(maintain(world({ maintenance: null, engine: confirmed })))).toEqual([]);
  });

  test('back and caught up: the engine is told, and it stays recorded until the engine shows it', () => {
    expect(maintains(back)).toEqual(off);
    expect(maintains({ ...back, engine: 'off' })).toEqual(['record maintenance-off (MaintenanceOver)']);
  });

  test.each`
    caughtUp   | outcome
    ${true}    | ${off}
    ${null}    | ${off}
    ${false}   | ${['maintenance holds all: NotCaughtUp', 'wake at 500']}
    ${unknown} | ${['maintenance holds all: NotCaughtUp', 'wake at 500']}
  `('caught up: $caughtUp', ({ caughtUp, outcome }) => {
    expect(maintains({ ...back, health: { caughtUp } })).toEqual(outcome);
  });

  test.each`
    what                 | given
    ${'still outdated'}  | ${{ groups: [outdated('storage-1'), elsewhere] }}
    ${'away'}            | ${{ groups: [givenGroup('storage-1', { zone: 'a', pod: null }), elsewhere] }}
    ${'going'}           | ${{ ...back, groups: [current('storage-1', { ...backPod, deletingSince: at(-1) }), elsewhere] }}
    ${'silent'}          | ${{ ...back, processes: [] }}
    ${'not answering'}   | ${{ ...back, processes: [givenProcess('storage-1', { startedAt: at(-40), responds: false })] }}
    ${'only remembered'} | ${{ ...back, processes: [givenProcess('storage-1', { startedAt: at(-51) })] }}
  `('one pod $what keeps it on', ({ given }) => {
    expect(maintains(given)).toEqual(goesOn);
  });

  test('one of two is enough to keep it on', () => {
    const one = { processes: [givenProcess('storage-1', { startedAt: at(-40) })] };
    expect(maintains({ groups: [current('storage-1', backPod), outdated('storage-2')], ...one })).toEqual(goesOn);
    expect(maintains({ groups: [current('storage-1', backPod), current('storage-2', backPod)], ...one })).toEqual(
      goesOn,
    );
  });

  test.each`
    whose                   | group
    ${'of another zone'}    | ${givenGroup('storage-3', { zone: 'b', pod: null })}
    ${'without data'}       | ${givenGroup('test-3', { zone: 'a', pod: null })}
    ${'of the log'}         | ${givenGroup('log-3', { zone: 'a', pod: null })}
    ${'that leaves anyway'} | ${givenGroup('storage-3', { zone: 'a', pod: null, removal: { at: at(-9), cause: 'Requested', withoutExclusion: false } })}
  `('a pod $whose is not waited for', ({ group }) => {
    expect(maintains({ ...back, groups: [...back.groups, group] })).toEqual(off);
  });

  test('an engine that cannot be read says nothing about it', () => {
    const topology = { unreachable: 'refused', since: at(-5) };
    expect(maintains({ ...back, snapshot: { topology } })).toEqual(goesOn);
    expect(maintains({ ...back, engine: unknown })).toEqual(goesOn);
  });

  test('an engine without the notion, or one that ended it by itself, ends it', () => {
    expect(maintains({ ...back, engine: null })).toEqual(['record maintenance-off (MaintenanceOver)']);
    expect(maintains({ groups: [givenGroup('storage-1', { zone: 'a', pod: null })], engine: 'off' })).toEqual([
      'record maintenance-off (MaintenanceOver)',
    ]);
    expect(maintains({ ...back, engine: other })).toEqual(['record maintenance-off (MaintenanceOver)']);
  });

  test('not told yet is not ended: while pods are to be made again, it stays on', () => {
    expect(maintains({ engine: 'off' })).toEqual(goesOn);
  });

  test.each`
    why                      | given                             | because
    ${'its time is over'}    | ${{ snapshot: { now: at(500) } }} | ${'its time is over'}
    ${'the engine ended it'} | ${{ ...back, engine: 'off' }}     | ${'the engine ended it'}
    ${'its pods are back'}   | ${back}                           | ${'its pods are back'}
  `('and says why: $why', ({ given, because }) => {
    const step = maintain(world({ maintenance: recorded, engine: confirmed, ...given }));
    const said = [...step.records, ...step.actions];
    expect(said[0]).toMatchObject({ reason: { message: `the maintenance of a ends: ${because}` } });
  });

  test('what it waits for is told', () => {
    expect(toldInWords(maintain(world({ maintenance: recorded, engine: confirmed })))).toEqual([
      'a is under maintenance until 2026-11-15T00:08:20Z',
    ]);
  });
});

describe('maintenance ends when its time is over', () => {
  test.each`
    now    | engine       | outcome
    ${499} | ${confirmed} | ${['maintenance holds all: MaintenanceOn until at 500', 'wake at 500']}
    ${500} | ${confirmed} | ${['record maintenance-off (MaintenanceOver)', 'maintenance-off (MaintenanceOver)']}
    ${500} | ${'off'}     | ${['record maintenance-off (MaintenanceOver)']}
    ${500} | ${other}     | ${['record maintenance-off (MaintenanceOver)']}
    ${500} | ${unknown}   | ${['record maintenance-off (MaintenanceOver)']}
    ${500} | ${null}      | ${['record maintenance-off (MaintenanceOver)']}
  `('at $now, the engine says $engine: $outcome', ({ now, engine, outcome }) => {
    expect(maintains({ engine, snapshot: { now: at(now) } })).toEqual(outcome);
  });

  test('also when the engine cannot be read', () => {
    const topology = { unreachable: 'refused', since: at(-5) };
    expect(maintains({ snapshot: { topology, now: at(500) } })).toEqual(['record maintenance-off (MaintenanceOver)']);
  });
});

/** A little world: what is decided is done at once, or not at all when the operator dies first. */
describe('a crash at any point ends the same', () => {
  interface Little {
    readonly pod: 'old' | 'none' | 'new';
    readonly engine: EngineHealth['maintenance'];
    readonly maintenance: Snapshot['maintenance'];
    readonly now: number;
  }
  const start: Little = { pod: 'old', engine: 'off', maintenance: null, now: 0 };

  const snapshotOf = ({ pod, engine, maintenance, now }: Little): Snapshot =>
    world({
      groups: [
        pod === 'old'
          ? outdated('storage-1')
          : pod === 'none'
            ? givenGroup('storage-1', { zone: 'a', pod: null })
            : current('storage-1', { createdAt: at(0) }),
        elsewhere,
      ],
      processes: [
        ...(pod === 'none'
          ? []
          : [givenProcess('storage-1', { zone: 'a', startedAt: pod === 'new' ? at(1) : at(-9000) })]),
        givenProcess('storage-7', { zone: 'b' }),
      ],
      engine,
      maintenance,
      snapshot: { now: at(now) },
    }).snapshot;

  const act = (little: Little, { actions }: Step): Little =>
    actions.reduce<Little>((next, action) => {
      const { engine, pod } = next;
      const told = action.act === 'maintenance-on' ? { zone: action.zone, until: at(next.now + action.time) } : engine;
      return {
        ...little,
        engine: action.act === 'maintenance-off' ? 'off' : told,
        pod: action.act === 'delete-pod' ? 'none' : pod,
      };
    }, little);

  /** One turn of the operator; it dies before this many of its writes and acts. */
  function turn(little: Little, diesAt: number): Little {
    const back = little.pod === 'none' ? { ...little, pod: 'new' as const } : little;
    const maintained = carryOut(back, maintain, diesAt);
    const recreated = carryOut(maintained.little, recreate, maintained.left);
    return recreated.left < 0 ? recreated.little : { ...recreated.little, now: recreated.little.now + 5 };
  }

  /** Records, then acts, as far as it lives. `left` below zero: it died. */
  function carryOut(little: Little, decide: (survey: Survey) => Step, lives: number): { little: Little; left: number } {
    if (lives < 0) return { little, left: lives };
    const snapshot = snapshotOf(little);
    const step = decide(surveyOf(snapshot));
    const afterRecord = lives - Number(step.records.length > 0);
    if (afterRecord < 0) return { little, left: afterRecord };
    const recorded = { ...little, maintenance: applyRecords(snapshot, step.records).maintenance };
    const afterAct = afterRecord - Number(step.actions.length > 0);
    return { little: afterAct < 0 ? recorded : act(recorded, step), left: afterAct };
  }

  const run = (diesAt: number): Little => {
    let little = turn(start, diesAt);
    for (let turns = 0; turns < 20; turns += 1) little = turn(little, turns === 3 ? diesAt : 99);
    return little;
  };

  test.each([0, 1, 2, 3, 99])('dying before write %i', (diesAt) => {
    expect(run(diesAt)).toMatchObject({ pod: 'new', engine: 'off', maintenance: null });
  });
});
