import { defineConfig } from 'vitest/config';
import proof, { VERSIONS } from './vitest.proof.config.js';

/** `npm run test:versions`: the longest files of the proof, and the fault table over every client but the first. */
export default defineConfig({
  ...proof,
  test: {
    ...proof.test,
    // The last two divide a list between the runs: see `inThisRun`.
    include: [
      ...VERSIONS,
      'test/faults/{dynamodb,mysql,postgres,redis,upstash}.test.ts',
      'test/stores/dynamodb/contract.test.ts',
    ],
    provide: { run: 'versions' },
    exclude: ['**/node_modules/**'],
  },
});
