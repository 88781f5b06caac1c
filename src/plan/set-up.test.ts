import { describe, expect, test } from 'vitest';
import { at, givenSnapshot } from '../model/testing/given.ts';
import type { Unreachable } from '../model/topology.ts';
import { surveyOf } from '../rules/survey.ts';
import { setUp } from './set-up.ts';

const silent: Unreachable = { unreachable: 'so it is', since: at(-60) };
const since = 'has waited to be set up since 2026-11-14T23:59:00Z';

describe('a database that was never up says what it waits for, as a whole', () => {
  test.each<[Unreachable['setUpWaitsFor'], string | undefined]>([
    [undefined, undefined],
    ['coordinators', `CoordinatorsNotChosen: db/orders ${since}: so it is`],
    ['answer', `SetUpUnanswered: db/orders ${since}: its engine does not answer: so it is`],
    ['refused', `SetUpRefused: db/orders ${since}: its engine refuses to create the database: so it is`],
  ])('%s: %s', (setUpWaitsFor, expected) => {
    const snapshot = givenSnapshot({ topology: { ...silent, setUpWaitsFor } });
    const { holds, records, actions, wakeAt } = setUp(surveyOf(snapshot));
    expect(holds.map(({ group, reason }) => [group, `${reason.code}: ${reason.message}`])).toEqual(
      expected === undefined ? [] : [[null, expected]],
    );
    expect([records, actions, wakeAt]).toEqual([[], [], undefined]);
  });
});
