import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { ScheduledEvent } from 'aws-lambda';
import { withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';

/*
 * Adds up the orders of the day before into a report, every night at 02:00 UTC. Orders and reports are in one table:
 * orders under pk `ORDERS#2026-01-01`, the report of that day under pk `REPORT#2026-01-01`.
 */

const { LOCK_TABLE = '', DATA_TABLE = '' } = process.env;
const DAY_MS = 86_400_000;

interface Report {
  readonly day: string;
  readonly orders: number;
  readonly totalCents: number;
}

const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}));

export const handler = withSingleExecution(
  async (_event: ScheduledEvent, _context, { tick, lockedAt, missedTicks, previous, signal, fencingToken }) => {
    // Also report the nights that never came, and last night if it failed for good. A run started by hand has no tick.
    const failed = previous?.tick && previous.status !== 'succeeded' ? [previous.tick] : [];
    const days = new Set([...failed, ...missedTicks, tick ?? lockedAt].map(dayBefore));

    const reports: Report[] = [];
    for (const day of days) {
      const report = await addUp(day, signal);
      await write(report, fencingToken, signal);
      reports.push(report);
    }
    return { reports };
  },
  {
    name: 'nightly-report',
    store: dynamoDBStore({ tableName: LOCK_TABLE }),
    schedule: '1d',
  },
);

function dayBefore(tick: Date): string {
  return new Date(tick.getTime() - DAY_MS).toISOString().slice(0, 10);
}

async function addUp(day: string, abortSignal: AbortSignal): Promise<Report> {
  const query = {
    TableName: DATA_TABLE,
    KeyConditionExpression: 'pk = :day',
    ProjectionExpression: 'totalCents',
    ExpressionAttributeValues: { ':day': `ORDERS#${day}` },
  };
  let orders = 0;
  let totalCents = 0;
  for await (const { Items = [] } of paginateQuery({ client: documents }, query, { abortSignal })) {
    orders += Items.length;
    for (const item of Items) totalCents += Number(item['totalCents']);
  }
  return { day, orders, totalCents };
}

async function write({ day, ...figures }: Report, fencingToken: number, abortSignal: AbortSignal): Promise<void> {
  const put = new PutCommand({
    TableName: DATA_TABLE,
    Item: { pk: `REPORT#${day}`, sk: 'TOTAL', ...figures, fencingToken },
    // A run that has lost its lock without noticing cannot overwrite what its successor wrote. An equal token is this
    // run's own: the SDK sends a write again if its answer was lost.
    ConditionExpression: 'attribute_not_exists(fencingToken) OR fencingToken <= :token',
    ExpressionAttributeValues: { ':token': fencingToken },
  });
  await documents.send(put, { abortSignal });
}
