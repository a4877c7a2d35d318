import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** `npm run model`: apart from the other tests, which would suffer from two busy cores. */
export default defineConfig({
  test: { include: ['test/model/**/*.test.ts'], maxConcurrency: availableParallelism() },
});
