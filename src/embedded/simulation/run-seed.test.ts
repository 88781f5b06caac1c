import { expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';
import { onlyHappenings, scenario, scenarioNames } from './scenarios.ts';

// Many more of them: test/simulation.
test.each(scenarioNames)('%s: every invariant holds', async (which) => {
  const { violation, story, happened } = await runSeed(scenario(which, 1));
  expect({ violation, story }).toEqual({ violation: undefined, story: [] });
  expect(happened.length).toBeGreaterThan(0);
});

test('the same seed gives the same run', async () => {
  const once = await runSeed(scenario('drains', 7));
  expect(await runSeed(scenario('drains', 7))).toEqual(once);
  expect(once.writes).toBeGreaterThan(20);
});

test('a run without happenings is quiet', async () => {
  const { violation, happened } = await runSeed(onlyHappenings(scenario('drains', 7), []));
  expect({ violation, happened }).toEqual({ violation: undefined, happened: [] });
});
