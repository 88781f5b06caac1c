import { describe, expect, test } from 'vitest';
import type { DrainPolicy, UnitPolicy } from '../model/cluster-spec.ts';
import { drainPolicies } from '../model/cluster-spec.ts';
import { unknown } from '../model/known.ts';
import {
  givenClaim,
  givenGroup,
  givenNode,
  givenPod,
  givenProcess,
  givenReplica,
  givenRole,
  givenUnit,
} from '../model/testing/given.ts';
import { seconds } from '../model/time.ts';
import type { Replica } from '../model/topology.ts';
import { copiesToMove, exemptionOf, mayGoByPolicy, unitsSurvive } from './drain-policy.ts';
import type { Scene } from './testing/scene.ts';
import { evictionOf, inWords, questionIn, sentencesOf } from './testing/scene.ts';

const managers = ['im-1', 'im-2', 'im-3'];
const groups = managers.map((id) => givenGroup(id, { claim: 'none', pod: givenPod(id, { node: `n-${id}` }) }));
const nodes = managers.map((id) => givenNode(`n-${id}`));

/** A volume with its first copy on im-1, which is to go; the engine that serves it runs elsewhere. */
const volume = (copies: readonly Partial<Replica>[], given = {}): Scene => ({
  engine: 'longhorn',
  groups,
  snapshot: { nodes },
  units: [
    givenUnit(
      'v1',
      copies.map((copy, index) => givenReplica(managers[index] ?? '', copy)),
      given,
    ),
  ],
});

const short: { readonly [code: string]: string } = {
  allow: '-',
  'wait LastReplica': 'last',
  'wait LastRunningReplica': 'running',
  'wait NoHealthyReplica': 'failed',
  'wait HoldsReplicas': 'holds',
  'wait FactUnknown': 'unknown',
};
/** In this order the tables below give the answers. */
const columns: readonly DrainPolicy[] = [
  'always-allow',
  'allow-if-replica-is-stopped',
  'block-if-contains-last-replica',
  'block-for-eviction-if-contains-last-replica',
  'block-for-eviction',
];
const acrossPolicies = (scene: Scene): string =>
  columns
    .map((policy) => evictionOf({ ...scene, policy }, 'im-1'))
    .map((answer) => short[answer] ?? answer)
    .join(' ');

