import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import type { Grant } from '../model/snapshot.ts';
import { at, givenAsk, givenGrant, givenGroup, givenPod, givenProcess } from '../model/testing/given.ts';
import { ids, letsGo, said, step } from './testing/grants-scene.ts';

describe('an open lock never waits', () => {
  const open = (grantedAt: number, given: Partial<Grant> = {}) =>
    givenGrant('member-1', { grantedAt: at(grantedAt), ...given });

  test.each`
    grantedAt | outcome
    ${-9}     | ${['let-go member-1 uid-member-1@1 (RuleHolds)', 'wake at 1']}
    ${-10}    | ${['close member-1 uid-member-1@1 (GrantUnused)']}
    ${-60}    | ${['close member-1 uid-member-1@1 (GrantUnused)']}
  `('granted at $grantedAt and the pod is still there: $outcome', ({ grantedAt, outcome }) => {
    expect(said({ grants: [open(grantedAt)] })).toEqual(outcome);
  });

  test('when it was granted is told', () => {
    expect(step({ grants: [open(-60)] }).actions[0]?.reason.message).toContain('2026-11-14T23:59:00Z');
  });

  test('where nobody recorded an ask, the webhook lets it through, and nobody evicts it', () => {
    expect(said({ asks: [], grants: [open(-9)] })).toEqual(['wake at 1']);
  });

  test('it closes when safety is lost before the pod is gone', () => {
    const processes = ids.map((id) =>
      givenProcess(id, { responds: id === 'member-1' || id === 'member-5' || id === 'member-4' }),
    );
    expect(said({ grants: [open(-5)], topology: { processes } })).toEqual([
      'close member-1 uid-member-1@1 (QuorumAtRisk)',
    ]);
  });

  test('not where a person forced it', () => {
    const processes = ids.map((id) => givenProcess(id, { responds: unknown }));
    const asks = [givenAsk('member-1', { force: 'why' })];
    expect(said({ asks, grants: [open(-5, { exemption: 'x' })], topology: { processes } })).toEqual([
      'let-go member-1 uid-member-1@1 (Forced)',
      'wake at 5',
    ]);
    expect(said({ asks, grants: [open(-10, { exemption: 'x' })], topology: { processes } })).toEqual([
      'close member-1 uid-member-1@1 (GrantUnused)',
    ]);
  });

  test('a pod that is said to be gone and is still listed needs nothing more', () => {
    expect(said({ asks: [], grants: [open(-30, { goneAt: at(0) })] })).toEqual([]);
  });

  test('a pod that is going needs nothing more', () => {
    const groups = ids.map((id) =>
      givenGroup(id, id === 'member-1' ? { pod: givenPod(id, { deletingSince: at(-1) }) } : {}),
    );
    expect(said({ groups, asks: [], grants: [open(-30)] })).toEqual([]);
  });

  test('a pod that is gone, or another one of its name, needs nothing more', () => {
    for (const pod of [null, givenPod('member-1', { uid: 'uid-after' })]) {
      const groups = ids.map((id) => givenGroup(id, id === 'member-1' ? { pod } : {}));
      expect(said({ groups, asks: [], grants: [open(-30)] })).toEqual([]);
    }
    expect(said({ groups: [], asks: [], grants: [open(-30)] })).toEqual([]);
  });
});

describe('a grant ends', () => {
  const groups = ids.slice(1).map((id) => givenGroup(id));

  test.each`
    goneAt    | outcome
    ${at(0)}  | ${[]}
    ${at(-1)} | ${['record grant-ended member-1 uid-member-1']}
  `('when the pod is gone and an observation that began later shows it', ({ goneAt, outcome }) => {
    expect(said({ groups, asks: [], grants: [givenGrant('member-1', { goneAt })] })).toEqual(outcome);
  });

  test.each`
    closedAt | outcome
    ${-59}   | ${['grants holds member-1: GrantClosed until at 1', 'wake at 1']}
    ${-60}   | ${['record grant-ended member-1 uid-member-1']}
  `('when it was closed $closedAt s ago: its eviction may have been on its way', ({ closedAt, outcome }) => {
    const closed = givenGrant('member-1', { grantedAt: at(-80), closedAt: at(closedAt) });
    expect(said({ asks: [], grants: [closed] })).toEqual(outcome);
  });

  test('while it counts it is not given a second time; when it has ended it is', () => {
    const closed = (closedAt: number) => givenGrant('member-1', { grantedAt: at(-80), closedAt: at(closedAt) });
    expect(said({ grants: [closed(-59)] })).toEqual(['grants holds member-1: GrantClosed until at 1', 'wake at 1']);
    expect(said({ grants: [closed(-60)] })).toEqual([
      'record grant-ended member-1 uid-member-1',
      ...letsGo('member-1'),
      'wake at 10',
    ]);
  });
});
