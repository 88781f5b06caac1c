import { describe, expect, test } from 'vitest';
import type { Action } from '../model/decision.ts';
import { name } from '../model/ids.ts';
import { reasons } from '../model/reasons.ts';
import type { Grant } from '../model/snapshot.ts';
import {
  at,
  givenAsk,
  givenGrant,
  givenGroup,
  givenNode,
  givenPod,
  givenQuorum,
  givenRole,
  givenUnit,
} from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { applyRecords } from './apply-records.ts';
import { grants } from './grants.ts';
import { holds, ids, letsGo, said, step, world } from './testing/grants-scene.ts';
import { told, toldInWords } from './testing/told.ts';

describe('one pod at a time is let go, when every rule agrees', () => {
  test('recorded, then let go; and looked at again when its lock has to close', () => {
    const outcome = step();
    expect(told(outcome)).toEqual([...letsGo('member-1'), 'wake at 10']);
    expect(outcome.records).toEqual([
      {
        record: 'granted',
        grant: {
          group: 'member-1',
          pod: 'uid-member-1',
          node: 'node-of-member-1',
          grantedAt: at(0),
          closedAt: null,
          goneAt: null,
          exemption: null,
        },
        reason: reasons.ruleHolds({ group: 'member-1', by: 'jane' }),
      },
    ]);
  });

  test('nobody asked: nothing is let go', () => {
    expect(said({ asks: [] })).toEqual([]);
  });

  test.each<[string, readonly ('Pod' | 'Node')[], readonly string[]]>([
    ['others of its node alone: it is not let go', ['Node'], []],
    ['others of its node, and it as well: it is', ['Node', 'Pod'], [...letsGo('member-1'), 'wake at 10']],
  ])('somebody asked for %s', (_, wants, expected) => {
    expect(said({ asks: wants.map((one) => givenAsk('member-1', { wants: one, by: one })) })).toEqual(expected);
  });

  test('a grant is not used any more where only others of its node are asked for', () => {
    const snapshot = { grants: [givenGrant('member-1')] };
    expect(said({ asks: [givenAsk('member-1')], snapshot })).toContain(letsGo('member-1')[1]);
    expect(said({ asks: [givenAsk('member-1', { wants: 'Node' })], snapshot })).not.toContain(letsGo('member-1')[1]);
  });

  test('of two, one goes and the other waits', () => {
    const outcome = step({ asks: [givenAsk('member-2'), givenAsk('member-1')] });
    expect(told(outcome)).toEqual([...letsGo('member-1'), holds('member-2', 'AnotherGranted'), 'wake at 10']);
    expect(toldInWords(outcome)).toEqual([
      'member-2 stays for now: member-1 was just let go, and they go one at a time',
    ]);
  });

  test('who asked first goes first', () => {
    const asks = [givenAsk('member-1', { since: at(-9) }), givenAsk('member-2', { since: at(-10) })];
    expect(said({ asks })).toEqual([...letsGo('member-2'), holds('member-1', 'AnotherGranted'), 'wake at 10']);
  });

  test('when others of its node were asked for does not count', () => {
    const asks = [
      givenAsk('member-1', { since: at(-9) }),
      givenAsk('member-1', { since: at(-99), by: 'joe', wants: 'Node' }),
      givenAsk('member-2', { since: at(-10) }),
    ];
    expect(said({ asks })).toEqual([...letsGo('member-2'), holds('member-1', 'AnotherGranted'), 'wake at 10']);
  });

  test('the first of several asks about a pod counts', () => {
    const asks = [
      givenAsk('member-2', { since: at(-10) }),
      givenAsk('member-1', { since: at(-5) }),
      givenAsk('member-1', { since: at(-20), by: 'joe' }),
    ];
    const outcome = step({ asks });
    expect(told(outcome)[0]).toBe(letsGo('member-1')[0]);
    expect(outcome.actions[0]?.reason.message).toContain('joe asked');
  });

  test('a verdict that says wait is given with its own reasons, and holds up nobody else', () => {
    const asks = [givenAsk('member-5', { since: at(-60) }), givenAsk('member-1')];
    expect(said({ asks })).toEqual([...letsGo('member-1'), holds('member-5', 'QuorumLeader'), 'wake at 10']);
  });

  test('a verdict that says never is given as well', () => {
    const spec = { engine: 'arangodb', roles: [givenRole('single')] } as const;
    expect(said({ groups: [givenGroup('single-1')], asks: [givenAsk('single-1')], spec })).toEqual([
      holds('single-1', 'NeverEvicted'),
      'wake at 600',
    ]);
  });

  test.each`
    which                         | group                                                                                           | asks
    ${'is going already'}         | ${{ pod: givenPod('member-1', { deletingSince: at(-1) }) }}                                     | ${[givenAsk('member-1')]}
    ${'is being removed'}         | ${{ removingAt: at(-1), removal: { at: at(-9), cause: 'Requested', withoutExclusion: false } }} | ${[givenAsk('member-1')]}
    ${'has no pod'}               | ${{ pod: null }}                                                                                | ${[givenAsk('member-1')]}
    ${'is not the one asked for'} | ${{}}                                                                                           | ${[givenAsk('member-1', { pod: 'uid-before' })]}
  `('one that $which is not let go', ({ group, asks }) => {
    const rows = ids.map((id) => givenGroup(id, id === 'member-1' ? group : {}));
    expect(said({ groups: rows, asks })).toEqual([]);
  });

  test('a cordon asks by itself where it is the trigger', () => {
    const nodes = ids.map((id) =>
      givenNode(`node-of-${id}`, id === 'member-1' ? { cordoned: true, cordonedSince: at(-9) } : {}),
    );
    const outcome = step({ asks: [], spec: { trigger: 'Cordon' }, snapshot: { nodes } });
    expect(told(outcome)).toEqual([...letsGo('member-1'), 'wake at 10']);
    expect(outcome.actions[0]?.reason.message).toContain('the cordon of node-of-member-1');
  });

  test('of two cordons the earlier comes first', () => {
    const nodes = ids.map((id) =>
      givenNode(`node-of-${id}`, {
        cordoned: id === 'member-1' || id === 'member-2',
        cordonedSince: id === 'member-1' ? at(-9) : id === 'member-2' ? at(-10) : null,
      }),
    );
    expect(said({ asks: [], spec: { trigger: 'Cordon' }, snapshot: { nodes } })).toEqual([
      ...letsGo('member-2'),
      holds('member-1', 'AnotherGranted'),
      'wake at 10',
    ]);
  });
});