describe('the five policies, by what the copy on the node and its siblings are like', () => {
  const [healthy, stopped]: Partial<Replica>[] = [{}, { running: false }];
  const [failed, failedStopped]: Partial<Replica>[] = [{ state: 'failed' }, { state: 'failed', running: false }];
  const [rebuilding, unused]: Partial<Replica>[] = [{ state: 'rebuilding', inSync: false }, { state: 'unused' }];
  const stoppedUnused: Partial<Replica> = { state: 'unused', running: false };
  test.each`
    situation                          | copies                               | expected
    ${'healthy, alone'}                | ${[healthy]}                         | ${'- running last last holds'}
    ${'healthy, one sibling'}          | ${[healthy, healthy]}                | ${'- - - - holds'}
    ${'healthy, two siblings'}         | ${[healthy, healthy, healthy]}       | ${'- - - - holds'}
    ${'failed, alone'}                 | ${[failed]}                          | ${'- failed failed failed holds'}
    ${'failed, one sibling'}           | ${[failed, healthy]}                 | ${'- - - - holds'}
    ${'failed, two siblings'}          | ${[failed, healthy, healthy]}        | ${'- - - - holds'}
    ${'failed and stopped, alone'}     | ${[failedStopped]}                   | ${'- - failed failed holds'}
    ${'failed and stopped, sibling'}   | ${[failedStopped, healthy]}          | ${'- - - - holds'}
    ${'all three failed'}              | ${[failed, failed, failed]}          | ${'- failed failed failed holds'}
    ${'stopped, alone'}                | ${[stopped]}                         | ${'- - last last holds'}
    ${'stopped, running sibling'}      | ${[stopped, healthy]}                | ${'- - - - holds'}
    ${'running, stopped sibling'}      | ${[healthy, stopped]}                | ${'- running - - holds'}
    ${'running, stopped and running'}  | ${[healthy, stopped, healthy]}       | ${'- - - - holds'}
    ${'rebuilding, alone'}             | ${[rebuilding]}                      | ${'- - - - holds'}
    ${'rebuilding, one sibling'}       | ${[rebuilding, healthy]}             | ${'- - - - holds'}
    ${'sibling rebuilding'}            | ${[healthy, rebuilding]}             | ${'- running last last holds'}
    ${'both siblings rebuilding'}      | ${[healthy, rebuilding, rebuilding]} | ${'- running last last holds'}
    ${'one sibling of two rebuilding'} | ${[healthy, rebuilding, healthy]}    | ${'- - - - holds'}
    ${'sibling failed'}                | ${[healthy, failed]}                 | ${'- running last last holds'}
    ${'one sibling of two failed'}     | ${[healthy, failed, healthy]}        | ${'- - - - holds'}
    ${'both siblings failed'}          | ${[healthy, failed, failed]}         | ${'- running last last holds'}
    ${'never attached, alone'}         | ${[stoppedUnused]}                   | ${'- - - - holds'}
    ${'never attached, two copies'}    | ${[stoppedUnused, stoppedUnused]}    | ${'- - - - holds'}
    ${'never attached, three copies'}  | ${[unused, unused, unused]}          | ${'- - - - holds'}
    ${'only the sibling never used'}   | ${[healthy, unused]}                 | ${'- running last last holds'}
    ${'no copy here'}                  | ${[]}                                | ${'- - - - -'}
  `('$situation: $expected', ({ copies, expected }) => {
    expect(acrossPolicies(volume(copies))).toBe(expected);
  });

  test.each`
    copies | expected
    ${1}   | ${'- - last last holds'}
    ${2}   | ${'- - - - holds'}
    ${3}   | ${'- - - - holds'}
  `('detached, $copies copies: $expected', ({ copies, expected }) => {
    const all = Array.from({ length: copies }, () => ({ running: false }));
    expect(acrossPolicies(volume(all, { attached: false }))).toBe(expected);
  });

  test.each`
    others        | copies | expected
    ${'down'}     | ${1}   | ${'- running last last holds'}
    ${'down'}     | ${2}   | ${'- running last last holds'}
    ${'down'}     | ${3}   | ${'- running last last holds'}
    ${'deleted'}  | ${2}   | ${'- running last last holds'}
    ${'deleted'}  | ${3}   | ${'- running last last holds'}
    ${'cordoned'} | ${1}   | ${'- running last last holds'}
    ${'cordoned'} | ${2}   | ${'- - - - holds'}
    ${'cordoned'} | ${3}   | ${'- - - - holds'}
  `('the other nodes $others, $copies copies: $expected', ({ others, copies, expected }) => {
    const scene = volume(Array.from({ length: copies }, () => ({})));
    const changed = nodes.map((node, index) => {
      const touched = index > 0;
      return { ...node, ready: !(touched && others === 'down'), cordoned: touched && others === 'cordoned' };
    });
    const seen = others === 'deleted' ? changed.slice(0, 1) : changed;
    expect(acrossPolicies({ ...scene, snapshot: { nodes: seen } })).toBe(expected);
  });

  test('one node of two being down leaves the other to protect', () => {
    const down = nodes.map((node, index) => ({ ...node, ready: index !== 1 }));
    expect(acrossPolicies({ ...volume([{}, {}, {}]), snapshot: { nodes: down } })).toBe('- - - - holds');
  });

  test('a group with two processes: its own second copy does not protect', () => {
    const scene = volume([{}, {}]);
    const second = givenProcess('im-2', { group: 'im-1' });
    expect(acrossPolicies({ ...scene, processes: [second] })).toBe('- running last last holds');
  });

  test.each`
    fact         | copies                                       | expected
    ${'state'}   | ${[{ state: unknown }]}                      | ${'- unknown unknown unknown holds'}
    ${'state'}   | ${[{ state: unknown }, {}]}                  | ${'- - - - holds'}
    ${'running'} | ${[{ running: unknown }]}                    | ${'- unknown last last holds'}
    ${'running'} | ${[{}, { running: unknown }]}                | ${'- unknown - - holds'}
    ${'sibling'} | ${[{}, { state: unknown }]}                  | ${'- unknown unknown unknown holds'}
    ${'in sync'} | ${[{}, { inSync: unknown }]}                 | ${'- unknown unknown unknown holds'}
    ${'in sync'} | ${[{ inSync: unknown }]}                     | ${'- running last last holds'}
    ${'in sync'} | ${[{ inSync: false }]}                       | ${'- running last last holds'}
    ${'sibling'} | ${[{}, { state: unknown }, {}]}              | ${'- - - - holds'}
    ${'both'}    | ${[{ state: unknown }, { inSync: unknown }]} | ${'- unknown unknown unknown holds'}
  `('$fact not known, $copies: $expected', ({ copies, expected }) => {
    expect(acrossPolicies(volume(copies))).toBe(expected);
  });
});

