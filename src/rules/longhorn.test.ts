import { describe, expect, test } from 'vitest';
import type { DrainPolicy } from '../model/cluster-spec.ts';
import { unknown } from '../model/known.ts';
import { at, givenGroup, givenNode, givenPod, givenProcess, givenReplica, givenUnit } from '../model/testing/given.ts';
import type { Replica } from '../model/topology.ts';
import { copiesToMove } from './drain-policy.ts';
import { jointlySafe } from './joint.ts';
import type { Scene } from './testing/scene.ts';
import { evictionOf, inWords, questionIn, replacementOf, surveyScene } from './testing/scene.ts';

const managers = ['im-a', 'im-b', 'im-c'];
const groups = managers.map((id) => givenGroup(id, { claim: 'none', pod: givenPod(id, { node: id.slice(-1) }) }));
const nodes = ['a', 'b', 'c'].map((node) => givenNode(node));

const policies = {
  bfe: 'block-for-eviction',
  bfeIfLast: 'block-for-eviction-if-contains-last-replica',
  ifLast: 'block-if-contains-last-replica',
  ifStopped: 'allow-if-replica-is-stopped',
  always: 'always-allow',
} as const satisfies { readonly [name: string]: DrainPolicy };

/** The copies of one volume by node, where its engine runs, and what else is the matter. Node a is drained. */
const volume = (copies: { readonly [node: string]: Partial<Replica> }, given: Partial<Scene> = {}): Scene => ({
  engine: 'longhorn',
  groups,
  snapshot: { nodes },
  units: [
    givenUnit(
      'v',
      Object.entries(copies).map(([node, copy]) => givenReplica(`im-${node}`, copy)),
    ),
  ],
  ...given,
});

const healthy = {};
const stopped = { running: false };
const failed = { state: 'failed', running: false } as const;
const unused = { state: 'unused', running: false } as const;
const engineHere = { leader: true };

/** May im-a go, and is its copy to be moved? `-`: it may go. `moves`: after its copy has. `stays`: until something else changes. */
function outcome(scene: Scene, policy: DrainPolicy): string {
  const moves = copiesToMove(questionIn({ ...scene, policy }, 'im-a')).length > 0 ? 'moves' : 'stays';
  return evictionOf({ ...scene, policy }, 'im-a') === 'allow' ? '-' : moves;
}

describe('the worked scenarios of longhorn.md 2.4', () => {
  const bDown: Scene = {
    ...volume({ a: healthy, b: healthy }),
    processes: [givenProcess('im-b', { responds: false })],
  };
  const cordoned = { nodes: [givenNode('a', { cordoned: true }), givenNode('b', { cordoned: true }), givenNode('c')] };
  const bGone: Scene = volume(
    { a: stopped, b: stopped },
    { snapshot: { nodes: nodes.filter(({ name }) => name !== 'b') } },
  );
  test.each`
    row      | volume                                       | scene                                                            | bfe        | bfeIfLast  | ifLast     | ifStopped  | always
    ${'S1'}  | ${'three healthy copies'}                    | ${volume({ a: healthy, b: healthy, c: healthy })}                | ${'moves'} | ${'-'}     | ${'-'}     | ${'-'}     | ${'-'}
    ${'S2'}  | ${'one copy, attached on b'}                 | ${volume({ a: healthy })}                                        | ${'moves'} | ${'moves'} | ${'stays'} | ${'stays'} | ${'-'}
    ${'S3'}  | ${'one copy, detached'}                      | ${volume({ a: stopped })}                                        | ${'moves'} | ${'moves'} | ${'stays'} | ${'-'}     | ${'-'}
    ${'S4'}  | ${'one copy, attached on a'}                 | ${volume({ a: engineHere })}                                     | ${'moves'} | ${'moves'} | ${'stays'} | ${'stays'} | ${'-'}
    ${'S5'}  | ${'two copies, both nodes cordoned'}         | ${{ ...volume({ a: healthy, b: healthy }), snapshot: cordoned }} | ${'moves'} | ${'-'}     | ${'-'}     | ${'-'}     | ${'-'}
    ${'S6'}  | ${'two copies, the other manager is down'}   | ${bDown}                                                         | ${'moves'} | ${'moves'} | ${'stays'} | ${'stays'} | ${'-'}
    ${'S7'}  | ${'two copies, the other failed'}            | ${volume({ a: healthy, b: failed })}                             | ${'moves'} | ${'moves'} | ${'stays'} | ${'stays'} | ${'-'}
    ${'S8'}  | ${'never attached'}                          | ${volume({ a: unused, b: unused })}                              | ${'moves'} | ${'-'}     | ${'-'}     | ${'-'}     | ${'-'}
    ${'S9'}  | ${'faulted: all failed'}                     | ${volume({ a: failed, b: failed })}                              | ${'moves'} | ${'stays'} | ${'stays'} | ${'-'}     | ${'-'}
    ${'S10'} | ${'the copy failed, healthy elsewhere'}      | ${volume({ a: failed, b: healthy })}                             | ${'moves'} | ${'-'}     | ${'-'}     | ${'-'}     | ${'-'}
    ${'S11'} | ${'strict-local, detached'}                  | ${volume({ a: stopped })}                                        | ${'moves'} | ${'moves'} | ${'stays'} | ${'-'}     | ${'-'}
    ${'S12'} | ${'detached, the other node object is gone'} | ${bGone}                                                         | ${'moves'} | ${'moves'} | ${'stays'} | ${'-'}     | ${'-'}
  `('$row $volume', (row) => {
    for (const column of ['bfe', 'bfeIfLast', 'ifLast', 'ifStopped', 'always'] as const) {
      expect([column, outcome(row.scene, policies[column])]).toEqual([column, row[column]]);
    }
  });

  test('R11: with a third healthy copy, a deleted node object holds nobody', () => {
    const scene = volume(
      { a: stopped, b: stopped, c: stopped },
      { snapshot: { nodes: [givenNode('a'), givenNode('c')] } },
    );
    expect(outcome(scene, policies.bfeIfLast)).toBe('-');
  });

  test('S14: a policy that is changed to always-allow lets go, and moves nothing any more', () => {
    const scene = volume({ a: healthy });
    expect(outcome(scene, policies.bfe)).toBe('moves');
    expect(copiesToMove(questionIn({ ...scene, policy: policies.always }, 'im-a'))).toEqual([]);
  });

  test('S5: of two nodes drained at once one goes and the other waits, and its copy is then to be moved', () => {
    const survey = surveyScene({ ...volume({ a: healthy, b: healthy }), policy: policies.bfeIfLast });
    const verdicts = jointlySafe(survey, groups);
    expect(verdicts.map(({ group, eviction }) => `${group}: ${inWords(eviction)}`)).toEqual([
      'im-a: allow',
      'im-b: wait LastReplica',
      'im-c: allow',
    ]);
  });
});

