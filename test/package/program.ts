import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { currentExecution, withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { fakeLockTable, lambdaContext, scheduledEvent } from 'single-execution/testing';

/*
 * A program that bundlers and CommonJS take as well as Node does: it says on stdout what two calls of a tick became.
 */

fakeLockTable(mockClient(DynamoDBDocumentClient));
const handler = withSingleExecution(async () => currentExecution()?.name, {
  name: 'send-digest',
  store: dynamoDBStore({ tableName: 'locks' }),
  observers: [],
});

async function main(): Promise<void> {
  const event = scheduledEvent();
  const outcomes = [await handler(event, lambdaContext()), await handler(event, lambdaContext())];
  process.stdout.write(JSON.stringify(outcomes));
}

void main();
