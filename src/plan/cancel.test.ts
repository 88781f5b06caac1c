import { describe, expect, test } from 'vitest';
import type { Zone } from '../model/ids.ts';
import { name } from '../model/ids.ts';
import type { ProcessGroup, RemovalCause } from '../model/process-group.ts';
import {
  at,
  givenClaim,
  givenGroup,
  givenPod,
  givenRole,
  givenShape,
  givenSnapshot,
  givenSpec,
} from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { cancelReplacements, isHeldByCancel } from './cancel.ts';

import type { World } from './testing/cancel-scene.ts';
import { cancelling, id, marked, snapshotOf, unreachable } from './testing/cancel-scene.ts';

type Partly = World['group'];

const replacing = { type: 'NodeTaintReplacing', since: at(-50) } as const;

describe('a listed process group stays', () => {
  test.each<[string, World, readonly string[]]>([
    ['not marked: nothing to do', {}, []],
    ['marked: unmarked', { group: { removal: marked } }, ['unmark storage-1 Cancelled']],
    [
      'marked without exclusion',
      { group: { removal: { ...marked, withoutExclusion: true } } },
      ['unmark storage-1 Cancelled'],
    ],
    ['marked and drained', { group: { removal: marked, drainedAt: at(-5) } }, ['unmark storage-1 Cancelled']],
    ['its taint is forgiven', { group: { conditions: [replacing] } }, ['clear storage-1 NodeTaintReplacing']],
    [
      'marked for its taint',
      { group: { removal: marked, conditions: [replacing] } },
      ['clear storage-1 NodeTaintReplacing', 'unmark storage-1 Cancelled'],
    ],
    [
      'other conditions stay',
      {
        group: {
          conditions: [
            { type: 'NodeTaintDetected', since: at(-50) },
            { type: 'PodFailing', since: at(-50) },
          ],
        },
      },
      [],
    ],
    [
      'too late: its objects are going',
      { group: { removal: marked, removingAt: at(-5), conditions: [replacing] } },
      ['cancel holds storage-1: TooLateToCancel'],
    ],
    [
      'the engine is down: unmarked all the same',
      { group: { removal: marked }, snapshot: { topology: unreachable } },
      ['unmark storage-1 Cancelled'],
    ],
    ['pods that someone else owns are never marked', { group: { removal: marked }, spec: { ownsPods: false } }, []],
  ])('%s', (_, world, expected) => {
    expect(cancelling(world)).toEqual(expected);
  });

  test('an id that does not exist is reported and ignored, and the others are still looked at', () => {
    const spec = { cancelReplacements: [id('storage-9'), id('storage-1'), id('storage-1')] };
    expect(cancelling({ spec, group: { removal: marked } })).toEqual([
      'unmark storage-1 Cancelled',
      'cancel holds the cluster: UnknownProcessGroup',
    ]);
    const { holds } = cancelReplacements(surveyOf(snapshotOf({ spec })));
    expect(holds[0]?.reason.message).toBe(
      'cancelReplacementsForInstance lists storage-9, which does not exist: ignored',
    );
  });

  test('nobody else is touched', () => {
    const others = [givenGroup('storage-2', { removal: marked, conditions: [replacing] }), givenGroup('storage-1')];
    expect(cancelling({ snapshot: { processGroups: others } })).toEqual([]);
  });
});