describe('the engine was read just now, and after the last grant', () => {
  test.each`
    age   | outcome
    ${0}  | ${[...letsGo('member-1'), 'wake at 10']}
    ${9}  | ${[...letsGo('member-1'), 'wake at 1']}
    ${10} | ${[holds('member-1', 'ViewTooOld'), 'wake at 600']}
    ${-1} | ${[holds('member-1', 'ViewTooOld'), 'wake at 600']}
  `('read $age s ago: $outcome', ({ age, outcome }) => {
    expect(said({ topology: { observedAt: at(-age) } })).toEqual(outcome);
  });

  test.each`
    granted | outcome
    ${-1}   | ${true}
    ${0}    | ${false}
    ${1}    | ${false}
  `('the last grant at $granted, read at 0: goes $outcome', ({ granted, outcome }) => {
    const earlier = givenGrant('member-4', { grantedAt: at(granted), goneAt: at(granted) });
    const groups = ids.filter((id) => id !== 'member-4').map((id) => givenGroup(id));
    const lines = said({ groups, grants: [earlier] });
    expect(lines.includes(letsGo('member-1')[0] ?? '')).toBe(outcome);
    expect(lines.includes(holds('member-1', 'ViewTooOld'))).toBe(!outcome);
  });

  test('when it was read is told', () => {
    expect(toldInWords(step({ topology: { observedAt: at(-60) } }))[0]).toContain('2026-11-14T23:59:00Z');
  });

  test('a reason of the verdict comes before the age of the view', () => {
    expect(said({ asks: [givenAsk('member-5')], topology: { observedAt: at(-60) } })).toEqual([
      holds('member-5', 'QuorumLeader'),
      'wake at 600',
    ]);
  });

  test('an engine that cannot be read lets nobody go', () => {
    const topology = { unreachable: 'refused', since: at(-5) };
    expect(said({ snapshot: { topology } })).toEqual([holds('member-1', 'EngineUnreachable'), 'wake at 600']);
  });

  test('a role that is left out of the lock needs no view', () => {
    const spec = { engine: 'arangodb', roles: [givenRole('coordinator')] } as const;
    const given = { groups: [givenGroup('coordinator-1')], asks: [givenAsk('coordinator-1')], spec };
    expect(said({ ...given, topology: { observedAt: at(-60) } })).toEqual([...letsGo('coordinator-1'), 'wake at 10']);
  });
});

