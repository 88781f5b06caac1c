import { describe, expect, test } from 'vitest';
import { dealt, scenario, scenarioNames } from './scenarios.ts';

describe('seeds', () => {
  test('are dealt out over all scenarios: one in 40 to the one that takes longest, the others in turn', () => {
    const counts = Map.groupBy(
      Array.from({ length: 400 }, (_, seed) => seed),
      dealt,
    );
    const shares = scenarioNames.map((name) => [name, counts.get(name)?.length]);
    expect(shares).toEqual([
      ['drains', 90],
      ['failures', 100],
      ['upgrades', 100],
      ['mixed', 100],
      ['foundationdb', 10],
    ]);
  });

  test('of foundationdb draw every release that excludes in its own way', () => {
    const versions = Array.from({ length: 30 }, (_, seed) => {
      const { subject } = scenario('foundationdb', seed);
      return subject.engine === 'foundationdb' ? subject.database.version : 'none';
    });
    expect(new Set(versions)).toEqual(new Set(['6.3.24', '7.1.57', '7.3.63']));
  });
});