describe('its successor, which has no place any more, goes instead of another', () => {
  const unmarked = 'unmark storage-1 Cancelled';
  const fresh = { pod: givenPod('x', { createdAt: at(-50) }) };
  const groups = (more: Readonly<Record<string, Partly>> = {}, cause: RemovalCause = 'Failed'): World => ({
    snapshot: {
      processGroups: Object.entries({
        'storage-1': { removal: { ...marked, cause } },
        'storage-2': { zone: name<Zone>('full') },
        'storage-3': { zone: name<Zone>('full'), conditions: [{ type: 'PodFailing', since: at(-5) } as const] },
        ...more,
      }).map(([one, given]) => givenGroup(one, given)),
    },
  });

  test.each<[string, World, readonly string[]]>([
    ['it has none yet', groups(), [unmarked]],
    ['it has one', groups({ 'storage-4': fresh }), [unmarked, 'mark storage-4 Shrink Shrink']],
    [
      'the youngest of two, of which one is for another that leaves',
      groups({ 'storage-0': { removal: marked }, 'storage-4': fresh, 'storage-10': fresh }),
      [unmarked, 'mark storage-10 Shrink Shrink'],
    ],
    [
      'it has one, without a pod so far',
      groups({ 'storage-4': { pod: null } }),
      [unmarked, 'mark storage-4 Shrink Shrink'],
    ],
    ['it leaves already', groups({ 'storage-4': { removal: marked } }), [unmarked]],
    [
      'there is a place for both by now',
      { ...groups({ 'storage-4': fresh }), spec: { roles: [givenRole('storage', { count: 4 })] } },
      [unmarked],
    ],
    [
      'people want it to stay',
      { ...groups({ 'storage-4': fresh }), spec: { cancelReplacements: [id('storage-1'), id('storage-4')] } },
      [unmarked],
    ],
    ['it left for a lower count, so it has none', groups({ 'storage-4': fresh }, 'Shrink'), [unmarked]],
    ['only older ones are there', groups({ 'storage-0': {} }), [unmarked]],
    ['one that was there before', groups({ 'storage-4': { pod: givenPod('x', { createdAt: at(-101) }) } }), [unmarked]],
  ])('%s', (_, world, expected) => {
    expect(cancelling(world)).toEqual(expected);
  });

  test('each has its own', () => {
    const both = groups({ 'storage-2': { removal: marked }, 'storage-4': fresh, 'storage-5': fresh });
    expect(cancelling({ ...both, spec: { cancelReplacements: [id('storage-1'), id('storage-2')] } })).toEqual([
      unmarked,
      'mark storage-5 Shrink Shrink',
      'unmark storage-2 Cancelled',
      'mark storage-4 Shrink Shrink',
    ]);
  });

  test('the reason says whose successor it was', () => {
    const { records } = cancelReplacements(surveyOf(snapshotOf(groups({ 'storage-4': fresh }))));
    expect(records.map((record) => ('reason' in record ? record.reason.message : ''))).toContainEqual(
      expect.stringContaining('it was made to succeed storage-1, which stays'),
    );
  });
});

