import { fileURLToPath } from 'node:url';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { createLockTable } from 'single-execution/dynamodb';
import type { ChildPrograms } from '../test/support/child-program.js';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import type { CleanUps } from '../test/support/play/command.js';
import type { History, Invocation } from './history.js';
import { worksOf } from './invariants.js';
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

/** The lock table and, with keys of its own, the handlers' data table, which has orders for every night. */
export async function createTables(client: DynamoDBClient, firstTickMs: number): Promise<void> {
  await createLockTable(client, { tableName: LOCK_TABLE });
  await createLockTable(client, { tableName: DATA_TABLE, partitionKey: 'pk', sortKey: 'sk' });
  const days = Array.from({ length: MOST_NIGHTS }, (_, k) => dayBefore(firstTickMs + k * DAY_MS));
  const puts = days.flatMap((day) =>
    ordersOf(day).map((totalCents, i) => ({
      PutRequest: { Item: { pk: `ORDERS#${day}`, sk: `ORDER#${i}`, totalCents } },
    })),
  );
  const documents = DynamoDBDocumentClient.from(client);
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
export async function readFacts(client: DynamoDBClient, invocations: readonly Invocation[]): Promise<History['facts']> {
  const written = new Map<string, readonly object[]>();
  for (const { job, work } of worksOf(invocations)) {
    const tenant = job.split('/')[1];
    for (const tickMs of work.doneTicksMs) {
      const day = dayBefore(tickMs);
      const cents = ordersOf(day);
      const total = { orders: cents.length, totalCents: cents.reduce((sum, amount) => sum + amount, 0) };
      const token = { fencingToken: work.token };
      if (job === 'nightly-report') written.set(`REPORT#${day}`, [total]);
      else if (tenant === undefined) {
        const time = new Date(tickMs).toISOString().replace('.000', '');
        written.set(`DIGEST#${time}`, [{ contacts: contactsOf('digest').length, ...token }]);
      } else {
        const contacts = contactsOf(tenant).map((one) => ({ ...one, ...token }));
        written.set(`TENANT#${tenant}`, contacts);
      }
    }
  }
  const documents = DynamoDBDocumentClient.from(client);
  return Promise.all(
    [...written].map(async ([subject, items]) => {
      const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': subject } };
      const { Items = [] } = await documents.send(
        new QueryCommand({ TableName: DATA_TABLE, ConsistentRead: true, ...query }),
      );
      const found = Items.map((item) => Object.fromEntries(Object.keys(items[0] ?? {}).map((key) => [key, item[key]])));
      return { subject, expected: JSON.stringify(items), found: JSON.stringify(found) };
    }),
  );
}
