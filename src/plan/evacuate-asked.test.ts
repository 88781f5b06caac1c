import { describe, expect, test } from 'vitest';
import type { ClusterSpec } from '../model/cluster-spec.ts';
import { name } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import type { Ask, Snapshot } from '../model/snapshot.ts';
import {
  at,
  givenAsk,
  givenGroup,
  givenHealth,
  givenNode,
  givenPod,
  givenProcess,
  givenReplica,
  givenRole,
  givenSnapshot,
  givenSpec,
  givenTopology,
  givenUnit,
} from '../model/testing/given.ts';
import { givenJob } from '../model/testing/given-job.ts';
import { seconds } from '../model/time.ts';
import type { EngineHealth, Replica, Topology, Unit } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { mayBeEvicted } from '../rules/verdict.ts';
import { evacuateAsked } from './evacuate-asked.ts';
import { told, toldInWords } from './testing/told.ts';

interface World {
  readonly first?: Partial<ProcessGroup>;
  readonly asks?: readonly Ask[];
  readonly cordoned?: boolean;
  readonly units?: readonly Unit[];
  readonly spec?: Partial<ClusterSpec>;
  readonly topology?: Partial<Topology>;
  readonly health?: Partial<EngineHealth>;
  readonly snapshot?: Partial<Snapshot>;
}

const nodes = ['im-1', 'im-2', 'im-3'].map((id) => `node-of-${id}`);

/** Longhorn on three nodes; the first node is drained by its cordon. */
function world({ first, asks = [], cordoned = true, units = [], spec, topology, health, snapshot }: World = {}) {
  return surveyOf(
    givenSnapshot({
      spec: givenSpec({
        engine: 'longhorn',
        ownsPods: false,
        trigger: 'Cordon',
        drainPolicy: 'block-for-eviction',
        roles: [givenRole('im', { shape: null })],
        ...spec,
      }),
      processGroups: [givenGroup('im-1', first), givenGroup('im-2'), givenGroup('im-3')],
      nodes: nodes.map((node, index) =>
        givenNode(node, index === 0 && cordoned ? { cordoned: true, cordonedSince: at(-30) } : {}),
      ),
      asks,
      topology: givenTopology({
        processes: ['im-1', 'im-2', 'im-3'].map((id) => givenProcess(id)),
        units,
        health: givenHealth({ zonesThatMayFail: null, activeGenerations: null, secondsSinceRecovery: null, ...health }),
        ...topology,
      }),
      ...snapshot,
    }),
  );
}
const said = (given: World = {}) => told(evacuateAsked(world(given)));
const verdict = (given: World) => {
  const survey = world(given);
  const [group] = survey.snapshot.processGroups;
  return group === undefined ? undefined : mayBeEvicted(survey, group).kind;
};

/** Served from a node that stays, so that nothing but its copies is in question. */
const volume = (id: string, replicas: readonly (string | Replica)[], given: Partial<Unit> = {}) =>
  givenUnit(
    id,
    replicas.map((one) => (typeof one === 'string' ? givenReplica(one) : one)),
    given,
  );
const moving = (process: string) => givenReplica(process, { movingAway: true });
const evacuating = { evacuationAt: at(-20) };

const undoes = [
  'record keeping im-1 (EvacuationCancelled)',
  'cancel-evacuation im-1 [im-1] [10.0.0.1] (EvacuationCancelled)',
];
const begins = (...units: readonly string[]) => [
  'record evacuating im-1 (EmptiedForDrain)',
  `evacuate im-1 [im-1] [] units [${units.join(' ')}] (EmptiedForDrain)`,
];

