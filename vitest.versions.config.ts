import { defineConfig } from 'vitest/config';
import proof, { VERSIONS } from './vitest.proof.config.js';

/** `npm run test:versions`: the stores by further clients, older versions, and other tools. */
export default defineConfig({
  ...proof,
  test: {
    ...proof.test,
    include: [
      ...VERSIONS,
      // These divide a list between the runs: see `inThisRun`.
      'test/faults/{dynamodb,mysql,postgres,redis,upstash}.test.ts',
      'test/stores/{dynamodb/contract,redis/contract,azure/contract.proof}.test.ts',
    ],
    provide: { run: 'versions' },
    exclude: ['**/node_modules/**'],
  },
});
