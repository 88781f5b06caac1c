import { expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';
import { onlyHappenings, scenario } from './scenarios.ts';

// All scenarios, and many more seeds: test/simulation.
test('the same seed gives the same run, and every invariant holds', async () => {
  const once = await runSeed(scenario('drains', 7));
  expect(once).toMatchObject({ violation: undefined, story: [] });
  expect(once.happened.length).toBeGreaterThan(0);
  expect(await runSeed(scenario('drains', 7))).toEqual(once);
  expect(once.writes).toBeGreaterThan(20);
});

test('a run without happenings is quiet', async () => {
  const { violation, happened } = await runSeed(onlyHappenings(scenario('drains', 7), []));
  expect({ violation, happened }).toEqual({ violation: undefined, happened: [] });
});
