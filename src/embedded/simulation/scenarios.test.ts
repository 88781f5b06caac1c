import { describe, expect, test } from 'vitest';
import { dealt, scenario, scenarioNames } from './scenarios.ts';

describe('seeds', () => {
  test('are dealt out over all scenarios: one in 100 to each that runs the controllers, the others to the core alone', () => {
    const counts = Map.groupBy(
      Array.from({ length: 1000 }, (_, seed) => seed),
      dealt,
    );
    const shares = scenarioNames.map((name) => [name, counts.get(name)?.length]);
    expect(shares).toEqual([
      ['core', 950],
      ['drains', 10],
      ['failures', 10],
      ['upgrades', 10],
      ['mixed', 10],
      ['foundationdb', 10],
    ]);
  });

  test('of the core play four stories in turn', () => {
    const kinds = Array.from({ length: 4 }, (_, seed) => scenario('core', seed).happenings.map(({ what }) => what));
    expect(kinds.map((what) => [what.includes('drain'), what.includes('change'), what.includes('taint')])).toEqual([
      [true, false, false],
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  test.each(['drains', 'failures', 'mixed'] as const)(
    'of %s draw every owner of pods and every way to drain',
    (which) => {
      const plans = Array.from({ length: 60 }, (_, seed) => scenario(which, seed));
      const owners = plans.map(({ subject }) =>
        subject.engine === 'http' ? [subject.cluster === undefined, subject.guard === undefined].join() : 'none',
      );
      const everyOwner =
        which === 'mixed' ? ['false,true', 'false,false'] : ['false,true', 'false,false', 'true,false'];
      expect(new Set(owners)).toEqual(new Set(everyOwner));
      const ways = plans.flatMap(({ happenings }) =>
        happenings.flatMap((one) => (one.what === 'drain' ? one.how : [])),
      );
      expect(new Set(ways)).toEqual(new Set(['kubectl', 'impatient', 'NodeDrain', 'taint']));
    },
  );

  test('end with a drain that nobody gives up', () => {
    for (let seed = 0; seed < 20; seed++) {
      const last = scenario('drains', seed).happenings.findLast(({ what }) => what === 'drain');
      expect(last).toMatchObject({ lasts: 10_800, nodes: [expect.any(String)] });
    }
  });

  test('of foundationdb draw every release that excludes in its own way', () => {
    const versions = Array.from({ length: 30 }, (_, seed) => {
      const { subject } = scenario('foundationdb', seed);
      return subject.engine === 'foundationdb' ? subject.database.version : 'none';
    });
    expect(new Set(versions)).toEqual(new Set(['6.3.24', '7.1.57', '7.3.63']));
  });
});