describe('Longhorn’s first test plan: block-for-eviction, with room elsewhere', () => {
  test('cordoned: the copy is recorded and told to move, and the pod waits', () => {
    const given = { units: [volume('v', ['im-1', 'im-2'])] };
    expect(said(given)).toEqual(begins('v'));
    expect(verdict(given)).toBe('wait');
  });

  test.each(['auto', 'always'] as const)(
    'the spec asks for an empty process on top, and data travels: %s',
    (dataTravels) => {
      const roles = [givenRole('im', { shape: null, evictionRequires: ['drained'], dataTravels })];
      const spec = { roles, drainPolicy: 'block-if-contains-last-replica' as const };
      expect(said({ spec, units: [volume('v', ['im-1', 'im-2'])] })).toEqual([
        'record evacuating im-1 (EmptiedForDrain)',
        'evacuate im-1 [im-1] [] (EmptiedForDrain)',
      ]);
    },
  );

  test('while it moves nothing more is told, and the progress is', () => {
    const copying = { percent: 40, bytes: 1024, secondsLeft: seconds(120) };
    const given = { first: evacuating, units: [volume('v', [moving('im-1'), 'im-2'], { copying })] };
    expect(said(given)).toEqual(['evacuate-asked holds im-1: HoldsReplicas']);
    expect(toldInWords(evacuateAsked(world(given)))).toEqual([
      'im-1 stays: 1 copy must move away first, next unit v; another copy is being made, 40 % of 1.0 KiB, about 2 min left',
    ]);
    expect(verdict(given)).toBe('wait');
  });

  test('while it is told and the next copy is not, the rest is told again', () => {
    const units = [volume('v', [moving('im-1'), 'im-2']), volume('w', ['im-1', 'im-3'])];
    expect(said({ first: evacuating, units })).toEqual(['evacuate im-1 [im-1] [] units [v w] (EmptiedForDrain)']);
  });

  test('moved: the pod may go', () => {
    const given = { first: evacuating, units: [volume('v', ['im-2', 'im-3'])] };
    expect(said(given)).toEqual([]);
    expect(verdict(given)).toBe('allow');
  });

  test('uncordoned: nothing moves any more, and that is recorded', () => {
    const given = { first: evacuating, cordoned: false, units: [volume('v', ['im-2', 'im-3'])] };
    expect(said(given)).toEqual(['record evacuation-ended im-1 (EvacuationCancelled)']);
  });
});

describe('Longhorn’s second test plan: block-for-eviction-if-contains-last-replica', () => {
  const spec = { drainPolicy: 'block-for-eviction-if-contains-last-replica' } as const;
  const single = volume('x', ['im-1']);
  const triple = volume('y', ['im-1', 'im-2', 'im-3']);

  test('only the last copy moves', () => {
    expect(said({ spec, units: [triple, single] })).toEqual(begins('x'));
    expect(verdict({ spec, units: [triple, single] })).toBe('wait');
  });

  test('a copy that is on its way when another protects the unit is left to arrive', () => {
    const given = { spec, first: evacuating, units: [triple, volume('x', [moving('im-1'), 'im-2'])] };
    expect(said(given)).toEqual([]);
    expect(verdict(given)).toBe('allow');
  });

  test('moved: the pod goes, and the volume with three copies is degraded for a while', () => {
    const given = { spec, first: evacuating, units: [triple, volume('x', ['im-2'])] };
    expect(said(given)).toEqual([]);
    expect(verdict(given)).toBe('allow');
  });
});

describe('Longhorn’s third test plan: block-for-eviction, and no room', () => {
  const stuck = volume('v', [moving('im-1'), 'im-2', 'im-3'], { unplaceable: 'precheck new replica failed' });

  test('the drain does not end, and it is said why', () => {
    const given = { first: evacuating, units: [stuck] };
    expect(said(given)).toEqual([
      'evacuate-asked holds im-1: CannotPlaceCopy',
      'evacuate-asked holds im-1: HoldsReplicas',
    ]);
    expect(toldInWords(evacuateAsked(world(given)))[0]).toContain('unit v: precheck new replica failed');
    expect(verdict(given)).toBe('wait');
  });

  test('the engine is told all the same', () => {
    const untold = { ...stuck, replicas: [givenReplica('im-1'), givenReplica('im-2')] };
    expect(said({ units: [untold] })).toEqual([...begins('v'), 'evacuate-asked holds im-1: CannotPlaceCopy']);
  });

  test('uncordoned: it is undone until the engine shows it', () => {
    const given = { first: evacuating, cordoned: false };
    expect(said({ ...given, units: [stuck] })).toEqual(undoes);
    expect(said({ ...given, units: [volume('v', ['im-1', 'im-2', 'im-3'])] })).toEqual([
      'record evacuation-ended im-1 (EvacuationCancelled)',
    ]);
  });
});

