import { describe, expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';
import { scenario, scenarioNames } from './scenarios.ts';

const seeds = Array.from({ length: 15 }, (_, index) => index + 1);

describe.each(scenarioNames)('%s', (which) => {
  test.each(seeds)(
    'seed %i: nothing is lost, no quorum breaks, no volume goes undrained, and everything ends',
    async (seed) => {
      const { violations, drainsDone } = await runSeed(scenario(which, seed));
      expect(violations).toEqual([]);
      expect(drainsDone).toBeGreaterThan(0);
    },
  );
});

test('the same seed gives the same run', async () => {
  const once = await runSeed(scenario('failures', 7));
  expect(await runSeed(scenario('failures', 7))).toEqual(once);
});
