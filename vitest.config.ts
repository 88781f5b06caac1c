import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tools/longest-first.ts';

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'tools/**/*.test.ts', 'test/unit/**/*.test.ts'],
          setupFiles: ['tools/property-seed.ts'],
          // Every core: by itself vitest leaves one out, which is half of two.
          maxWorkers: '100%',
          // No module keeps anything of its own: read once, they serve all files of a worker, which saves a third of the time.
          isolate: false,
          // Properties make many things that live for a moment: with room for them less is moved about.
          execArgv: ['--max-semi-space-size=32'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          // Each file uses all cores by itself.
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          globalSetup: ['tools/control-plane/vitest-setup.ts'],
          setupFiles: ['tools/property-seed.ts'],
          // They mostly wait for each other's timers, so that two cores carry two control planes with their tests.
          maxWorkers: 2,
          // Stories on one control plane mostly wait, so many of them wait together.
          maxConcurrency: 100,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          // The same stories, word for word, on the cluster in memory.
          name: 'embedded',
          include: ['test/cluster/drains/{stories,interruptions,kubectl-drain,foreign-budget}.test.ts'],
          env: { DROVER_WORLD: 'embedded' },
          globalSetup: ['tools/control-plane/vitest-setup.ts'],
          // All at once: they have nothing to do but to wait for kubectl.
          maxWorkers: 4,
          maxConcurrency: 100,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