describe('what a policy says to people', () => {
  const said = (scene: Scene) => sentencesOf(mayGoByPolicy(questionIn(scene, 'im-1')));

  test('the last copy: why the others do not count, how many more, and how far the next one is', () => {
    const copying = { percent: 62, bytes: 1024 ** 3, secondsLeft: seconds(240) };
    const scene = volume([{}, { state: 'failed' }, { inSync: false }], { copying });
    const more = [givenUnit('v3', ['im-1']), givenUnit('v2', ['im-1'])];
    const units = [...more, ...(scene.units ?? [])];
    expect(said({ ...scene, units })).toEqual([
      'im-1 stays: it holds the only healthy copy of unit v1 (im-2: failed and im-3: not in sync), and of 2 other units; another copy is being made, 62 % of 1.0 GiB, about 4 min left',
    ]);
  });

  test('every copy: how many, and which comes first', () => {
    const units = [givenUnit('v2', ['im-1', 'im-2']), givenUnit('v1', ['im-1', 'im-2'])];
    const scene: Scene = { ...volume([]), units, policy: 'block-for-eviction' };
    expect(said(scene)).toEqual(['im-1 stays: 2 copies must move away first, next unit v1']);
  });

  test('that the engine finds no place is told only where a copy has to move', () => {
    const scene = volume([{}], { unplaceable: 'insufficient storage' });
    const first = 'im-1 stays: it holds the only healthy copy of unit v1';
    expect(said(scene)).toEqual([first]);
    expect(said({ ...scene, policy: 'block-for-eviction-if-contains-last-replica' })).toEqual([
      first,
      'im-1 stays: the engine finds no place for another copy of unit v1: insufficient storage',
    ]);
    const free = volume([{}, {}], { unplaceable: 'insufficient storage' });
    expect(said({ ...free, policy: 'block-for-eviction-if-contains-last-replica' })).toEqual([]);
  });

  test('the first of several units that find no place is named', () => {
    const unplaceable = 'no disk';
    const units = ['v2', 'v1', 'v3'].map((id) => givenUnit(id, ['im-1'], { unplaceable }));
    const scene: Scene = { ...volume([]), units, policy: 'block-for-eviction' };
    expect(said(scene)[1]).toBe('im-1 stays: the engine finds no place for another copy of unit v1: no disk');
  });

  test('different reasons are told together, the gravest first; doubts only where there is nothing else', () => {
    const units = [
      givenUnit('v1', ['im-1'], { labels: { tier: 'move' } }),
      givenUnit('v2', [givenReplica('im-1', { state: 'failed' }), givenReplica('im-2', { state: 'failed' })]),
      givenUnit('v3', ['im-1'], { labels: { tier: 'running' } }),
      givenUnit('v4', ['im-1']),
      givenUnit('v5', [givenReplica('im-1', { state: unknown })]),
    ];
    const unitPolicies = [
      { matchLabels: { tier: 'move' }, drainPolicy: 'block-for-eviction' },
      { matchLabels: { tier: 'running' }, drainPolicy: 'allow-if-replica-is-stopped' },
    ] as const;
    const scene: Scene = { ...volume([]), units, spec: { unitPolicies } };
    expect(said(scene)).toEqual([
      'im-1 stays: it holds the only healthy copy of unit v4',
      'im-1 stays: it holds the only healthy running copy of unit v3',
      'im-1 stays: its copy of unit v2 failed, and no other copy is healthy (im-2: failed)',
      'im-1 stays: 1 copy must move away first, next unit v1',
    ]);
    expect(said({ ...scene, units: units.slice(4) })).toEqual([
      'im-1 stays: it is not known whether its copy of unit v5 is healthy',
    ]);
  });
});

