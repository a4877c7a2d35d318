import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { createLockTable } from 'single-execution/dynamodb';

export const LOCK_TABLE = 'locks';
export const DATA_TABLE = 'data';

/** The lock table by the library's own door, the handlers' data table by the plain SDK. */
export async function createTables(client: DynamoDBClient): Promise<void> {
  await createLockTable(client, { tableName: LOCK_TABLE });
  await client.send(
    new CreateTableCommand({
      TableName: DATA_TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: DATA_TABLE });
}
