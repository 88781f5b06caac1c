import { describe, expect, test } from 'vitest';
import { name } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { ProcessGroup } from '../model/process-group.ts';
import { at, givenClaim, givenGroup, givenPod, givenQuorum, givenSpec } from '../model/testing/given.ts';
import { seconds } from '../model/time.ts';
import { drained, holds, marked, removes, removing, said, step, undrained } from './testing/removal-scene.ts';
import { told, toldInWords } from './testing/told.ts';

describe('a drained process group is removed with its volume', () => {
  test('recorded first, then deleted', () => {
    const outcome = step({ groups: [givenGroup('storage-1', drained)] });
    expect(told(outcome)).toEqual(removes('storage-1'));
    expect(outcome.records).toMatchObject([
      { reason: { message: 'storage-1 is removed with its volume: it is drained' } },
    ]);
  });

  test.each`
    health                           | outcome
    ${{ available: false }}          | ${'EngineUnavailable'}
    ${{ available: unknown }}        | ${'FactUnknown'}
    ${{ fullyReplicated: false }}    | ${'NotFullyReplicated'}
    ${{ fullyReplicated: unknown }}  | ${'FactUnknown'}
    ${{ toleranceLacks: ['a log'] }} | ${'ToleranceLacking'}
    ${{ toleranceLacks: unknown }}   | ${'FactUnknown'}
  `(
    'only with the engine available, fully replicated and as fault tolerant as asked for: $health',
    ({ health, outcome }) => {
      expect(said({ groups: [givenGroup('storage-1', drained)], health })).toEqual([holds('storage-1', outcome)]);
    },
  );

  test('not while the engine cannot be read', () => {
    const outcome = step({
      groups: [givenGroup('storage-1', drained)],
      snapshot: { topology: { unreachable: 'refused', since: at(-5) } },
    });
    expect(told(outcome)).toEqual([holds('storage-1', 'EngineUnreachable')]);
    expect(toldInWords(outcome)[0]).toContain('storage-1 is not removed yet');
  });

  test('never while it sits in a quorum whose members are moved', () => {
    const quorums = [givenQuorum('coordinators', ['storage-1'], { membersMove: true })];
    expect(said({ groups: [givenGroup('storage-1', drained)], topology: { quorums } })).toEqual([
      holds('storage-1', 'IsCoordinator'),
    ]);
  });

  test.each`
    list             | outcome
    ${['storage-1']} | ${[holds('storage-1', 'RemovalBlocked')]}
    ${['*']}         | ${[holds('storage-1', 'RemovalBlocked')]}
    ${['storage-2']} | ${removes('storage-1')}
  `('not while buggify.blockRemoval lists $list', ({ list, outcome }) => {
    const { buggify } = givenSpec();
    const spec = { buggify: { ...buggify, blockRemoval: list } };
    expect(said({ groups: [givenGroup('storage-1', drained)], spec })).toEqual(outcome);
  });

  test('not while a cancel holds it', () => {
    const spec = { cancelReplacements: [name<ProcessGroup['id']>('storage-1')] };
    expect(said({ groups: [givenGroup('storage-1', drained)], spec })).toEqual([]);
  });

  test('not before it is drained: the steps that empty it say why', () => {
    expect(said({ groups: [givenGroup('storage-1', { ...marked, evacuationAt: at(-300) })] })).toEqual([]);
  });

  test('not when it is not marked', () => {
    expect(said({ groups: [givenGroup('storage-1', { drainedAt: at(-60) })] })).toEqual([]);
  });
});

describe('without exclusion', () => {
  test('it goes undrained, and that is said loudly', () => {
    const outcome = step({ groups: [givenGroup('storage-1', undrained)] });
    expect(told(outcome)).toEqual(removes('storage-1', 'RequestedWithoutExclusion'));
    expect(outcome.records).toMatchObject([{ reason: { message: expect.stringContaining('WITHOUT being drained') } }]);
  });

  test.each`
    health
    ${{ available: false }}
    ${{ available: unknown }}
    ${{ fullyReplicated: false }}
    ${{ fullyReplicated: unknown }}
  `('the engine is not asked for its health: $health', ({ health }) => {
    expect(said({ groups: [givenGroup('storage-1', undrained)], health })).toEqual(
      removes('storage-1', 'RequestedWithoutExclusion'),
    );
  });

  test('but it never leaves a quorum whose members are moved', () => {
    const quorums = [givenQuorum('coordinators', ['storage-1'], { membersMove: true })];
    expect(said({ groups: [givenGroup('storage-1', undrained)], topology: { quorums } })).toEqual([
      holds('storage-1', 'IsCoordinator'),
    ]);
  });

  test('and an engine that cannot be read may hide that it is one', () => {
    const topology = { unreachable: 'refused', since: at(-5) };
    expect(said({ groups: [givenGroup('storage-1', undrained)], snapshot: { topology } })).toEqual([
      holds('storage-1', 'EngineUnreachable'),
    ]);
  });
});

