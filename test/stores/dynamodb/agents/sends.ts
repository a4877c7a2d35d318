import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDBStore } from '../../../../src/stores/dynamodb/dynamodb.js';
import { call, claim } from '../../../support/one-run.js';
import type { Agent } from './agent.js';

/** Sends what {@link requestsOf} sends inside a span for each name in `requests`, all at the same time. */
export async function sendTraced(agent: Agent, endpoint: string, tableName: string, requests: readonly string[]) {
  const { prepare = (client) => client } = agent;
  const client = prepare(new DynamoDBClient({ endpoint, maxAttempts: 1 }));
  const sendOne = requestsOf(client, tableName);
  await Promise.all(requests.map((name) => agent.within(name, () => sendOne(name))));
  client.destroy();
}

/** Sends a bare write, a grant, a bare write that is refused, and a skip. */
function requestsOf(client: DynamoDBClient, tableName: string): (name: string) => Promise<void> {
  const store = dynamoDBStore({ tableName, client });
  const bare = DynamoDBDocumentClient.from(client);
  return async (name) => {
    await bare.send(new UpdateCommand({ TableName: tableName, Key: { lockName: `bare ${name}` } }));
    await store.acquire(claim({ name }), call());
    const refused = { TableName: tableName, Key: { lockName: name }, ConditionExpression: 'attribute_not_exists(v)' };
    await bare.send(new UpdateCommand(refused)).catch(() => undefined);
    await store.acquire(claim({ name }), call());
  };
}
