import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import { moment } from '../model/phrases.ts';
import type { Pod, ProcessGroup } from '../model/process-group.ts';
import {
  at,
  givenGrant,
  givenGroup,
  givenNode,
  givenPod,
  givenProcess,
  givenReplica,
  givenUnit,
} from '../model/testing/given.ts';
import type { Replica, Unit } from '../model/topology.ts';
import type { Counting } from './protection.ts';
import { explainProtection } from './protection.ts';
import type { Question } from './question.ts';
import type { Scene } from './testing/scene.ts';
import { questionIn } from './testing/scene.ts';
import { protectionOf } from './weak-units.ts';

function inWords(unit: Unit, question: Question, counting: Counting = 'any'): string {
  const protection = protectionOf(unit, question, counting);
  const { others, doubt } = explainProtection(unit, question, counting);
  if (protection === 'another') return 'another';
  return protection === 'nobody' ? `nobody (${others.join(', ')})` : `not known ${doubt}`;
}

/** Whether db-2 protects a unit that db-1 leaves with, in words. */
function protectionIn(scene: Scene, copy: Partial<Replica> = {}, counting: 'any' | 'running' = 'any'): string {
  const unit = givenUnit('u1', ['db-1', givenReplica('db-2', copy)]);
  return inWords(unit, questionIn({ groups: ['db-1', 'db-2'], ...scene, units: [unit] }, 'db-1'), counting);
}

/** The other process group, with a pod like this. */
const otherWith = (pod: Partial<Pod> | null, given: Partial<ProcessGroup> = {}): Scene => ({
  groups: ['db-1', givenGroup('db-2', { pod: pod === null ? null : { ...givenPod('db-2'), ...pod }, ...given })],
});
const withNodes = (...nodes: readonly string[]): Scene => ({
  snapshot: { nodes: nodes.map((node) => givenNode(node)) },
});

describe('a copy protects its unit', () => {
  test.each`
    row      | copy                                 | protection
    ${''}    | ${{}}                                | ${'another'}
    ${'E8'}  | ${{ running: false }}                | ${'another'}
    ${''}    | ${{ running: unknown }}              | ${'another'}
    ${'E4'}  | ${{ movingAway: true }}              | ${'another'}
    ${'E3'}  | ${{ doomed: true }}                  | ${'nobody (db-2: being deleted)'}
    ${''}    | ${{ state: 'failed' }}               | ${'nobody (db-2: failed)'}
    ${'E14'} | ${{ state: 'rebuilding' }}           | ${'nobody (db-2: rebuilding)'}
    ${''}    | ${{ state: 'unused' }}               | ${'nobody (db-2: unused)'}
    ${'E9'}  | ${{ inSync: false }}                 | ${'nobody (db-2: not in sync)'}
    ${''}    | ${{ state: unknown }}                | ${'not known whether the copy of unit u1 on db-2 is healthy'}
    ${''}    | ${{ inSync: unknown }}               | ${'not known whether the copy of unit u1 on db-2 is in sync'}
    ${''}    | ${{ state: unknown, inSync: false }} | ${'nobody (db-2: not in sync)'}
    ${''}    | ${{ state: unknown, doomed: true }}  | ${'nobody (db-2: being deleted)'}
  `('$row $copy: $protection', ({ copy, protection }) => {
    expect(protectionIn({}, copy)).toBe(protection);
  });

  test.each`
    running    | protection
    ${true}    | ${'another'}
    ${false}   | ${'nobody (db-2: stopped)'}
    ${unknown} | ${'not known whether the copy of unit u1 on db-2 is running'}
  `('where only running copies count: running $running, $protection', ({ running, protection }) => {
    expect(protectionIn({}, { running }, 'running')).toBe(protection);
  });
});

