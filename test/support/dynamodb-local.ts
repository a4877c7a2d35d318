import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, type ScalarAttributeType } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { sharedDynamoDBLocal } from './dynamodb-local-process.js';

export interface DynamoDBLocal {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
}

/** The DynamoDB Local of this test run, with a new client for the caller. */
export function dynamoDBLocal(): DynamoDBLocal {
  const endpoint = sharedDynamoDBLocal()?.endpoint;
  if (endpoint === undefined) throw new Error('no DynamoDB Local: dynamodb-local.global.ts starts it');
  return { endpoint, client: new DynamoDBClient({ endpoint }) };
}

export interface TableKeys {
  /** @default 'lockName' */
  readonly partitionKey?: string;
  /** @default none */
  readonly sortKey?: string;
  /** Secondary indexes, each of one attribute; a local one has the table's partition key before it. @default none */
  readonly indexes?: readonly TableIndex[];
}

interface TableIndex {
  readonly attribute: string;
  readonly type: ScalarAttributeType;
  readonly isLocal?: true;
}

/** Creates an empty table with string keys. @returns its name, which no other test has */
export async function freshTable(client: DynamoDBClient, keys: TableKeys = {}): Promise<string> {
  const { partitionKey = 'lockName', sortKey, indexes = [] } = keys;
  const names = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  const TableName = `locks-${randomUUID()}`;
  const schemaOf = (attributes: readonly string[]) =>
    attributes.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' }) as const);
  const indexesOf = (isLocal: boolean) =>
    indexes
      .filter((index) => isLocal === (index.isLocal === true))
      .map(({ attribute }) => ({
        IndexName: `by-${attribute}`,
        KeySchema: schemaOf(isLocal ? [partitionKey, attribute] : [attribute]),
        Projection: { ProjectionType: 'ALL' as const },
      }));
  const [ofAll, ofKey] = [indexesOf(false), indexesOf(true)];
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        ...names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
        ...indexes.map(({ attribute: AttributeName, type: AttributeType }) => ({ AttributeName, AttributeType })),
      ],
      KeySchema: schemaOf(names),
      ...(ofAll.length > 0 && { GlobalSecondaryIndexes: ofAll }),
      ...(ofKey.length > 0 && { LocalSecondaryIndexes: ofKey }),
    }),
  );
  return TableName;
}

/** A stored item of a lock table as plain values. Undefined if there is none. */
export async function storedItem(
  client: DynamoDBClient,
  tableName: string,
  key: Record<string, string>,
): Promise<Record<string, unknown> | undefined> {
  const document = DynamoDBDocumentClient.from(client);
  const { Item } = await document.send(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
  return Item;
}

/** Writes an item directly, as another tool or another version would. */
export async function putItem(client: DynamoDBClient, tableName: string, item: Record<string, unknown>): Promise<void> {
  await DynamoDBDocumentClient.from(client).send(new PutCommand({ TableName: tableName, Item: item }));
}