describe('what was let go counts as gone', () => {
  const gone = (id: string, given: Partial<Grant> = {}) => givenGrant(id, { grantedAt: at(-5), ...given });
  const going = (...going: readonly string[]) =>
    ids.map((id) => givenGroup(id, going.includes(id) ? { pod: givenPod(id, { deletingSince: at(-4) }) } : {}));

  test('a second may go while the first is on its way, as far as the quorum bears both', () => {
    expect(said({ groups: going('member-2'), grants: [gone('member-2')] })).toEqual([
      ...letsGo('member-1'),
      'wake at 10',
    ]);
  });

  test('a third may not', () => {
    const given = { groups: going('member-2', 'member-3'), grants: [gone('member-2'), gone('member-3')] };
    expect(said(given)).toEqual([holds('member-1', 'QuorumAtRisk'), 'wake at 600']);
  });

  test('what another step takes away in this decision is waited for', () => {
    const reason = reasons.podOutdated({ group: 'member-3' });
    const precondition = { uid: name<never>('uid-member-3'), resourceVersion: '1' };
    const taken: readonly Action[] = [{ act: 'delete-pod', group: name('member-3'), pod: precondition, reason }];
    expect(said({ taken })).toEqual([holds('member-1', 'AnotherGranted'), 'wake at 600']);
    const removal: readonly Action[] = [{ act: 'delete-group', group: name('member-3'), pod: precondition, reason }];
    expect(said({ taken: removal })).toEqual([holds('member-1', 'AnotherGranted'), 'wake at 600']);
  });

  test.each`
    what                     | group                                                       | act
    ${'is seen to be going'} | ${{ pod: givenPod('member-3', { deletingSince: at(-1) }) }} | ${'delete-group'}
    ${'is gone'}             | ${{ pod: null }}                                            | ${'delete-group'}
    ${'was drained'}         | ${{ drainedAt: at(-60) }}                                   | ${'delete-group'}
    ${'is only made'}        | ${{}}                                                       | ${'create'}
  `('not what $what', ({ group, act }) => {
    const reason = reasons.podOutdated({ group: 'member-3' });
    const taken: readonly Action[] = [
      act === 'create'
        ? { act, what: 'pod', group: name('member-3'), reason }
        : { act: 'delete-group', group: name('member-3'), pod: null, reason },
    ];
    const groups = ids.map((id) => givenGroup(id, id === 'member-3' ? group : {}));
    expect(said({ groups, taken })).toEqual([...letsGo('member-1'), 'wake at 10']);
  });

  test('nor what nobody knows', () => {
    const reason = reasons.podOutdated({ group: 'member-9' });
    const taken: readonly Action[] = [{ act: 'delete-group', group: name('member-9'), pod: null, reason }];
    expect(said({ taken })).toEqual([...letsGo('member-1'), 'wake at 10']);
  });
});