describe('the five policies move by themselves', () => {
  const units = [volume('last', ['im-1']), volume('safe', ['im-1', 'im-2'])];
  test.each`
    policy                                           | moved
    ${'block-if-contains-last-replica'}              | ${[]}
    ${'allow-if-replica-is-stopped'}                 | ${[]}
    ${'always-allow'}                                | ${[]}
    ${'block-for-eviction'}                          | ${begins('last', 'safe')}
    ${'block-for-eviction-if-contains-last-replica'} | ${begins('last')}
  `('$policy: $moved', ({ policy, moved }) => {
    expect(said({ spec: { drainPolicy: policy }, units })).toEqual(moved);
  });

  test('each unit has its own', () => {
    const labelled = [volume('last', ['im-1'], { labels: { move: 'no' } }), volume('safe', ['im-1', 'im-2'])];
    const unitPolicies = [{ matchLabels: { move: 'no' }, drainPolicy: 'always-allow' } as const];
    expect(said({ spec: { unitPolicies }, units: labelled })).toEqual(begins('safe'));
  });
});

describe('who is emptied', () => {
  const units = [volume('v', ['im-1', 'im-2'])];
  const asks = [givenAsk('im-1')];

  test.each`
    trigger       | cordoned | asked    | outcome
    ${'Cordon'}   | ${true}  | ${false} | ${begins('v')}
    ${'Cordon'}   | ${false} | ${false} | ${[]}
    ${'Cordon'}   | ${true}  | ${true}  | ${begins('v')}
    ${'Cordon'}   | ${false} | ${true}  | ${[...begins('v'), 'wake at 600']}
    ${'Eviction'} | ${true}  | ${false} | ${[]}
    ${'Eviction'} | ${false} | ${true}  | ${[...begins('v'), 'wake at 600']}
  `('trigger $trigger, cordoned $cordoned, asked $asked: $outcome', ({ trigger, cordoned, asked, outcome }) => {
    expect(said({ spec: { trigger }, cordoned, asks: asked ? asks : [], units })).toEqual(outcome);
  });

  test('an ask about the pod that had the name before does not count', () => {
    const before = [givenAsk('im-1', { pod: 'uid-before' })];
    expect(said({ spec: { trigger: 'Eviction' }, asks: before, units })).toEqual([]);
  });

  test('an ask that nobody repeats lapses', () => {
    const given = { spec: { trigger: 'Eviction' } as const, cordoned: false, first: evacuating, units };
    const old = (lastSeen: number) => [givenAsk('im-1', { lastSeen: at(lastSeen) })];
    expect(said({ ...given, asks: old(-599) })).toEqual([
      'evacuate im-1 [im-1] [] units [v] (EmptiedForDrain)',
      'wake at 1',
    ]);
    expect(said({ ...given, asks: old(-600) })).toEqual(['record evacuation-ended im-1 (EvacuationCancelled)']);
  });

  test('a role that leaves in another way is not', () => {
    const spec = { engine: 'foundationdb', roles: [givenRole('im')] } as const;
    expect(said({ spec, units })).toEqual([]);
  });

  test.each`
    which           | first
    ${'is marked'}  | ${{ removal: { at: at(-9), cause: 'Requested', withoutExclusion: false } }}
    ${'has no pod'} | ${{ pod: null, evacuationAt: at(-20) }}
    ${'is going'}   | ${{ pod: givenPod('im-1', { deletingSince: at(-1) }) }}
  `('one that $which is not', ({ first }) => {
    expect(said({ first, units })).toEqual([]);
  });

  test('one that is going wakes nobody, unless there is something to undo', () => {
    const pod = givenPod('im-1', { deletingSince: at(-1) });
    const given = { spec: { trigger: 'Eviction' } as const, asks, units };
    expect(said({ ...given, first: { pod } })).toEqual([]);
    expect(said({ ...given, first: { pod, ...evacuating } })).toEqual(['wake at 600']);
  });

  test('one that is held is looked at again when nobody asks any more', () => {
    const given = { spec: { trigger: 'Eviction' } as const, asks, units };
    expect(said({ ...given, health: { available: false } })).toEqual([
      'evacuate-asked holds im-1: EngineUnavailable',
      'wake at 600',
    ]);
  });

  test('nothing is moved to nodes that are leaving', () => {
    const both = [givenAsk('im-2', { node: 'node-of-im-2' }), givenAsk('im-9', { node: null })];
    const { actions } = evacuateAsked(world({ units, asks: both }));
    expect(actions[0]?.reason.message).toBe(
      'im-1 is being emptied: the cordon of node-of-im-1 wants it gone; 1 copy moves away, not to node-of-im-1 and node-of-im-2',
    );
  });

  test('a cordon that is not the trigger makes no node a leaving one', () => {
    const spec = { trigger: 'Eviction' } as const;
    const { actions } = evacuateAsked(
      world({
        spec,
        units,
        cordoned: false,
        asks,
        snapshot: { nodes: nodes.map((node, index) => givenNode(node, { cordoned: index === 2 })) },
      }),
    );
    expect(actions[0]?.reason.evidence).toMatchObject({ avoid: ['node-of-im-1'], copies: 1, by: 'jane' });
  });
});

