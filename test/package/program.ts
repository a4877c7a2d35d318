import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { currentExecution, withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { fakeLockTable, lambdaContext, scheduledEvent } from 'single-execution/testing';

/*
 * A program that works bundled, in CommonJS and as an ES module. It prints the results of two calls for one tick.
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