describe('its process has to stand', () => {
  const silent = (responds: boolean | typeof unknown, group: string | null = 'db-2'): Scene => ({
    processes: [givenProcess('db-2', { responds, group })],
  });
  const twice: Scene = { processes: [givenProcess('db-2'), givenProcess('db-2')] };
  const outside: Scene = { groups: ['db-1'], processes: [givenProcess('db-2', { group: null })] };
  const ghost: Scene = { groups: ['db-1'], processes: [givenProcess('db-2')] };
  const removing = otherWith({}, { removingAt: at(-5) });
  const atNode = (...nodes: readonly string[]): Scene => ({ ...otherWith({}), ...withNodes(...nodes) });
  const notReady: Scene = { ...otherWith({}), snapshot: { nodes: [givenNode('node-of-db-2', { ready: false })] } };
  const cordoned: Scene = {
    ...otherWith({}),
    snapshot: { nodes: [givenNode('node-of-db-2', { cordoned: true, cordonedSince: at(-5) })] },
  };
  const tainted: Scene = {
    ...otherWith({}),
    snapshot: {
      nodes: [givenNode('node-of-db-2', { taints: [{ key: 'k', effect: 'NoExecute', timeAdded: null }] })],
    },
  };
  const placeless: Scene = { ...otherWith({ node: null }), ...withNodes('node-of-db-2') };
  test.each`
    row      | situation                         | scene                                   | protection
    ${''}    | ${'it responds'}                  | ${silent(true)}                         | ${'another'}
    ${'E13'} | ${'it does not respond'}          | ${silent(false)}                        | ${'nobody (db-2: does not respond)'}
    ${''}    | ${'nobody knows whether'}         | ${silent(unknown)}                      | ${'not known whether db-2 responds'}
    ${'E2'}  | ${'the engine does not list it'}  | ${{ unlisted: ['db-2'] }}               | ${'not known what db-2 is: the engine names it and does not list it'}
    ${''}    | ${'the engine lists it twice'}    | ${twice}                                | ${'not known which db-2 is meant: the engine lists it more than once'}
    ${''}    | ${'it is nobody we know'}         | ${outside}                              | ${'another'}
    ${''}    | ${'its process group is gone'}    | ${ghost}                                | ${'nobody (db-2: has no process group)'}
    ${''}    | ${'it has no pod'}                | ${otherWith(null)}                      | ${'nobody (db-2: has no pod)'}
    ${''}    | ${'its pod is being deleted'}     | ${otherWith({ deletingSince: at(-1) })} | ${'nobody (db-2: its pod is being deleted)'}
    ${''}    | ${'its pod is pending'}           | ${otherWith({ phase: 'Pending' })}      | ${'nobody (db-2: its pod is Pending)'}
    ${''}    | ${'its pod is not ready'}         | ${otherWith({ ready: false })}          | ${'another'}
    ${''}    | ${'it is being removed'}          | ${removing}                             | ${'nobody (db-2: is being removed)'}
    ${''}    | ${'its node is there'}            | ${atNode('node-of-db-2')}               | ${'another'}
    ${'E1'}  | ${'its node does not exist'}      | ${atNode('n9')}                         | ${'nobody (db-2: node-of-db-2 does not exist)'}
    ${'E7'}  | ${'its node is not ready'}        | ${notReady}                             | ${'nobody (db-2: node-of-db-2 is not ready)'}
    ${''}    | ${'its node is cordoned'}         | ${cordoned}                             | ${'another'}
    ${'E10'} | ${'its node is tainted'}          | ${tainted}                              | ${'another'}
    ${''}    | ${'its pod is on no node'}        | ${placeless}                            | ${'nobody (db-2: its pod is on no node)'}
    ${''}    | ${'on no node, and none is read'} | ${otherWith({ node: null })}            | ${'another'}
  `('$row $situation: $protection', ({ scene, protection }) => {
    expect(protectionIn(scene)).toBe(protection);
  });

  test('a role that holds no data is not relied on', () => {
    const scene: Scene = { engine: 'arangodb', groups: ['db-1', givenGroup('db-2', { role: 'coordinator' })] };
    expect(protectionIn(scene)).toBe('nobody (db-2: is of a role without data)');
  });

  test('the role of the process group counts, not what the process calls itself', () => {
    const processes = [givenProcess('db-2', { role: 'coordinator' })];
    const scene: Scene = { engine: 'arangodb', groups: ['db-1', givenGroup('db-2', { role: 'dbserver' })], processes };
    expect(protectionIn(scene)).toBe('another');
    expect(protectionIn({ ...scene, processes: [givenProcess('db-2', { role: 'coordinator', group: null })] })).toBe(
      'nobody (db-2: is of a role without data)',
    );
  });
});

describe('E11, E12: what was let go does not protect', () => {
  const granted = (given = {}): Scene => ({ snapshot: { grants: [givenGrant('db-2', given)] } });
  const notBefore = (seconds: number): string =>
    `nobody (db-2: let go, not taken for back before ${moment(at(seconds))})`;
  test.each`
    grant                    | protection
    ${{}}                    | ${'nobody (db-2: let go)'}
    ${{ closedAt: at(-59) }} | ${'nobody (db-2: let go)'}
    ${{ closedAt: at(-60) }} | ${'another'}
    ${{ goneAt: at(0) }}     | ${notBefore(60)}
    ${{ goneAt: at(-599) }}  | ${notBefore(1)}
    ${{ goneAt: at(-600) }}  | ${'another'}
  `('grant $grant: $protection', ({ grant, protection }) => {
    expect(protectionIn(granted(grant))).toBe(protection);
  });

  test.each`
    gone    | process                    | protection
    ${-1}   | ${{}}                      | ${notBefore(59)}
    ${-1}   | ${{ responds: false }}     | ${'nobody (db-2: does not respond)'}
    ${-1}   | ${{ startedAt: at(-0.5) }} | ${notBefore(14)}
    ${-14}  | ${{ startedAt: at(-13) }}  | ${notBefore(1)}
    ${-15}  | ${{ startedAt: at(-13) }}  | ${'another'}
    ${-15}  | ${{ startedAt: at(-16) }}  | ${notBefore(45)}
    ${-15}  | ${{ startedAt: null }}     | ${notBefore(45)}
    ${-60}  | ${{ startedAt: null }}     | ${'another'}
    ${-60}  | ${{ startedAt: at(-181) }} | ${'another'}
    ${-60}  | ${{ startedAt: at(-182) }} | ${notBefore(540)}
    ${-60}  | ${{ responds: false }}     | ${'nobody (db-2: does not respond)'}
    ${-60}  | ${{ responds: unknown }}   | ${notBefore(540)}
    ${-599} | ${{}}                      | ${notBefore(1)}
    ${-600} | ${{}}                      | ${'another'}
  `('gone since $gone, and the engine says $process: $protection', ({ gone, process, protection }) => {
    const processes = [givenProcess('db-2', { startedAt: at(-86_400), ...process })];
    const grant = { grantedAt: at(gone - 1), goneAt: at(gone) };
    expect(protectionIn({ ...granted(grant), processes })).toBe(protection);
  });

  test.each([true, unknown])('one of two that may be the old one is enough, responds: %s', (responds) => {
    const old = givenProcess('db-2-old', { group: 'db-2', startedAt: at(-86_400), responds });
    const processes = [givenProcess('db-2', { startedAt: null }), old];
    const grant = { grantedAt: at(-61), goneAt: at(-60) };
    expect(protectionIn({ ...granted(grant), processes })).toBe(notBefore(540));
  });
});

