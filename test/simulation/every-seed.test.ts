import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { playAll } from '../../src/embedded/simulation/pool.ts';
import { dealt, scenarioNames } from '../../src/embedded/simulation/scenarios.ts';

/** So many runs, over all scenarios or of one. More of them in `npm run test:long`. */
const runs = Number(process.env['DROVER_RUNS'] ?? 2000);
const first = Number(process.env['DROVER_FIRST_SEED'] ?? 1);
const only = scenarioNames.find((name) => name === process.env['DROVER_SCENARIO']);

test(`${runs} seeds of ${only ?? 'all scenarios'}: every invariant holds`, { timeout: 14_400_000 }, async () => {
  const seeds = Array.from({ length: runs }, (_, index) => first + index);
  const orders = seeds.map((seed) => ({ scenario: only ?? dealt(seed), seed }));
  const bad: unknown[] = [];
  for await (const { order, outcome } of playAll(orders, availableParallelism()))
    if (outcome.violation !== undefined) bad.push({ ...order, ...outcome.violation });
  expect(bad).toEqual([]);
});
