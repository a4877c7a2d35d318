import { defineConfig } from 'vitest/config';
import wholeSuite from './vitest.config.js';

/** `npm run test:quick`: the tests that start no server and no process, for use after each change. */
export default defineConfig({
  ...wholeSuite,
  test: {
    ...wholeSuite.test,
    include: [
      'test/{core,schedule,operate}/**/*.test.ts',
      'test/{adapters,leader}/*.test.ts',
      'test/stores/{memory,store}.test.ts',
    ],
    exclude: ['test/adapters/process-shutdown*.test.ts', 'test/leader/with-leadership-dynamodb.test.ts'],
    globalSetup: [],
  },
});
