import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../kube/random.ts';
import type { Zone } from '../../model/ids.ts';
import { name } from '../../model/ids.ts';
import type { Place } from './placement.ts';
import { choosePlace } from './placement.ts';

const place = (process: string, zone: string, load: number): Place => ({
  process: name(process),
  zone: name(zone),
  load,
});

describe('a place for a copy', () => {
  test.each([
    { taken: [], chosen: 'b', why: 'the emptiest' },
    { taken: ['z2'], chosen: 'a', why: 'a zone without a copy before an emptier process' },
    { taken: ['z1', 'z2'], chosen: 'b', why: 'any zone, where all have one' },
  ])('$why', ({ taken, chosen }) => {
    const places = [place('a', 'z1', 5), place('b', 'z2', 1)];
    const zones = new Set(taken.map((zone) => name<Zone>(zone)));
    expect(choosePlace(places, zones, seededRandom(1))?.process).toBe(chosen);
  });

  test('among equals chance decides, the same for the same seed', () => {
    const places = [place('a', 'z1', 0), place('b', 'z2', 0), place('c', 'z3', 0)];
    const draw = (seed: number) => choosePlace(places, new Set(), seededRandom(seed))?.process;
    expect(draw(7)).toBe(draw(7));
    expect(new Set(Array.from({ length: 40 }, (_, seed) => draw(seed))).size).toBe(3);
  });

  test('nowhere is nowhere', () => {
    expect(choosePlace([], new Set(), seededRandom(1))).toBeUndefined();
  });
});