describe('what began anew a moment ago does not protect: the engine may not have missed what ran there before', () => {
  const anew = (began: number, until: number): string =>
    `nobody (db-2: began anew at ${moment(at(began))}, which the engine may not have noticed before ${moment(at(until))})`;
  test.each`
    pod                                             | startedAt  | protection
    ${{ createdAt: at(-59) }}                       | ${null}    | ${anew(-59, 1)}
    ${{ createdAt: at(-60) }}                       | ${null}    | ${'another'}
    ${{ createdAt: at(-14) }}                       | ${at(-13)} | ${anew(-14, 1)}
    ${{ createdAt: at(-15) }}                       | ${at(-14)} | ${'another'}
    ${{ createdAt: at(-15) }}                       | ${at(-16)} | ${anew(-15, 45)}
    ${{ createdAt: at(-900), restartedAt: at(-5) }} | ${null}    | ${anew(-5, 55)}
    ${{ createdAt: at(-5), restartedAt: at(-900) }} | ${null}    | ${anew(-5, 55)}
  `('pod $pod, process since $startedAt: $protection', ({ pod, startedAt, protection }) => {
    const groups = ['db-1', givenGroup('db-2', { role: 'dbserver', pod: givenPod('db-2', pod) })];
    expect(protectionIn({ groups, processes: [givenProcess('db-2', { startedAt })] })).toBe(protection);
  });
});

describe('several copies', () => {
  const said = (unit: Unit): string => {
    const processes = [givenProcess('db-3', { responds: unknown })];
    const scene: Scene = { groups: ['db-1', 'db-2', 'db-3', 'db-4'], processes, units: [unit] };
    return inWords(unit, questionIn(scene, 'db-1'));
  };
  test('one that protects is enough, whatever the others are', () => {
    const unit = givenUnit('u', [givenReplica('db-3'), givenReplica('db-2', { state: 'failed' }), 'db-1', 'db-4']);
    expect(said(unit)).toBe('another');
  });

  test('servers outside of Kubernetes leave alone, so two of them protect even each other', () => {
    const outside = ['x-1', 'x-2'].map((id) => givenProcess(id, { group: null }));
    const unit = givenUnit('u', ['db-1', 'x-1', 'x-2']);
    const scene: Scene = { groups: ['db-1', givenGroup('x-1')], unlisted: ['x-1'], processes: outside, units: [unit] };
    expect(inWords(unit, questionIn(scene, 'db-1'))).toBe('another');
    expect(inWords(unit, questionIn(scene, 'x-1'))).toBe('another');
    const alone = givenUnit('u', ['db-1', 'x-1']);
    const behind = { ...alone, replicas: alone.replicas.map((copy) => ({ ...copy, inSync: copy.process === 'x-1' })) };
    expect(inWords(behind, questionIn({ ...scene, units: [behind] }, 'x-1'))).toBe('another');
  });

  test('a doubt outweighs what is known not to protect', () => {
    const unit = givenUnit('u', ['db-1', givenReplica('db-2', { state: 'failed' }), 'db-3']);
    expect(said(unit)).toBe('not known whether db-3 responds');
  });

  test('the others are named in order, without the group itself', () => {
    const failed = { state: 'failed' } as const;
    const unit = givenUnit('u', [givenReplica('db-4', failed), 'db-1', givenReplica('db-2', failed)]);
    expect(said(unit)).toBe('nobody (db-2: failed, db-4: failed)');
  });

  test('the first doubt by its words is told', () => {
    const doubt = { inSync: unknown } as const;
    const unit = givenUnit('u', [givenReplica('db-4', doubt), 'db-1', givenReplica('db-2', doubt)]);
    expect(said(unit)).toBe('not known whether the copy of unit u on db-2 is in sync');
  });
});
