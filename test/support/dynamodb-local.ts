import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';

export interface DynamoDBLocal {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
}

/** The DynamoDB Local of this test run, with a new client for the caller. */
export function dynamoDBLocal(): DynamoDBLocal {
  const endpoint = inject('dynamoDBLocalEndpoint');
  return { endpoint, client: new DynamoDBClient({ endpoint }) };
}

export interface TableKeys {
  /** @default 'lockName' */
  readonly partitionKey?: string;
  /** @default none */
  readonly sortKey?: string;
}

/** Creates an empty table with string keys. @returns its name, which no other test has */
export async function freshTable(client: DynamoDBClient, keys: TableKeys = {}): Promise<string> {
  const { partitionKey = 'lockName', sortKey } = keys;
  const names = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  const TableName = `locks-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: names.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' })),
    }),
  );
  return TableName;
}
