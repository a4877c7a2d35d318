import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { type ContractHarness, fakeLockTable, manualClock } from 'single-execution/testing';
import type { Locks } from './backends/backend.js';
import type { Opened } from './backends/stage.js';
import { manuallyTimed } from './contract-harness.js';

const MAX_CLOCK_SKEW_MS = 1_000;

/** Opens the fake lock table on a mocked client, like the engines of the list of backends. */
export function openFake(): Locks & Pick<Opened, 'prefixed' | 'put'> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const table = fakeLockTable(mockClient(client));
  const prefixed = (keyPrefix: string) => {
    const options = { tableName: 'locks', client, keyPrefix };
    return { store: dynamoDBStore(options), admin: dynamoDBAdminStore(options) };
  };
  return {
    ...prefixed(''),
    prefixed,
    put: async (key, fields) => table.put(key, Object.fromEntries(fields)),
  };
}

/**
 * The contract's harness on the fake table. A mock sends no Date header, so the caller's clock and `maxClockSkew`
 * decide when a lease is over.
 */
export function fakeHarness(): ContractHarness {
  const { put, store, admin } = openFake();
  const clock = manualClock();
  const { call, ...timed } = manuallyTimed(clock);
  return {
    store,
    admin,
    ...timed,
    call,
    leasePadMs: 2_000,
    async expire(lease) {
      await clock.advance(lease.lockUntilMs + MAX_CLOCK_SKEW_MS - clock.now());
    },
    async patch(name, attributes) {
      const { item } = (await admin.get(name, call())) ?? {};
      await put(name, new Map(Object.entries({ ...(item as typeof attributes), ...attributes })));
    },
  };
}