describe('no engine of a volume that is still attached runs on it', () => {
  test.each`
    attached   | leads    | policy             | eviction
    ${true}    | ${true}  | ${policies.ifLast} | ${'wait AttachedUnit'}
    ${false}   | ${true}  | ${policies.ifLast} | ${'allow'}
    ${unknown} | ${true}  | ${policies.ifLast} | ${'wait FactUnknown'}
    ${true}    | ${false} | ${policies.ifLast} | ${'allow'}
    ${true}    | ${true}  | ${policies.always} | ${'allow'}
    ${unknown} | ${true}  | ${policies.always} | ${'allow'}
  `('attached $attached, engine here $leads, $policy: $eviction', ({ attached, leads, policy, eviction }) => {
    const replicas = [givenReplica('im-a', { leader: leads }), givenReplica('im-b')];
    const scene = volume({}, { units: [givenUnit('v', replicas, { attached })], policy });
    expect(evictionOf(scene, 'im-a')).toBe(eviction);
  });

  test('an engine without a copy beside it counts too', () => {
    const replicas = [givenReplica('im-a', { leader: true, state: 'unused' }), givenReplica('im-b')];
    expect(evictionOf(volume({}, { units: [givenUnit('v', replicas)] }), 'im-a')).toBe('wait AttachedUnit');
  });

  test('only the units that always-allow covers are left out', () => {
    const unitPolicies = [{ matchLabels: { tier: 'cache' }, drainPolicy: 'always-allow' }] as const;
    const led = (id: string, labels: { readonly [key: string]: string }) =>
      givenUnit(id, [givenReplica('im-a', { leader: true }), givenReplica('im-b')], { labels });
    const units = [led('v1', { tier: 'cache' }), led('v2', {})];
    expect(evictionOf(volume({}, { units, spec: { unitPolicies } }), 'im-a')).toBe('wait AttachedUnit');
    expect(evictionOf(volume({}, { units: units.slice(0, 1), spec: { unitPolicies } }), 'im-a')).toBe('allow');
  });
});

describe('an instance manager', () => {
  test('is never replaced: Longhorn makes its pods', () => {
    expect(replacementOf(volume({}), 'im-a')).toBe('never NeverReplaced');
  });

  test('that the engine does not list waits, unless no policy asks for anything', () => {
    const scene = volume({}, { unlisted: ['im-a'] });
    expect(evictionOf(scene, 'im-a')).toBe('wait FactUnknown');
    expect(evictionOf({ ...scene, policy: policies.always }, 'im-a')).toBe('allow');
    const unitPolicies = [{ matchLabels: { tier: 'gold' }, drainPolicy: policies.bfe }];
    expect(evictionOf({ ...scene, policy: policies.always, spec: { unitPolicies } }, 'im-a')).toBe('wait FactUnknown');
  });

  test('of an engine out of reach waits under every policy', () => {
    const scene = volume({}, { unreachable: { unreachable: 'timed out', since: at(-5) }, policy: policies.always });
    expect(evictionOf(scene, 'im-a')).toBe('wait EngineUnreachable');
  });
});
