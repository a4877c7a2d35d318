import {
  CreateTableCommand,
  type DynamoDBClient,
  type ScalarAttributeType,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { describe } from '../../core/values/checks.js';

/** The table to create. */
export interface CreateLockTableOptions {
  /** Its name. */
  readonly tableName: string;
  /** @default 'lockName' */
  readonly partitionKey?: string;
  /** @default no sort key */
  readonly sortKey?: string;
}

const LONGEST_WAIT_SECONDS = 60;

/**
 * Creates a lock table, on demand and without a TTL, and waits until it is active. Does not change an existing one. For
 * local work and tests: in production let infrastructure code own the table.
 *
 * @example
 * ```ts
 * import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
 * import { createLockTable } from 'single-execution/dynamodb';
 *
 * const client = new DynamoDBClient({ endpoint: 'http://127.0.0.1:8000', region: 'local' });
 * await createLockTable(client, { tableName: 'locks' });
 * ```
 *
 * @throws TypeError without a table name
 * @throws the client's own error if the table cannot be created
 */
export async function createLockTable(client: DynamoDBClient, options: CreateLockTableOptions): Promise<void> {
  const { tableName, partitionKey = 'lockName', sortKey } = options;
  if (typeof tableName !== 'string' || tableName === '') {
    throw new TypeError(`tableName is ${describe(tableName)}: give its name, a string that is not empty`);
  }
  const keys = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  const S: ScalarAttributeType = 'S';
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: S })),
        KeySchema: keys.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
      }),
    );
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ResourceInUseException') throw error;
  }
  await waitUntilTableExists({ client, maxWaitTime: LONGEST_WAIT_SECONDS, minDelay: 1 }, { TableName: tableName });
}
