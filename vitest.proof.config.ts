import { defineConfig } from 'vitest/config';
import wholeSuite from './vitest.config.js';

/**
 * Every client of a SQL database in its newest and oldest version, Debian's cron, every bundler, test runner and module
 * system, and the oldest and the recommended Node: `npm run test:versions`.
 */
export const VERSIONS = [
  'test/clients/*.proof.test.ts',
  'test/schedule/debian-cron.proof.test.ts',
  'test/package/{module-systems,node-versions}.proof.test.ts',
];

/**
 * `npm run test:proof`: every store by one client, and what `npm test` leaves out of that. Together with
 * `npm run test:versions` they are all tests.
 */
export default defineConfig({
  ...wholeSuite,
  test: {
    ...wholeSuite.test,
    include: [
      'test/**/*.proof.test.ts',
      // Each divides a list between the runs: see `inThisRun`, `kindsOfRun` and `playTable`.
      'test/chaos/{catch-up,election,frozen-process,handles,keep-alive,kill-points,many-at-once}.test.ts',
      'test/faults/*.test.ts',
      'test/admin/tick-verbs.test.ts',
      'test/clients/transactions.test.ts',
      'test/adapters/process-signals.test.ts',
      'test/cli/{frozen-server,run,silent-server,sqlite-file}.test.ts',
      'test/observe/span-links.test.ts',
      'test/infra/deployed-handlers.test.ts',
      'test/infra/lambda-runtime/lambda-host.test.ts',
      'test/stores/{dynamodb,durable-objects}/contract.test.ts',
      'test/stores/azure/contract.proof.test.ts',
    ],
    provide: { run: 'proof' },
    exclude: ['**/node_modules/**', ...VERSIONS],
  },
});
