import { describe, expect, test } from 'vitest';
import type { Ask } from '../model/snapshot.ts';
import { at, givenAsk, givenGroup, givenNode, givenPod, givenSnapshot, givenSpec } from '../model/testing/given.ts';
import { surveyOf } from '../rules/survey.ts';
import { wishFor } from './asked.ts';
import { askedFirst, liveWishFor } from './live-wish.ts';

const group = givenGroup('storage-1');
const ask = (given: Parameters<typeof givenAsk>[1]): Ask => givenAsk('storage-1', { node: 'n1', ...given });
const own = ask({ by: 'jane', lastSeen: at(-100) });
const ofNode = ask({ by: 'joe', wants: 'Node', lastSeen: at(0), since: at(-9) });
const surveyed = (asks: readonly Ask[]) => surveyOf(givenSnapshot({ processGroups: [group], asks }));

describe('others of the node are asked for: the pod is made ready to go', () => {
  test.each<[string, readonly Ask[], object]>([
    ['and not let go', [ofNode], { by: 'joe', drains: 'n1', until: at(600), forPod: false, forPodUntil: undefined }],
    [
      'and let go where it is itself',
      [own],
      { by: 'jane', drains: null, until: at(500), forPod: true, forPodUntil: undefined },
    ],
    [
      'and let go while it is itself, as long as that is said',
      [own, ofNode],
      { by: 'jane', until: at(600), forPod: true, forPodUntil: at(500) },
    ],
    [
      'and not let go any more once that has lapsed',
      [{ ...own, lastSeen: at(-600) }, ofNode],
      { by: 'joe', drains: 'n1', until: at(600), forPod: false },
    ],
  ])('%s', (_, asks, expected) => {
    expect(liveWishFor(surveyed(asks), group)).toMatchObject(expected);
  });

  test('who is named for it all asked last, and who is named for letting it go asked for it', () => {
    expect(wishFor(surveyed([own, ofNode]), group)).toMatchObject({
      by: 'joe',
      drains: 'n1',
      forPod: { by: 'jane', since: own.since, until: at(500) },
    });
    expect(wishFor(surveyed([ofNode]), group)?.forPod).toBeUndefined();
  });

  test('an annotation that forces the pod counts once that very pod is evicted, also where a cordon is the trigger', () => {
    const force = 'the disk is dead';
    const nodes = [givenNode('n1', { cordoned: true })];
    const onNode = givenGroup('storage-1', { pod: givenPod('storage-1', { node: 'n1' }) });
    const wish = (trigger: 'Eviction' | 'Cordon', asks: readonly Ask[]) => {
      const survey = surveyOf(givenSnapshot({ processGroups: [onNode], asks, nodes, spec: givenSpec({ trigger }) }));
      return wishFor(survey, onNode);
    };
    for (const trigger of ['Eviction', 'Cordon'] as const) {
      expect(wish(trigger, [{ ...ofNode, force }])?.force).toBeUndefined();
      expect(
        wish(trigger, [
          { ...ofNode, force },
          { ...own, force },
        ])?.force,
      ).toMatchObject({ why: force, by: 'jane' });
    }
  });
});

describe('what is scarce goes to who was asked for first', () => {
  const three = ['storage-1', 'storage-2', 'storage-3'].map((id) => givenGroup(id));
  const order = (asks: readonly Ask[]) =>
    askedFirst(surveyOf(givenSnapshot({ processGroups: three.toReversed(), asks }))).map(({ id }) => id);

  test.each<[string, readonly Ask[], readonly string[]]>([
    ['by id', [givenAsk('storage-3')], ['storage-1', 'storage-2', 'storage-3']],
    [
      'those behind that only others of their nodes are asked for',
      [givenAsk('storage-1', { wants: 'Node' }), givenAsk('storage-3')],
      ['storage-2', 'storage-3', 'storage-1'],
    ],
    [
      'not one that is asked for as well',
      [givenAsk('storage-1', { wants: 'Node' }), givenAsk('storage-1', { by: 'joe' })],
      ['storage-1', 'storage-2', 'storage-3'],
    ],
  ])('%s', (_, asks, expected) => {
    expect(order(asks)).toEqual(expected);
  });
});
