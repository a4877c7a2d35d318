import { defineConfig } from 'vitest/config';
import wholeSuite from './vitest.config.js';

/**
 * `npm run test:proof`: what `npm test` leaves out, such as other clients, versions of Node and tools. Together they are
 * all tests.
 */
export default defineConfig({
  ...wholeSuite,
  test: {
    ...wholeSuite.test,
    include: [
      'test/**/*.proof.test.ts',
      // Each divides a list between the two runs: see `inThisRun` and `kindsOfRun`.
      'test/chaos/{catch-up,election,frozen-process,handles,keep-alive,kill-points,many-at-once}.test.ts',
      'test/faults/*.test.ts',
      'test/cli/run.test.ts',
      'test/observe/span-links.test.ts',
      'test/infra/deployed-handlers.test.ts',
      'test/infra/lambda-runtime/environment.test.ts',
      'test/stores/{dynamodb,durable-objects,redis}/contract.test.ts',
    ],
    provide: { isProof: true },
    exclude: ['node_modules/**'],
  },
});
