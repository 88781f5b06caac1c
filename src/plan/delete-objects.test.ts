import { describe, expect, test } from 'vitest';
import { unknown } from '../model/known.ts';
import { at, givenClaim, givenGroup, givenPod } from '../model/testing/given.ts';
import { holds, removing, said } from './testing/removal-scene.ts';

const neverRan = { ...removing, evacuationAt: null };
const all = 'delete-group storage-1 without pod (Removed)';
const podFirst = 'delete-pod storage-1 uid-storage-1@1 (Removed)';
const withPod = 'delete-group storage-1 uid-storage-1@1 (Removed)';
const ifUnchanged = 'delete-group storage-1 uid-storage-1@1 if unchanged (Removed)';
const nowhere = givenPod('storage-1', { phase: 'Pending', node: null });
const waits = [`${holds('storage-1', 'PodsSettling')} until at 1`, 'wake at 1'];
const going = { pod: givenPod('storage-1', { deletingSince: at(-60) }) };
const gone = { pod: null, removingAt: at(-90) };

describe('one that was taken for drained because it never ran may have come up since', () => {
  test.each`
    what                                   | given                                                   | health                          | outcome
    ${'its pod goes first'}                | ${{}}                                                   | ${{}}                           | ${[podFirst]}
    ${'its volume waits for that'}         | ${going}                                                | ${{}}                           | ${[holds('storage-1', 'StuckTerminating')]}
    ${'and until the engine notices'}      | ${{ ...gone, removingAt: at(-89) }}                     | ${{}}                           | ${waits}
    ${'then it goes'}                      | ${gone}                                                 | ${{}}                           | ${[all]}
    ${'but not if a copy is missing'}      | ${gone}                                                 | ${{ fullyReplicated: false }}   | ${[holds('storage-1', 'NotFullyReplicated')]}
    ${'nor if nobody knows that'}          | ${gone}                                                 | ${{ fullyReplicated: unknown }} | ${[holds('storage-1', 'FactUnknown')]}
    ${'an excluded one need not'}          | ${{ pod: null, evacuationAt: at(-300) }}                | ${{}}                           | ${[all]}
    ${'one that found no node need not'}   | ${{ pod: null, zone: null }}                            | ${{}}                           | ${[all]}
    ${'nor one whose pod has none, if so'} | ${{ pod: nowhere, zone: null }}                         | ${{}}                           | ${[ifUnchanged]}
    ${'its volume going: with its pod'}    | ${{ claim: givenClaim({ deleting: true }) }}            | ${{}}                           | ${[withPod]}
    ${'an excluded one goes as it is'}     | ${{ pod: nowhere, zone: null, evacuationAt: at(-300) }} | ${{}}                           | ${[withPod]}
    ${'no volume: its pod, if as it was'}  | ${{ claim: 'none' }}                                    | ${{}}                           | ${[ifUnchanged]}
    ${'no volume, no node: the same'}      | ${{ claim: 'none', pod: nowhere, zone: null }}          | ${{}}                           | ${[ifUnchanged]}
    ${'no volume, excluded: as it is'}     | ${{ claim: 'none', evacuationAt: at(-300) }}            | ${{}}                           | ${[withPod]}
    ${'without a claim nothing waits'}     | ${{ pod: null, claim: 'none', service: 'present' }}     | ${{}}                           | ${[all]}
  `('$what', ({ given, health, outcome }) => {
    expect(said({ groups: [givenGroup('storage-1', { ...neverRan, ...given })], health })).toEqual(outcome);
  });
});
