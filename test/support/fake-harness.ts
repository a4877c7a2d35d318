import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { type ContractHarness, fakeLockTable, manualClock } from 'single-execution/testing';
import { manuallyTimed } from './contract-harness.js';

const MAX_CLOCK_SKEW_MS = 1_000;

/**
 * The contract's harness on a mocked client. A mock sends no Date header, so the caller's clock and `maxClockSkew`
 * decide when a lease is over.
 */
export function fakeHarness(): ContractHarness {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const table = fakeLockTable(mockClient(client));
  const clock = manualClock();
  const options = { tableName: 'locks', client };
  return {
    store: dynamoDBStore(options),
    admin: dynamoDBAdminStore(options),
    ...manuallyTimed(clock),
    leasePadMs: 2_000,
    async expire(lease) {
      await clock.advance(lease.lockUntilMs + MAX_CLOCK_SKEW_MS - clock.now());
    },
    async patch(name, attributes) {
      table.put(name, { ...table.item(name), ...attributes });
    },
  };
}