describe('policies of units', () => {
  const unitPolicies = [
    { matchLabels: { tier: 'cache', team: 'a' }, drainPolicy: 'always-allow' },
    { matchLabels: { tier: 'cache' }, drainPolicy: 'block-for-eviction' },
    { matchLabels: { tier: 'gold' }, drainPolicy: 'block-for-eviction-if-contains-last-replica' },
  ] as const;
  test.each`
    labels                          | eviction
    ${{ tier: 'cache', team: 'a' }} | ${'allow'}
    ${{ tier: 'cache', team: 'b' }} | ${'wait HoldsReplicas'}
    ${{ tier: 'cache' }}            | ${'wait HoldsReplicas'}
    ${{ tier: 'gold', team: 'a' }}  | ${'wait LastReplica'}
    ${{ team: 'a' }}                | ${'wait LastReplica'}
    ${{}}                           | ${'wait LastReplica'}
  `('the first that matches every label wins: $labels, $eviction', ({ labels, eviction }) => {
    expect(evictionOf({ ...volume([{}], { labels }), spec: { unitPolicies } }, 'im-1')).toBe(eviction);
  });

  test('an empty selector matches every unit', () => {
    const all = [{ matchLabels: {}, drainPolicy: 'always-allow' }] as const;
    expect(evictionOf({ ...volume([{}]), spec: { unitPolicies: all } }, 'im-1')).toBe('allow');
  });

  test.each`
    selector                                                                         | labels               | eviction
    ${{ names: ['v1'] }}                                                             | ${{}}                | ${'allow'}
    ${{ names: ['unit v1'] }}                                                        | ${{}}                | ${'allow'}
    ${{ names: ['v2'] }}                                                             | ${{}}                | ${'wait LastReplica'}
    ${{ names: [] }}                                                                 | ${{}}                | ${'wait LastReplica'}
    ${{ names: ['v1'], matchLabels: { tier: 'cache' } }}                             | ${{}}                | ${'wait LastReplica'}
    ${{ names: ['v1'], matchLabels: { tier: 'cache' } }}                             | ${{ tier: 'cache' }} | ${'allow'}
    ${{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['cache'] }] }}    | ${{ tier: 'cache' }} | ${'allow'}
    ${{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['cache'] }] }}    | ${{}}                | ${'wait LastReplica'}
    ${{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] }}  | ${{}}                | ${'allow'}
    ${{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold'] }] }}  | ${{ tier: 'gold' }}  | ${'wait LastReplica'}
    ${{ matchExpressions: [{ key: 'tier', operator: 'Exists', values: [] }] }}       | ${{ tier: '' }}      | ${'allow'}
    ${{ matchExpressions: [{ key: 'tier', operator: 'Exists', values: [] }] }}       | ${{}}                | ${'wait LastReplica'}
    ${{ matchExpressions: [{ key: 'tier', operator: 'DoesNotExist', values: [] }] }} | ${{}}                | ${'allow'}
    ${{ matchExpressions: [{ key: 'tier', operator: 'DoesNotExist', values: [] }] }} | ${{ tier: '' }}      | ${'wait LastReplica'}
  `('a selector matches by all that it names: $selector, $labels, $eviction', ({ selector, labels, eviction }) => {
    const byName: UnitPolicy[] = [{ matchLabels: {}, drainPolicy: 'always-allow', ...selector }];
    expect(evictionOf({ ...volume([{}], { labels }), spec: { unitPolicies: byName } }, 'im-1')).toBe(eviction);
  });

  test('the policy of each unit has to be satisfied', () => {
    const units = [
      givenUnit('v1', [givenReplica('im-1')], { labels: { tier: 'cache', team: 'a' } }),
      givenUnit('v2', [givenReplica('im-1')], { labels: { tier: 'gold' } }),
    ];
    const scene: Scene = { ...volume([]), units, spec: { unitPolicies } };
    expect(evictionOf(scene, 'im-1')).toBe('wait LastReplica');
    expect(evictionOf({ ...scene, units: units.slice(0, 1) }, 'im-1')).toBe('allow');
  });
});

