/** A cold function that runs once under its lock. See first-write.ts. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';

const [endpoint = '', tableName = '', name = ''] = process.argv.slice(2);
const client = new DynamoDBClient({ endpoint, region: 'local' });
const store = dynamoDBStore({ tableName, client });
const handler = withSingleExecution(
  async () => {
    const { user, system } = process.cpuUsage();
    process.stdout.write(JSON.stringify({ timeMs: performance.now(), cpuMs: (user + system) / 1_000 }));
  },
  { name, store, lockAtMostFor: '1m', observers: [] },
);
await handler({ time: new Date().toISOString() }, {} as never);
