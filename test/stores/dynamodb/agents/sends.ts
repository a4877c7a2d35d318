import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoDBStore } from '../../../../src/stores/dynamodb/dynamodb.js';
import { call, claim } from '../../../support/one-run.js';
import type { Agent } from './agent.js';

/** In each request, all of them at once: a bare write, a grant, a bare write that is refused, and a skip. */
export async function sendTraced(agent: Agent, endpoint: string, tableName: string, requests: readonly string[]) {
  const { prepare = (client) => client } = agent;
  const client = prepare(new DynamoDBClient({ endpoint, maxAttempts: 1 }));
  const store = dynamoDBStore({ tableName, client });
  const bare = DynamoDBDocumentClient.from(client);
  const sendOne = async (name: string) => {
    await bare.send(new UpdateCommand({ TableName: tableName, Key: { lockName: `bare ${name}` } }));
    await store.acquire(claim({ name }), call());
    const refused = { TableName: tableName, Key: { lockName: name }, ConditionExpression: 'attribute_not_exists(v)' };
    await bare.send(new UpdateCommand(refused)).catch(() => undefined);
    await store.acquire(claim({ name }), call());
  };
  await Promise.all(requests.map((name) => agent.within(name, () => sendOne(name))));
  client.destroy();
}