describe('copies that have to move', () => {
  const moved = (scene: Scene) => copiesToMove(questionIn(scene, 'im-1')).map(({ unit }) => unit.id);
  const units = [
    givenUnit('v7', ['im-1', 'im-2']),
    givenUnit('v1', ['im-1']),
    givenUnit('v2', [givenReplica('im-1', { state: 'failed' })]),
    givenUnit('v3', [givenReplica('im-1', { state: 'unused' })]),
    givenUnit('v4', [givenReplica('im-1', { doomed: true })]),
    givenUnit('v5', ['im-1', givenReplica('im-2', { state: unknown })]),
    givenUnit('v6', [givenReplica('im-1', { movingAway: true })]),
    givenUnit('v8', ['im-2']),
  ];
  const expected: { readonly [policy in DrainPolicy]: readonly string[] } = {
    'always-allow': [],
    'allow-if-replica-is-stopped': [],
    'block-if-contains-last-replica': [],
    'block-for-eviction': ['v1', 'v2', 'v3', 'v5', 'v6', 'v7'],
    'block-for-eviction-if-contains-last-replica': ['v1', 'v6'],
  };
  test.each(drainPolicies)('%s', (policy) => {
    expect(moved({ ...volume([]), units, policy })).toEqual(expected[policy]);
  });
});

test('copies of one unit that have to move are in the order of their processes', () => {
  const replicas = ['im-3', 'im-1', 'im-2'].map((id) => givenReplica(id));
  const units = [givenUnit('v2', replicas), givenUnit('v1', replicas)];
  const processes = ['im-3', 'im-2'].map((id) => givenProcess(id, { group: 'im-1' }));
  const question = questionIn({ ...volume([]), units, processes, policy: 'block-for-eviction' }, 'im-1');
  expect(copiesToMove(question).map(({ unit, replica }) => `${unit.id} on ${replica.process}`)).toEqual([
    'v1 on im-1',
    'v1 on im-2',
    'v1 on im-3',
    'v2 on im-1',
    'v2 on im-2',
    'v2 on im-3',
  ]);
});

describe('a group that the engine does not list', () => {
  const unlisted = { ...volume([]), unlisted: ['im-1'] };
  test.each`
    policy                              | answer
    ${'always-allow'}                   | ${'allow'}
    ${'allow-if-replica-is-stopped'}    | ${'wait FactUnknown'}
    ${'block-if-contains-last-replica'} | ${'wait FactUnknown'}
    ${'block-for-eviction'}             | ${'wait FactUnknown'}
  `('$policy: $answer', ({ policy, answer }) => {
    const question = questionIn({ ...unlisted, policy }, 'im-1');
    expect(inWords(mayGoByPolicy(question))).toBe(answer);
    expect(inWords(unitsSurvive(question))).toBe('wait FactUnknown');
    expect(copiesToMove(question)).toEqual([]);
  });
});