describe('the engine is told when it can be', () => {
  const units = [volume('v', ['im-1', 'im-2'])];

  test.each`
    health                                    | outcome
    ${{ available: false }}                   | ${['evacuate-asked holds im-1: EngineUnavailable']}
    ${{ secondsSinceRecovery: seconds(119) }} | ${['evacuate-asked holds im-1: RecentRecovery until at 1', 'wake at 1']}
    ${{ secondsSinceRecovery: seconds(120) }} | ${begins('v')}
  `('$health: $outcome', ({ health, outcome }) => {
    expect(said({ units, health })).toEqual(outcome);
  });

  test('a job that failed is tried again at its time', () => {
    const failed = givenJob('im-1', { state: 'Failed', retryAt: at(1) });
    const given = { first: evacuating, units };
    expect(said({ ...given, snapshot: { jobs: [failed] } })).toEqual([
      'evacuate-asked holds im-1: JobFailed until at 1',
      'wake at 1',
    ]);
    expect(said({ ...given, snapshot: { jobs: [{ ...failed, retryAt: at(0) }] } })).toEqual([
      'evacuate im-1 [im-1] [] units [v] (EmptiedForDrain)',
    ]);
  });

  test('an engine that cannot be read is neither told nor asked', () => {
    const topology = { unreachable: 'refused', since: at(-5) };
    expect(said({ snapshot: { topology } })).toEqual([]);
    const undone = evacuateAsked(world({ first: evacuating, cordoned: false, snapshot: { topology } }));
    expect(told(undone)).toEqual(['evacuate-asked holds im-1: EngineUnreachable']);
    expect(toldInWords(undone)[0]).toContain('im-1 is not told to keep its data yet');
  });
});

