import { defineConfig } from 'vitest/config';

/** For mutation runs: the tables of rules and plan. The properties would take minutes for each mutant. */
export default defineConfig({
  test: {
    include: ['src/rules/**/*.test.ts', 'src/plan/**/*.test.ts'],
    exclude: ['**/*.property.test.ts', '**/node_modules/**'],
  },
});
