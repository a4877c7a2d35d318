import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { ScheduledEvent } from 'aws-lambda';
import { withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';

/** The job of the README, with work that the outside can see: it asks who gets the digest, and writes that it was sent. */
const { LOCK_TABLE = '', DATA_TABLE = '', TENANT_API_URL = '' } = process.env;
const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export const handler = withSingleExecution(
  async ({ time }: ScheduledEvent, _context, { signal, fencingToken }) => {
    const response = await fetch(new URL('digest/contacts', TENANT_API_URL), { signal });
    if (!response.ok) throw new Error(`contacts failed: HTTP ${response.status}`);
    const { length: contacts } = (await response.json()) as readonly unknown[];
    const Item = { pk: `DIGEST#${time}`, sk: 'SENT', contacts, fencingToken };
    await documents.send(new PutCommand({ TableName: DATA_TABLE, Item }), { abortSignal: signal });
    return { contacts };
  },
  { name: 'send-digest', store: dynamoDBStore({ tableName: LOCK_TABLE }) },
);
