import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { executeWithLock } from 'single-execution';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dynamoDBLocal, freshTable } from '../../support/dynamodb-local.js';
import { call, claim } from '../../support/one-run.js';

const OPTIONS = { name: 'digest', lockAtMostFor: '1m', observers: [] } as const;
const WRAPS = { unmarshallOptions: { wrapNumbers: true } };

describe("a user's client", () => {
  test('sees every request as the SDK made it: a stream as its body, and a refusal as the error that it is', async () => {
    const { client: raw, endpoint } = dynamoDBLocal();
    const tableName = await freshTable(raw);
    const client = new DynamoDBClient({ endpoint, maxAttempts: 1 });
    onTestFinished(() => client.destroy());
    const seen: unknown[] = [];
    // A middleware without a name, which is replaced for each request, as tracers in manual mode do.
    const watch = (id: number) =>
      client.middlewareStack.add(
        (next, context) => async (args) => {
          seen.push([id, context['commandName']]);
          return next(args).catch((error: Error) => {
            seen.push([id, error.name]);
            throw error;
          });
        },
        { step: 'initialize', tags: ['watch'] },
      );
    client.middlewareStack.add(
      (next) => async (args) => {
        const reply = await next(args);
        const { body, statusCode } = reply.response as { body: object; statusCode: number };
        seen.push([statusCode, typeof (body as { pipe?: unknown }).pipe]);
        return reply;
      },
      { step: 'deserialize', priority: 'low', name: 'body' },
    );
    const store = dynamoDBStore({ tableName, client });
    for (const id of [1, 2]) {
      watch(id);
      await store.acquire(claim(), call());
      client.middlewareStack.removeByTag('watch');
    }

    expect(seen).toEqual([
      [1, 'UpdateItemCommand'],
      [200, 'function'],
      [2, 'UpdateItemCommand'],
      [400, 'function'],
      [2, 'ConditionalCheckFailedException'],
    ]);
  });

  test('under a document client of the user: its settings are left as they are', async () => {
    const raw = dynamoDBLocal().client;
    const tableName = await freshTable(raw);
    const own = DynamoDBDocumentClient.from(raw, { ...WRAPS, marshallOptions: { removeUndefinedValues: true } });
    const get = new GetCommand({ TableName: tableName, Key: { lockName: 'digest' } });
    // Send a command first: the SDK completes these settings at the first command.
    await own.send(get);
    const before = structuredClone(own.config.translateConfig);

    await executeWithLock(() => 'done', { ...OPTIONS, store: dynamoDBStore({ tableName, client: raw }) });
    dynamoDBAdminStore({ tableName, client: raw });

    expect((await own.send(get)).Item).toMatchObject({ state: 'released', v: { value: '1' } });
    expect(own.config.translateConfig).toEqual(before);
  });
});

test('a check-in that fails is a LockStoreError that names the group', async () => {
  const store = dynamoDBStore({ tableName: 'no-such-table', client: dynamoDBLocal().client });

  await expect(store.checkIn({ group: 'sched', forget: [] }, call())).rejects.toMatchObject({
    name: 'LockStoreError',
    code: 'TABLE_NOT_FOUND',
    operation: 'checkIn',
    lockName: 'sched',
  });
});
