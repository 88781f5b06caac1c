import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'tools/**/*.test.ts', 'test/unit/**/*.test.ts'],
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
          // Two cores carry one control plane and its test well, not two.
          fileParallelism: false,
          // Stories on one control plane mostly wait, so many of them wait together.
          maxConcurrency: 100,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