describe('a person may force one pod by name', () => {
  const forced = givenAsk('member-5', { force: 'the disk is dead' });

  test('a rule that holds it is overruled, with why and who evicted it', () => {
    expect(said({ asks: [forced] })).toEqual([
      'record granted member-5 uid-member-5 on node-of-member-5 at 0 exempt: forced by the annotation drover.dev/force ("the disk is dead"), evicted by jane (Forced)',
      'let-go member-5 uid-member-5@1 (Forced)',
      'wake at 10',
    ]);
  });

  test('where the rules agree no exemption is needed', () => {
    expect(said({ asks: [givenAsk('member-1', { force: 'hurry' })] })).toEqual([...letsGo('member-1'), 'wake at 10']);
  });

  test('also while the engine cannot be read', () => {
    const topology = { unreachable: 'refused', since: at(-5) };
    expect(said({ asks: [forced], snapshot: { topology } })[0]).toContain('record granted member-5');
  });

  test('it is still one at a time', () => {
    const asks = [givenAsk('member-1', { since: at(-60) }), forced];
    expect(said({ asks })).toEqual([...letsGo('member-1'), holds('member-5', 'AnotherGranted'), 'wake at 10']);
  });

  test('until the engine shows what that did, no other pod is let go by the rules', () => {
    const exempt = givenGrant('member-5', { exemption: 'forced', goneAt: at(0) });
    const groups = ids.slice(0, 4).map((id) => givenGroup(id));
    expect(said({ groups, grants: [exempt] })).toContain(holds('member-1', 'AnotherGranted'));
    const shown = { ...exempt, goneAt: at(-1) };
    expect(
      said({
        groups,
        grants: [shown],
        topology: { quorums: [givenQuorum('q', ['member-4', 'member-1', 'member-2'])] },
      }),
    ).toEqual(['record grant-ended member-5 uid-member-5', ...letsGo('member-1'), 'wake at 10']);
  });

  test('of several that went against the rules the first by id is named', () => {
    const exempt = ['member-5', 'member-4'].map((id) => givenGrant(id, { exemption: 'x', goneAt: at(0) }));
    const groups = ids.slice(0, 3).map((id) => givenGroup(id));
    const quorums = [givenQuorum('q', ['member-3', 'member-1', 'member-2'])];
    expect(toldInWords(step({ groups, grants: exempt, topology: { quorums } }))[0]).toContain(
      'member-4 was just let go',
    );
  });

  test('but another may be forced', () => {
    const exempt = givenGrant('member-4', { exemption: 'x', goneAt: at(0) });
    expect(said({ asks: [forced], grants: [exempt] })).toContain('let-go member-5 uid-member-5@1 (Forced)');
  });
});

describe('the drain policy may let the last copy go, and that is recorded', () => {
  test('always-allow', () => {
    const spec = {
      engine: 'longhorn',
      ownsPods: false,
      drainPolicy: 'always-allow',
      roles: [givenRole('im', { shape: null })],
    } as const;
    const units = [givenUnit('v', ['im-1'], { attached: false })];
    const lines = said({
      groups: [givenGroup('im-1')],
      asks: [givenAsk('im-1')],
      spec,
      topology: { units, quorums: [] },
    });
    expect(lines[0]).toContain('exempt: always-allow lets it go: nothing else protects unit v');
    expect(lines[1]).toBe('let-go im-1 uid-im-1@1 (RuleHolds)');
  });
});

test('two decisions in a row let nothing more go until the engine was read again', () => {
  const asks = [givenAsk('member-1'), givenAsk('member-2')];
  const first = world({ asks });
  const { records } = grants(surveyOf(first));
  const second = { ...applyRecords(first, records), now: at(1) };
  expect(told(grants(surveyOf(second)))).toEqual([
    'let-go member-1 uid-member-1@1 (RuleHolds)',
    holds('member-2', 'ViewTooOld'),
    'wake at 10',
  ]);
});

test('the order of the lists does not matter', () => {
  const given = {
    asks: [givenAsk('member-1'), givenAsk('member-2'), givenAsk('member-5')],
    grants: [givenGrant('member-3', { closedAt: at(-70) }), givenGrant('member-4', { closedAt: at(-10) })],
  };
  const turned = {
    asks: given.asks.toReversed(),
    grants: given.grants.toReversed(),
    groups: ids.toReversed().map((id) => givenGroup(id)),
  };
  expect(said(turned)).toEqual(said(given));
});