describe('exemptions', () => {
  const exemption = (scene: Scene) => exemptionOf(questionIn(scene, 'im-1'));
  test.each`
    policy                              | copies                      | recorded
    ${'always-allow'}                   | ${[{}]}                     | ${'always-allow lets it go: nothing else protects unit v1'}
    ${'always-allow'}                   | ${[{}, {}]}                 | ${null}
    ${'always-allow'}                   | ${[{ state: 'unused' }]}    | ${null}
    ${'always-allow'}                   | ${[{}, { state: unknown }]} | ${'always-allow lets it go: nothing else protects unit v1'}
    ${'allow-if-replica-is-stopped'}    | ${[{ running: false }]}     | ${'allow-if-replica-is-stopped lets it go: nothing else protects unit v1'}
    ${'allow-if-replica-is-stopped'}    | ${[{ running: false }, {}]} | ${null}
    ${'allow-if-replica-is-stopped'}    | ${[{}]}                     | ${null}
    ${'block-if-contains-last-replica'} | ${[{}]}                     | ${null}
    ${'block-for-eviction'}             | ${[{}]}                     | ${null}
  `('$policy, $copies: $recorded', ({ policy, copies, recorded }) => {
    expect(exemption({ ...volume(copies), policy })).toBe(recorded);
  });

  test('names the first of several', () => {
    const units = [givenUnit('v3', ['im-1']), givenUnit('v1', ['im-1']), givenUnit('v2', ['im-1'])];
    expect(exemption({ ...volume([]), units, policy: 'always-allow' })).toBe(
      'always-allow lets it go: nothing else protects unit v1 and 2 more',
    );
  });
});

describe('data that travels with its pod', () => {
  const claims = {
    tied: givenClaim(),
    travelling: givenClaim({ travels: true }),
    none: 'none',
    missing: null,
  } as const;
  const scene = (claim: keyof typeof claims, dataTravels: 'auto' | 'always' | 'never', copies: number): Scene => ({
    engine: 'http',
    policy: 'block-for-eviction',
    groups: [givenGroup('db-1', { claim: claims[claim] }), 'db-2'],
    units: [givenUnit('u1', ['db-1', 'db-2'].slice(0, copies))],
    spec: { roles: [givenRole('db', { dataTravels })] },
  });
  test.each`
    claim           | told        | copies | eviction                | moves
    ${'tied'}       | ${'auto'}   | ${2}   | ${'wait HoldsReplicas'} | ${1}
    ${'travelling'} | ${'auto'}   | ${2}   | ${'allow'}              | ${0}
    ${'travelling'} | ${'auto'}   | ${1}   | ${'wait LastReplica'}   | ${1}
    ${'travelling'} | ${'never'}  | ${2}   | ${'wait HoldsReplicas'} | ${1}
    ${'tied'}       | ${'always'} | ${2}   | ${'allow'}              | ${0}
    ${'none'}       | ${'auto'}   | ${2}   | ${'wait HoldsReplicas'} | ${1}
    ${'missing'}    | ${'auto'}   | ${2}   | ${'wait HoldsReplicas'} | ${1}
    ${'missing'}    | ${'always'} | ${2}   | ${'allow'}              | ${0}
  `('$claim claim, dataTravels $told, $copies copies: $eviction', ({ claim, told, copies, eviction, moves }) => {
    expect(evictionOf(scene(claim, told, copies), 'db-1')).toBe(eviction);
    expect(copiesToMove(questionIn(scene(claim, told, copies), 'db-1'))).toHaveLength(moves);
  });

  test('a role that the spec does not name reads its claim', () => {
    const unnamed = { ...scene('travelling', 'never', 2), spec: { roles: [] } };
    expect(evictionOf(unnamed, 'db-1')).toBe('allow');
  });
});

describe('a copy is not deleted for good while nothing else protects its unit, whatever the policy', () => {
  test.each(drainPolicies)('%s', (policy) => {
    const survive = (copies: readonly Partial<Replica>[]) =>
      inWords(unitsSurvive(questionIn({ ...volume(copies), policy }, 'im-1', 'replacement')));
    expect(survive([{}])).toBe('wait LastReplica');
    expect(survive([{ running: false }])).toBe('wait LastReplica');
    expect(survive([{}, {}])).toBe('allow');
    expect(survive([{ state: 'unused' }])).toBe('allow');
  });
});
