import { describe, expect, test } from 'vitest';
import type { Step } from '../model/decision.ts';
import { name } from '../model/ids.ts';
import { unknown } from '../model/known.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { givenHealth, givenNode, givenRole, givenTopology } from '../model/testing/given.ts';
import type { EngineHealth } from '../model/topology.ts';
import type { Survey } from '../rules/survey.ts';
import { surveyOf } from '../rules/survey.ts';
import { grow } from './grow.ts';
import { shrink } from './shrink.ts';
import type { Cluster } from './testing/cluster.ts';
import { held, markedFor, saysOf, snapshotOf } from './testing/cluster.ts';

type Groups = NonNullable<Cluster['groups']>;
type Given = Groups[string];

/** Four are wanted; storage-1 leaves from zone c, and its successor is there already: they stay in these zones. */
const leaving = (zones: readonly (string | null)[], first: Given = {}, last: Given = {}): Groups => ({
  'storage-1': { removal: markedFor('Misconfigured'), zone: 'c', ...first },
  ...Object.fromEntries(
    zones.map((zone, index) => [`storage-${index + 2}`, { zone: zone, ...(index === zones.length - 1 && last) }]),
  ),
});

const saying = (
  step: (survey: Survey) => Step,
  groups: Groups,
  need: EngineHealth['zonesForCopies'] = 3,
  nodes: Snapshot['nodes'] = null,
) =>
  saysOf(step, {
    groups,
    roles: [givenRole('storage', { count: 4 })],
    snapshot: { topology: givenTopology({ health: givenHealth({ zonesForCopies: need }) }), nodes },
  });

const adds = ['add storage-100 storage #100 OneMoreElsewhere'];
const missing = { conditions: [held('MissingProcesses')] };
const emptied = { evacuationAt: markedFor().at };

describe('one more is made where those that stay share zones, and another one could not leave', () => {
  test.each`
    what                                   | groups                                                             | need       | outcome
    ${'in too few zones'}                  | ${leaving(['a', 'a', 'b', 'b'])}                                   | ${3}       | ${adds}
    ${'in enough zones'}                   | ${leaving(['a', 'a', 'b', 'd'])}                                   | ${3}       | ${[]}
    ${'enough for two copies'}             | ${leaving(['a', 'a', 'b', 'b'])}                                   | ${2}       | ${[]}
    ${'nobody knows how many it needs'}    | ${leaving(['a', 'a', 'b', 'b'])}                                   | ${unknown} | ${[]}
    ${'an engine without such a need'}     | ${leaving(['a', 'a', 'b', 'b'])}                                   | ${null}    | ${[]}
    ${'others stay in its zone'}           | ${leaving(['a', 'a', 'b', 'b'], { zone: 'a' })}                    | ${3}       | ${[]}
    ${'it is being emptied already'}       | ${leaving(['a', 'a', 'b', 'b'], emptied)}                          | ${3}       | ${[]}
    ${'it is one too many itself'}         | ${leaving(['a', 'a', 'b', 'b'], { removal: markedFor('Shrink') })} | ${3}       | ${[]}
    ${'nobody leaves'}                     | ${leaving(['a', 'a', 'b', 'b'], { removal: null })}                | ${3}       | ${[]}
    ${'one of them is not up yet'}         | ${leaving(['a', 'a', 'b', 'b'], {}, missing)}                      | ${3}       | ${[]}
    ${'nobody knows where one of them is'} | ${leaving(['a', 'a', 'b', null])}                                  | ${3}       | ${[]}
    ${'it is there already'}               | ${leaving(['a', 'a', 'b', 'b', 'b'])}                              | ${3}       | ${[]}
  `('$what', ({ groups, need, outcome }) => {
    expect(saying(grow, groups, need)).toEqual(outcome);
  });

  test.each`
    what                              | node                             | outcome
    ${'a node of another zone'}       | ${{ zone: 'd' }}                 | ${adds}
    ${'a node of nobody knows where'} | ${{ zone: null }}                | ${adds}
    ${'one of a zone that is taken'}  | ${{ zone: 'a' }}                 | ${[]}
    ${'one that is cordoned'}         | ${{ zone: 'd', cordoned: true }} | ${[]}
    ${'one that is down'}             | ${{ zone: 'd', ready: false }}   | ${[]}
  `('there is $what beside those', ({ node, outcome }) => {
    const nodes = [givenNode('n1', { zone: name('a') }), givenNode('n2', { zone: name('b') }), givenNode('n3', node)];
    expect(saying(grow, leaving(['a', 'a', 'b', 'b']), 3, nodes)).toEqual(outcome);
  });

  test('an ordinary shortage comes first', () => {
    expect(saying(grow, leaving(['a', 'a', 'b']))).toEqual(['add storage-100 storage #100 Grow']);
  });

  test('it says why', () => {
    const topology = givenTopology({ health: givenHealth({ zonesForCopies: 3 }) });
    const roles = [givenRole('storage', { count: 4 })];
    const survey = surveyOf(snapshotOf({ groups: leaving(['a', 'a', 'b', 'b']), roles, snapshot: { topology } }));
    expect(grow(survey).records).toMatchObject([
      {
        reason: {
          message: 'storage-100 is added for a while: those of storage that stay are in 2 zones, and its copies need 3',
        },
      },
    ]);
  });
});

describe('the one more stays until it is not needed', () => {
  test.each`
    what                                | groups                                             | outcome
    ${'it has not come up'}             | ${leaving(['a', 'a', 'b', 'b', 'd'], {}, missing)} | ${[]}
    ${'it came to a zone of others'}    | ${leaving(['a', 'a', 'b', 'b', 'b'])}              | ${[]}
    ${'it serves in a zone of its own'} | ${leaving(['a', 'a', 'b', 'b', 'd'])}              | ${['mark storage-5 Shrink Shrink']}
    ${'the other is being emptied'}     | ${leaving(['a', 'a', 'b', 'b', 'b'], emptied)}     | ${['mark storage-6 Shrink Shrink']}
    ${'two more are one too many'}      | ${leaving(['a', 'a', 'b', 'b', 'b', 'b'])}         | ${['mark storage-7 Shrink Shrink']}
  `('$what', ({ groups, outcome }) => {
    expect(saying(shrink, groups)).toEqual(outcome);
  });

  test.each`
    need       | outcome
    ${unknown} | ${[]}
    ${null}    | ${['mark storage-6 Shrink Shrink']}
  `('nobody knows, or nobody needs, so many zones: $need', ({ need, outcome }) => {
    expect(saying(shrink, leaving(['a', 'a', 'b', 'b', 'b']), need)).toEqual(outcome);
  });

  test('the engine cannot be read', () => {
    const topology = { unreachable: 'refused', since: markedFor().at };
    const roles = [givenRole('storage', { count: 4 })];
    const groups = leaving(['a', 'a', 'b', 'b', 'd']);
    expect(saysOf(shrink, { groups, roles, snapshot: { topology } })).toEqual([]);
  });
});