describe('removals go in lots', () => {
  const zoned = (id: string, zone: string, given: Partial<ProcessGroup> = drained) =>
    givenGroup(id, { ...given, zone: name(zone) });
  const groups = [zoned('storage-1', 'a'), zoned('storage-2', 'b'), zoned('storage-3', 'b'), zoned('storage-4', 'c')];

  test('All: everything at once', () => {
    expect(said({ groups, spec: { removalMode: 'All' } }).filter((line) => line.startsWith('record'))).toEqual([
      'record removing storage-1 (Removed)',
      'record removing storage-2 (Removed)',
      'record removing storage-3 (Removed)',
      'record removing storage-4 (Removed)',
    ]);
  });

  test('Zone: the zone with the most', () => {
    expect(said({ groups, spec: { removalMode: 'Zone' } })).toEqual([
      'record removing storage-2 (Removed)',
      'record removing storage-3 (Removed)',
      'delete-group storage-2 uid-storage-2@1 (Removed)',
      'delete-group storage-3 uid-storage-3@1 (Removed)',
      holds('storage-1', 'AnotherBatch'),
      holds('storage-4', 'AnotherBatch'),
    ]);
  });

  test('Zone: of two alike the one whose name comes first', () => {
    const outcome = step({ groups: [zoned('storage-1', 'b'), zoned('storage-2', 'a')] });
    expect(told(outcome)).toEqual([...removes('storage-2'), holds('storage-1', 'AnotherBatch')]);
    expect(toldInWords(outcome)).toEqual(['storage-1 waits its turn: a goes first']);
  });

  test('Zone: what has no zone goes alone', () => {
    const nowhere = [
      givenGroup('storage-1', { ...drained, zone: null }),
      givenGroup('storage-2', { ...drained, zone: null }),
    ];
    expect(said({ groups: nowhere })).toEqual([...removes('storage-1'), holds('storage-2', 'AnotherBatch')]);
  });

  test('Zone: those that are terminating are no zone of their own, and hold nothing up', () => {
    const pod = (id: string) => givenPod(id, { deletingSince: at(-60) });
    const going = (id: string) => ({
      ...zoned(id, 'b', removing),
      pod: pod(id),
      claim: givenClaim({ deleting: true }),
    });
    expect(said({ groups: [going('storage-2'), going('storage-3'), zoned('storage-1', 'a')] })).toEqual([
      ...removes('storage-1'),
      holds('storage-2', 'StuckTerminating'),
      holds('storage-3', 'StuckTerminating'),
    ]);
  });

  test('ProcessGroup: one, who was marked first', () => {
    const later = { ...drained, removal: { ...marked.removal, at: at(-599) } };
    const two = [givenGroup('storage-1', later), givenGroup('storage-2', drained)];
    expect(said({ groups: two, spec: { removalMode: 'ProcessGroup' } })).toEqual([
      ...removes('storage-2'),
      holds('storage-1', 'AnotherBatch'),
    ]);
  });

  test.each`
    mode              | wait   | last   | outcome
    ${'Zone'}         | ${60}  | ${-60} | ${removes('storage-1')}
    ${'Zone'}         | ${60}  | ${-59} | ${[`${holds('storage-1', 'WaitBetweenRemovals')} until at 1`, 'wake at 1']}
    ${'ProcessGroup'} | ${60}  | ${-59} | ${[`${holds('storage-1', 'WaitBetweenRemovals')} until at 1`, 'wake at 1']}
    ${'All'}          | ${60}  | ${-59} | ${[`${holds('storage-1', 'WaitBetweenRemovals')} until at 1`, 'wake at 1']}
    ${'Zone'}         | ${0}   | ${-1}  | ${removes('storage-1')}
    ${'Zone'}         | ${0}   | ${0}   | ${[`${holds('storage-1', 'WaitBetweenRemovals')} until at 0.001`, 'wake at 0.001']}
    ${'Zone'}         | ${300} | ${-60} | ${[`${holds('storage-1', 'WaitBetweenRemovals')} until at 240`, 'wake at 240']}
  `('$mode, $wait s between removals, the last $last s ago: $outcome', ({ mode, wait, last, outcome }) => {
    const spec = { removalMode: mode, waitBetweenRemovals: seconds(wait) };
    const snapshot = { lastRemovalAt: at(last) };
    expect(said({ groups: [givenGroup('storage-1', drained)], spec, snapshot })).toEqual(outcome);
  });

  test('the wait is for those that are ready: nobody wakes for the others', () => {
    expect(said({ groups: [givenGroup('storage-1', marked)], snapshot: { lastRemovalAt: at(-1) } })).toEqual([]);
  });
});

