import { fileURLToPath } from 'node:url';
import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { createLockTable } from 'single-execution/dynamodb';
import type { ChildPrograms } from '../test/support/child-program.js';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import type { CleanUps } from '../test/support/play/command.js';
import type { Fact, Work } from './history.js';
import type { Settings } from './settings.js';

export const LOCK_TABLE = 'locks';
export const DATA_TABLE = 'data';
const DAY_MS = 86_400_000;
/** As many nights as the longest evening can have. */
export const MOST_NIGHTS = 300;

/** Starts the engine asked for; left to choose, the real DynamoDB Local where it can run, else dynalite. */
export async function startEngine(wanted: Settings['engine'], programs: ChildPrograms, cleanUps: CleanUps) {
  if (wanted !== 'dynalite') {
    try {
      const { endpoint, stop } = await startDynamoDBLocal();
      cleanUps.push(stop);
      return { name: 'DynamoDB Local', endpoint };
    } catch (error) {
      if (wanted === 'dynamodb-local') throw error;
      console.log(`No DynamoDB Local: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  const dynalite = programs.start(fileURLToPath(new URL('./dynalite.mjs', import.meta.url)), {});
  const { port } = await dynalite.until('ready');
  return { name: 'dynalite (no Java needed)', endpoint: `http://127.0.0.1:${port}` };
}

/** The lock table by the library's own door, the handlers' data table by the plain SDK, with orders of some days. */
export async function createTables(client: DynamoDBClient, firstTickMs: number): Promise<void> {
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
  const documents = DynamoDBDocumentClient.from(client);
  const days = Array.from({ length: MOST_NIGHTS }, (_, k) => dayBefore(firstTickMs + k * DAY_MS));
  const puts = days.flatMap((day) =>
    ordersOf(day).map((totalCents, i) => ({
      PutRequest: { Item: { pk: `ORDERS#${day}`, sk: `ORDER#${i}`, totalCents } },
    })),
  );
  // DynamoDB takes 25 items at a time.
  for (let i = 0; i < puts.length; i += 25) {
    await documents.send(new BatchWriteCommand({ RequestItems: { [DATA_TABLE]: puts.slice(i, i + 25) } }));
  }
}

const dayBefore = (tickMs: number): string => new Date(tickMs - DAY_MS).toISOString().slice(0, 10);

/** What was ordered on a day, in cents; no two days in a row are alike. */
function ordersOf(day: string): number[] {
  const date = Number(day.slice(-2));
  return Array.from({ length: 2 + (date % 5) }, (_, i) => 99 + 100 * date + i);
}

/** What the service knows of a tenant. */
export function contactsOf(tenant: string) {
  return ['1', '2', '3'].map((id) => ({ id, name: `Contact ${id} of ${tenant}`, email: `${id}@${tenant}.example` }));
}

/** What the handlers were to write, for the work that was seen done, and what there is. */
export async function readFacts(client: DynamoDBClient, works: readonly Work[]): Promise<Fact[]> {
  const itemsOf = async (pk: string) => {
    const query = {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ConsistentRead: true,
    };
    const { Items = [] } = await DynamoDBDocumentClient.from(client).send(
      new QueryCommand({ TableName: DATA_TABLE, ...query }),
    );
    return Items;
  };
  const done = works.filter(({ doneTicksMs }) => doneTicksMs.length > 0);
  const facts: Fact[] = [];
  for (const job of new Set(done.map((work) => work.job))) {
    const ofJob = done.filter((work) => work.job === job);
    const tenant = job.split('/')[1];
    if (tenant !== undefined) {
      const newest = Math.max(...ofJob.map(({ token = 0 }) => token));
      const found = (await itemsOf(`TENANT#${tenant}`)).map((item) => `${item['email']} by ${item['fencingToken']}`);
      const expected = contactsOf(tenant).map(({ email }) => `${email} by ${newest}`);
      facts.push({ subject: `contacts of ${tenant}`, expected: expected.join(), found: found.join() });
      continue;
    }
    for (const day of ofJob.flatMap(({ doneTicksMs }) => doneTicksMs.map(dayBefore))) {
      const found = (await itemsOf(`REPORT#${day}`)).map((item) => `${item['orders']} of ${item['totalCents']} cents`);
      const cents = ordersOf(day);
      const expected = `${cents.length} of ${cents.reduce((sum, amount) => sum + amount, 0)} cents`;
      facts.push({ subject: `report of ${day}`, expected, found: found.join() });
    }
  }
  return facts;
}
