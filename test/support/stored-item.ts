import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';

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
