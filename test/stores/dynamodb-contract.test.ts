import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type DynamoDBStoreOptions, dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { beforeAll, describe, test } from 'vitest';
import { storeCall } from '../support/contract-harness.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { shiftedClock } from '../support/shifted-clock.js';

type Shape = Pick<DynamoDBStoreOptions, 'partitionKey' | 'sortKey' | 'keyPrefix'>;

const SHAPES: readonly (readonly [string, Shape])[] = [
  ['a table of its own', {}],
  ['row 71: a table with a sort key', { partitionKey: 'pk', sortKey: 'sk' }],
  ['row 71: a shared table with a key prefix', { partitionKey: 'pk', sortKey: 'sk', keyPrefix: 'app/prod#lock#' }],
];

describe.each(SHAPES)('dynamoDBStore keeps the contract of all stores on %s', (_, shape) => {
  let harness: ContractHarness;

  beforeAll(async () => {
    const { client } = dynamoDBLocal();
    harness = dynamoDBHarness({ tableName: await freshTable(client, shape), client, ...shape });
  });

  for (const { name, check } of lockStoreContract) test(name, () => check(harness));
});

/** The server's Date is real, and the instants stored are the caller's: so callers' clocks are ten minutes behind. */
function dynamoDBHarness(options: DynamoDBStoreOptions & { readonly client: DynamoDBClient }): ContractHarness {
  const { client, tableName, partitionKey = 'lockName', sortKey, keyPrefix = '' } = options;
  const clock = shiftedClock(-600_000);
  return {
    store: dynamoDBStore(options),
    admin: dynamoDBAdminStore(options),
    call: () => storeCall(clock),
    shortLeaseMs: 60_000,
    expire: async () => {},
    leasePadMs: 2_000,
    async patch(name, attributes) {
      const entries = Object.entries(attributes);
      await DynamoDBDocumentClient.from(client).send(
        new UpdateCommand({
          TableName: tableName,
          Key: { [partitionKey]: keyPrefix + name, ...(sortKey !== undefined && { [sortKey]: 'lock' }) },
          UpdateExpression: `SET ${entries.map((_, index) => `#n${index} = :v${index}`).join(', ')}`,
          ExpressionAttributeNames: Object.fromEntries(entries.map(([attribute], index) => [`#n${index}`, attribute])),
          ExpressionAttributeValues: Object.fromEntries(entries.map(([, value], index) => [`:v${index}`, value])),
        }),
      );
    },
  };
}
