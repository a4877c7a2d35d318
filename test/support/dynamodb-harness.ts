import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, NumberValue, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type DynamoDBStoreOptions, dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import type { ContractHarness } from 'single-execution/testing';
import { patientCall } from './contract-harness.js';
import { shiftedClock } from './shifted-clock.js';

/**
 * The contract's harness on DynamoDB. The server's Date is real, but stored instants come from the caller's clock.
 * Callers' clocks are ten minutes behind, so by the server's Date a short lease is over at once.
 */
export function dynamoDBHarness(options: DynamoDBStoreOptions & { readonly client: DynamoDBClient }): ContractHarness {
  const { client, tableName, partitionKey = 'lockName', sortKey, keyPrefix = '' } = options;
  const clock = shiftedClock(-600_000);
  return {
    store: dynamoDBStore(options),
    admin: dynamoDBAdminStore(options),
    call: () => patientCall(clock),
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
          ExpressionAttributeValues: Object.fromEntries(
            entries.map(([, value], index) => [`:v${index}`, exact(value)]),
          ),
        }),
      );
    },
  };
}

/** The exact number: the document client refuses numbers that are no safe integers, but the table accepts them. */
function exact(value: string | number): string | NumberValue {
  return typeof value === 'number' ? NumberValue.from(String(value)) : value;
}