describe('what is being removed is deleted until it is gone', () => {
  test.each`
    what                            | group                                                                                                | outcome
    ${'nothing deleted yet'}        | ${{}}                                                                                                | ${'delete-group storage-1 uid-storage-1@1 (Removed)'}
    ${'pod terminating, not claim'} | ${{ pod: givenPod('storage-1', { deletingSince: at(-9) }) }}                                         | ${'delete-group storage-1 uid-storage-1@1 (Removed)'}
    ${'pod gone, claim left'}       | ${{ pod: null }}                                                                                     | ${'delete-group storage-1 without pod (Removed)'}
    ${'service left'}               | ${{ pod: null, claim: null, service: 'present' }}                                                    | ${'delete-group storage-1 without pod (Removed)'}
    ${'claim terminating'}          | ${{ removingAt: at(-60), pod: null, claim: givenClaim({ deleting: true }) }}                         | ${holds('storage-1', 'StuckTerminating')}
    ${'service terminating'}        | ${{ removingAt: at(-60), pod: null, claim: 'none', service: 'terminating' }}                         | ${holds('storage-1', 'StuckTerminating')}
    ${'everything terminating'}     | ${{ pod: givenPod('storage-1', { deletingSince: at(-60) }), claim: givenClaim({ deleting: true }) }} | ${holds('storage-1', 'StuckTerminating')}
    ${'everything gone'}            | ${{ pod: null, claim: null }}                                                                        | ${undefined}
  `('$what', ({ group, outcome }) => {
    expect(said({ groups: [givenGroup('storage-1', { ...removing, ...group })] })).toEqual(
      outcome === undefined ? [] : [outcome],
    );
  });

  test('it is not stuck before it has been going for a minute', () => {
    const claim = givenClaim({ deleting: true });
    const pod = givenPod('storage-1', { deletingSince: at(-59) });
    expect(said({ groups: [givenGroup('storage-1', { ...removing, pod, claim })] })).toEqual([
      holds('storage-1', 'Terminating'),
      'wake at 1',
    ]);
  });

  test('why is told', () => {
    const because = (given: Partial<ProcessGroup>) =>
      step({ groups: [givenGroup('test-1', given)] }).actions.map(({ reason }) => reason.message);
    expect(because(removing)).toEqual(['test-1 is removed with its volume: it is drained']);
    expect(because({ ...marked, removingAt: at(-9) })).toEqual([
      'test-1 is removed with its volume: everything survives without it',
    ]);
  });

  test('since when it is terminating is told', () => {
    const claim = givenClaim({ deleting: true });
    const pod = givenPod('storage-1', { deletingSince: at(-3600) });
    expect(toldInWords(step({ groups: [givenGroup('storage-1', { ...removing, pod, claim })] }))).toEqual([
      'storage-1 has been terminating since 2026-11-14T23:00:00Z; it stays excluded until its objects are gone',
    ]);
    expect(toldInWords(step({ groups: [givenGroup('storage-1', { ...removing, pod: null, claim })] }))).toEqual([
      'storage-1 is being deleted since 2026-11-14T23:59:30Z',
    ]);
  });

  test('a drained one is deleted even while the engine cannot be read: there is nothing left on it', () => {
    const topology = { unreachable: 'refused', since: at(-5) };
    expect(said({ groups: [givenGroup('storage-1', removing)], snapshot: { topology } })).toEqual([
      'delete-group storage-1 uid-storage-1@1 (Removed)',
    ]);
  });

  test('one without exclusion too, and loudly', () => {
    expect(said({ groups: [givenGroup('storage-1', { ...undrained, removingAt: at(-30) })] })).toEqual([
      'delete-group storage-1 uid-storage-1@1 (RequestedWithoutExclusion)',
    ]);
  });

  test('the past removal does not hold it up', () => {
    expect(said({ groups: [givenGroup('storage-1', removing)], snapshot: { lastRemovalAt: at(-1) } })).toEqual([
      'delete-group storage-1 uid-storage-1@1 (Removed)',
    ]);
  });
});