describe('where another part of the spec wants it gone nothing is done about it', () => {
  const changed = { pod: givenPod('storage-1', { shape: givenShape({ nodeSelector: { disk: 'ssd' } }) }) };
  const templated = { pod: givenPod('storage-1', { shape: givenShape({ specHash: 'old' }) }) };

  test.each<[string, World, string | undefined]>([
    [
      'processGroupsToRemove',
      { spec: { processGroupsToRemove: [id('storage-1')] } },
      'processGroupsToRemove lists it too',
    ],
    [
      'processGroupsToRemoveWithoutExclusion',
      { spec: { processGroupsToRemoveWithoutExclusion: [id('storage-1')] } },
      'processGroupsToRemoveWithoutExclusion lists it too',
    ],
    ['another id in that list', { spec: { processGroupsToRemove: [id('storage-2')] } }, undefined],
    [
      'a change that forces replacement',
      { group: changed },
      'the node selector changed, which only its replacement can follow',
    ],
    [
      'a claim that changed',
      { group: { claim: givenClaim({ specHash: 'old' }) } },
      'the volume claim changed, which only its replacement can follow',
    ],
    ['a change that the pod is recreated for', { group: templated }, undefined],
    [
      'a change that the strategy rolls out by replacement',
      { group: templated, spec: { podUpdateStrategy: 'Replace' } },
      'the pod template changed, which only its replacement can follow',
    ],
  ])('%s', (_, { group = {}, spec = {} }, other) => {
    const world = { group: { ...group, removal: marked, conditions: [replacing] }, spec };
    const { records, actions, holds } = cancelReplacements(surveyOf(snapshotOf(world)));
    if (other === undefined) {
      expect(records).toHaveLength(2);
      return;
    }
    expect({ records, actions }).toEqual({ records: [], actions: [] });
    expect(holds.map((hold) => [hold.group, hold.reason.code, hold.reason.evidence])).toEqual([
      ['storage-1', 'ConflictingRequests', { group: 'storage-1', other }],
    ]);
  });

  describe('a shrink that only listed process groups could satisfy', () => {
    const groups = (...list: readonly (readonly [string, Partly?])[]): readonly ProcessGroup[] =>
      list.map(([one, given = {}]) => givenGroup(one, given));
    const all = groups(['storage-1'], ['storage-2'], ['storage-10'], ['storage-3']);

    test.each<[string, number, readonly string[], readonly ProcessGroup[], readonly string[]]>([
      ['as many listed as wanted', 2, ['storage-1', 'storage-2'], all, []],
      ['one more listed than wanted: the newest', 1, ['storage-1', 'storage-2'], all, ['storage-2']],
      ['the newest by number', 2, ['storage-1', 'storage-2', 'storage-10'], all, ['storage-10']],
      ['none wanted', 0, ['storage-1', 'storage-2'], all, ['storage-1', 'storage-2']],
      [
        'one that is already leaving comes first',
        1,
        ['storage-1', 'storage-2'],
        groups(['storage-1', { removal: marked }], ['storage-2']),
        ['storage-1'],
      ],
      [
        'one that is already leaving comes first, also when it is the newest',
        1,
        ['storage-1', 'storage-2', 'storage-3'],
        groups(['storage-1'], ['storage-2', { removal: marked }], ['storage-3']),
        ['storage-2', 'storage-3'],
      ],
      [
        'of those that are leaving, the newest',
        2,
        ['storage-1', 'storage-2', 'storage-3'],
        groups(['storage-3'], ['storage-1', { removal: marked }], ['storage-2', { removal: marked }]),
        ['storage-2'],
      ],
      [
        'one that cannot be kept any more does not count',
        1,
        ['storage-1', 'storage-2'],
        groups(['storage-1', { removal: marked, removingAt: at(-5) }], ['storage-2']),
        [],
      ],
      ['of another role', 1, ['storage-1', 'log-2'], groups(['storage-1'], ['log-2']), []],
    ])('%s', (_, count, listed, processGroups, conflicting) => {
      const roles = [givenRole('storage', { count }), givenRole('log', { count: 1 })];
      const spec = { roles, cancelReplacements: listed.map(id) };
      const { holds } = cancelReplacements(surveyOf(snapshotOf({ spec, snapshot: { processGroups } })));
      const conflicts = holds.filter(({ reason }) => reason.code === 'ConflictingRequests');
      expect(conflicts.map(({ group }) => group)).toEqual(conflicting);
    });

    test.each([
      [0, 'no more than 0 storage process groups are wanted, and 2 are listed'],
      [1, 'no more than 1 storage process group is wanted, and 2 are listed'],
    ])('wanted %i: says so', (count, other) => {
      const roles = [givenRole('storage', { count })];
      const spec = { roles, cancelReplacements: [id('storage-1'), id('storage-2')] };
      const { holds } = cancelReplacements(surveyOf(snapshotOf({ spec })));
      expect(holds.at(-1)?.reason.evidence).toEqual({ group: 'storage-2', other });
    });

    test('a role that the spec does not name any more is wanted by nobody', () => {
      expect(cancelling({ spec: { roles: [] } })).toEqual(['cancel holds storage-1: ConflictingRequests']);
    });
  });
});

describe('isHeldByCancel: no step goes on with its removal', () => {
  test.each<[string, string, Partly, boolean]>([
    ['listed', 'storage-1', {}, true],
    ['listed and marked', 'storage-1', { removal: marked }, true],
    ['listed, and its objects are going', 'storage-1', { removal: marked, removingAt: at(-5) }, false],
    ['not listed', 'storage-2', {}, false],
  ])('%s', (_, one, group, expected) => {
    expect(isHeldByCancel(surveyOf(snapshotOf({ group })), id(one))).toBe(expected);
  });

  test('listed and unknown', () => {
    expect(
      isHeldByCancel(surveyOf(givenSnapshot({ spec: givenSpec({ cancelReplacements: [id('x-1')] }) })), id('x-1')),
    ).toBe(true);
  });
});
