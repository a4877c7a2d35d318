import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Random } from '../test/support/play/random.js';
import type { Fact, Work } from './history.js';
import { nightlyReport } from './nightly-report-job.js';
import { DATA_TABLE } from './tables.js';
import { contactsOf } from './tenant-api.js';
import { tenantSync } from './tenant-sync-job.js';

const DAY_MS = 86_400_000;
const DAYS = 20;
/** As many orders a day at most as one batch takes for two days. */
const MAX_ORDERS = 12;

type Totals = { readonly orders: number; readonly totalCents: number };

/** Puts orders of some days into the data table, from the day before the first one. @returns what they add up to */
export async function putOrders(
  client: DynamoDBClient,
  random: Random,
  firstDayMs: number,
): Promise<ReadonlyMap<string, Totals>> {
  const documents = DynamoDBDocumentClient.from(client);
  const totals = new Map<string, Totals>();
  for (let k = -1; k < DAYS; k++) {
    const day = new Date(firstDayMs + k * DAY_MS).toISOString().slice(0, 10);
    const cents = Array.from({ length: random.whole(2, MAX_ORDERS) }, () => random.whole(99, 99_999));
    const puts = cents.map((totalCents, i) => ({
      PutRequest: { Item: { pk: `ORDERS#${day}`, sk: `ORDER#${i}`, totalCents } },
    }));
    await documents.send(new BatchWriteCommand({ RequestItems: { [DATA_TABLE]: puts } }));
    totals.set(day, { orders: cents.length, totalCents: cents.reduce((sum, amount) => sum + amount, 0) });
  }
  return totals;
}

/** What the handlers were to write, for the work that was seen done, and what there is. */
export async function readFacts(
  client: DynamoDBClient,
  totals: ReadonlyMap<string, Totals>,
  tenants: readonly string[],
  works: readonly Work[],
): Promise<Fact[]> {
  const documents = DynamoDBDocumentClient.from(client);
  const facts: Fact[] = [];

  const nights = works.filter(({ job }) => job === nightlyReport.name);
  for (const tickMs of nights.flatMap(({ doneTicksMs }) => doneTicksMs)) {
    const day = new Date(tickMs - DAY_MS).toISOString().slice(0, 10);
    const Key = { pk: `REPORT#${day}`, sk: 'TOTAL' };
    const { Item } = await documents.send(new GetCommand({ TableName: DATA_TABLE, Key, ConsistentRead: true }));
    facts.push({ subject: `report of ${day}`, expected: figures(totals.get(day)), found: figures(Item) });
  }

  for (const tenant of tenants) {
    const done = works.filter(({ job, doneTicksMs }) => job === tenantSync(tenant).name && doneTicksMs.length > 0);
    const { Items = [] } = await documents.send(
      new QueryCommand({
        TableName: DATA_TABLE,
        KeyConditionExpression: 'pk = :tenant',
        ExpressionAttributeValues: { ':tenant': `TENANT#${tenant}` },
        ConsistentRead: true,
      }),
    );
    const newest = Math.max(...done.map(({ token = 0 }) => token));
    facts.push({
      subject: `contacts of ${tenant}`,
      expected: contactsOf(tenant)
        .map(({ email }) => `${email} by ${newest}`)
        .join(),
      found: Items.map((item) => `${item['email']} by ${item['fencingToken']}`).join(),
    });
  }
  return facts;
}

function figures(report: Readonly<Record<string, unknown>> | undefined): string {
  return report ? `${report['orders']} orders of ${report['totalCents']} cents` : 'nothing';
}
