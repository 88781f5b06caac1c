import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { playAll } from '../../src/embedded/simulation/pool.ts';
import { scenarioNames } from '../../src/embedded/simulation/scenarios.ts';

/** So many runs, over all scenarios. More of them in `npm run test:long`. */
const runs = Number(process.env['DROVER_RUNS'] ?? 2000);
const first = Number(process.env['DROVER_FIRST_SEED'] ?? 1);

test(`${runs} seeds over all scenarios: every invariant holds`, { timeout: 3_600_000 }, async () => {
  const orders = Array.from({ length: runs }, (_, index) => ({
    scenario: scenarioNames[index % scenarioNames.length] ?? 'mixed',
    seed: first + Math.floor(index / scenarioNames.length),
  }));
  const bad: unknown[] = [];
  for await (const { order, outcome } of playAll(orders, availableParallelism()))
    if (outcome.violation !== undefined) bad.push({ ...order, ...outcome.violation });
  expect(bad).toEqual([]);
});
