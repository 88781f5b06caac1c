/** `npm run test:long`: what takes too long for every change. Its figures belong into the closing note of an issue. */
import type { Tally } from './step.ts';
import { add, conclude, run } from './step.ts';

const parts: readonly {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}[] = [
  {
    name: '2,000 fault runs of the cache on the real API server',
    command: ['vitest', 'run', '--project', 'cluster', 'test/cluster/cache-faults.test.ts'],
    env: { DROVER_FAULT_RUNS: '2000', DROVER_FIRST_SEED: '1000' },
  },
  {
    name: '300 random runs of drains on the real API server; two evictions in one instant, 1,000 times',
    command: ['vitest', 'run', '--project', 'cluster', 'test/cluster/drains/chaos.test.ts'],
    env: {
      DROVER_CHAOS_RUNS: '300',
      DROVER_EVICTION_PAIRS: '40',
      DROVER_EVICTION_ROUNDS: '25',
      DROVER_FIRST_SEED: '1000',
    },
  },
  {
    name: 'the stories of drains with an older kubectl',
    command: [
      'vitest',
      'run',
      '--project',
      'cluster',
      ...['stories', 'interruptions', 'foreign-budget', 'foundationdb-guard'].map(
        (story) => `test/cluster/drains/${story}.test.ts`,
      ),
    ],
    env: { DROVER_OLDER_KUBECTL: 'yes' },
  },
  ...Array.from({ length: 20 }, (_, index) => ({
    name: `properties with seed ${index + 2}`,
    command: ['vitest', 'run', '--project', 'unit', 'property.test', 'fuzz.test', 'src/decide.test', 'explain.test'],
    env: { DROVER_PROPERTY_SEED: String(index + 2) },
  })),
  {
    name: '20,000 simulated runs',
    command: ['vitest', 'run', '--project', 'simulation', 'test/simulation/every-seed.test.ts'],
    env: { DROVER_RUNS: '20000', DROVER_FIRST_SEED: '100000' },
  },
  ...['drains', 'failures', 'upgrades', 'mixed'].map((scenario) => ({
    name: `2,000 simulated runs of ${scenario}`,
    command: ['vitest', 'run', '--project', 'simulation', 'test/simulation/every-seed.test.ts'],
    env: { DROVER_RUNS: '2000', DROVER_FIRST_SEED: '300000', DROVER_SCENARIO: scenario },
  })),
  {
    name: '5,000 simulated runs of FoundationDB clusters',
    command: ['vitest', 'run', '--project', 'simulation', 'test/simulation/every-seed.test.ts'],
    env: { DROVER_RUNS: '5000', DROVER_FIRST_SEED: '200000', DROVER_SCENARIO: 'foundationdb' },
  },
  {
    name: 'planted bugs, 200 seeds each',
    command: ['vitest', 'run', '--project', 'simulation', 'test/simulation/planted-bugs.test.ts'],
    env: { DROVER_BUG_SEEDS: '200', DROVER_BUG_SHARE: '0.95', DROVER_ALL_BUGS: 'yes' },
  },
  {
    name: 'the operator killed at every write, done and not done; 1,000 times two evictions in one instant; an hour of a drain that waits',
    command: ['vitest', 'run', '--project', 'unit', 'src/embedded/operated'],
    env: {
      DROVER_ALL_DEATHS: 'yes',
      DROVER_INSTANTS: '1000',
      DROVER_WAITING_SECONDS: '1800',
    },
  },
  {
    name: 'the operator killed at every write on the real control plane',
    command: ['vitest', 'run', '--project', 'cluster', 'test/cluster/foundationdb/crash-at-a-write.test.ts'],
    env: { DROVER_ALL_DEATHS: 'yes' },
  },
  {
    name: "the demo's story in 20 other worlds",
    command: ['vitest', 'run', '--project', 'unit', 'src/embedded/demo/story.test.ts'],
    env: { DROVER_STORIES: '20' },
  },
  { name: 'mutation of src/rules and src/plan', command: ['stryker', 'run'] },
];

const tallies: Tally[] = [];
for (const { name, command, env } of parts) {
  console.log(`\n${name}`);
  const { code, seconds } = await run(command, { live: true, ...(env !== undefined && { env }) });
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds.toFixed(0)} s)`);
  const failures = code === 0 ? [] : [name];
  tallies.push({ passed: 1 - failures.length, failed: failures.length, skipped: 0, failures });
}
conclude(add(tallies));
