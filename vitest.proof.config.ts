import { defineConfig } from 'vitest/config';
import wholeSuite from './vitest.config.js';

/** `npm run test:proof`: the tests of `npm test` once more, with other clients, versions of Node and tools. */
export default defineConfig({
  ...wholeSuite,
  test: {
    ...wholeSuite.test,
    include: ['test/**/*.proof.test.ts'],
    exclude: ['node_modules/**'],
    typecheck: { enabled: false },
  },
});
