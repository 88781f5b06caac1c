import { describe, expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';
import { onlyHappenings, scenario, scenarioNames } from './scenarios.ts';

describe.each(scenarioNames)('%s', (which) => {
  test.each([1, 2, 3, 4, 5])('seed %i: every invariant holds', async (seed) => {
    const { violation, story, happened } = await runSeed(scenario(which, seed));
    expect({ violation, story }).toEqual({ violation: undefined, story: [] });
    expect(happened.length).toBeGreaterThan(0);
  });
});

test('the same seed gives the same run', async () => {
  const once = await runSeed(scenario('mixed', 7));
  expect(await runSeed(scenario('mixed', 7))).toEqual(once);
  expect(once.writes).toBeGreaterThan(20);
});

test('a run without happenings is quiet', async () => {
  const { violation, happened } = await runSeed(onlyHappenings(scenario('mixed', 7), []));
  expect({ violation, happened }).toEqual({ violation: undefined, happened: [] });
});