describe('when nobody wants it gone any more', () => {
  const given = { first: evacuating, cordoned: false };

  test.each`
    evacuated | outcome
    ${at(-1)} | ${['record evacuation-ended im-1 (EvacuationCancelled)']}
    ${at(0)}  | ${undoes}
  `('an observation from before it was told shows nothing: $evacuated', ({ evacuated, outcome }) => {
    expect(said({ ...given, first: { evacuationAt: evacuated }, units: [volume('v', ['im-1'])] })).toEqual(outcome);
  });

  test.each`
    what                           | unit                                                                                          | leftovers
    ${'a rebuild that goes on'}    | ${volume('v', [moving('im-1'), givenReplica('im-2', { state: 'rebuilding' })])}               | ${['unit v']}
    ${'a copy that is being made'} | ${volume('v', [moving('im-1')], { copying: { percent: 5, bytes: null, secondsLeft: null } })} | ${['unit v']}
    ${'one that is being deleted'} | ${volume('v', [moving('im-1'), givenReplica('im-2', { state: 'rebuilding', doomed: true })])} | ${[]}
    ${'nothing begun'}             | ${volume('v', [moving('im-1'), 'im-2'])}                                                      | ${[]}
  `('the leftover copy stays and is reported: $what', ({ unit, leftovers }) => {
    const { actions } = evacuateAsked(world({ ...given, units: [unit] }));
    expect(actions).toMatchObject([
      { act: 'cancel-evacuation', reason: { evidence: { leftovers, because: 'nobody wants it gone any more' } } },
    ]);
  });

  test.each`
    excluded   | outcome
    ${false}   | ${['record evacuation-ended im-1 (EvacuationCancelled)']}
    ${true}    | ${undoes}
    ${unknown} | ${undoes}
  `('it is over when the engine shows it, excluded: $excluded', ({ excluded, outcome }) => {
    const processes = [givenProcess('im-1', { excluded }), givenProcess('im-2'), givenProcess('im-3')];
    expect(said({ ...given, units: [volume('v', ['im-1'])], topology: { processes } })).toEqual(outcome);
  });

  test('one copy of two that still moves is enough to go on', () => {
    expect(said({ ...given, units: [volume('v', ['im-1']), volume('w', [moving('im-1'), 'im-2'])] })).toEqual(undoes);
  });

  test('leftovers are named in order', () => {
    const copying = { percent: 5, bytes: null, secondsLeft: null };
    const units = ['w', 'v'].map((id) => volume(id, [moving('im-1')], { copying }));
    const { actions } = evacuateAsked(world({ ...given, units }));
    expect(actions[0]?.reason.evidence).toMatchObject({ leftovers: ['unit v', 'unit w'] });
  });

  test('a cancel list has its own step', () => {
    expect(
      said({ ...given, spec: { cancelReplacements: [name('im-1')] }, units: [volume('v', [moving('im-1')])] }),
    ).toEqual([]);
  });

  test('what was never begun needs no undoing', () => {
    expect(said({ cordoned: false, units: [volume('v', [moving('im-1')])] })).toEqual([]);
  });
});

describe('when the policy changes while copies move', () => {
  const units = [volume('v', [moving('im-1'), 'im-2'])];

  test('to one that moves nothing: undone', () => {
    const { actions } = evacuateAsked(world({ first: evacuating, spec: { drainPolicy: 'always-allow' }, units }));
    expect(actions).toMatchObject([
      { act: 'cancel-evacuation', reason: { evidence: { because: 'the drain policy does not ask for it any more' } } },
    ]);
  });

  test('what a person moves is left alone', () => {
    expect(said({ spec: { drainPolicy: 'always-allow' }, units })).toEqual([]);
  });

  test('to one that moves nothing for some: what others move by is left to arrive', () => {
    const unitPolicies = [{ matchLabels: { move: 'no' }, drainPolicy: 'always-allow' } as const];
    const drainPolicy = 'block-for-eviction-if-contains-last-replica';
    const both = [volume('w', [moving('im-1'), 'im-2'], { labels: { move: 'no' } }), ...units];
    expect(said({ first: evacuating, spec: { unitPolicies, drainPolicy }, units: both })).toEqual([]);
  });

  test('while one unit still moves, the others are left to arrive', () => {
    const unitPolicies = [{ matchLabels: { move: 'no' }, drainPolicy: 'always-allow' } as const];
    const both = [volume('w', [moving('im-1'), 'im-2'], { labels: { move: 'no' } }), ...units];
    expect(said({ first: evacuating, spec: { unitPolicies }, units: both })).toEqual([
      'evacuate-asked holds im-1: HoldsReplicas',
    ]);
  });
});
