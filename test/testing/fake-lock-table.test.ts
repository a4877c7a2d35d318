import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { type AwsClientStub, mockClient } from 'aws-sdk-client-mock';
import { executeWithLock, withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { fakeLockTable, lambdaContext, scheduledEvent } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

let mock: AwsClientStub<DynamoDBDocumentClient>;
beforeEach(() => {
  mock = mockClient(DynamoDBDocumentClient);
});
afterEach(() => mock.restore());

const document = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const run = (task: () => unknown = () => 'done', store = dynamoDBStore({ tableName: 'locks' })) =>
  executeWithLock(task, { name: 'digest', store, lockAtMostFor: '1m', observers: [] });

describe('row 60: fakeLockTable works with a mocked SDK, without Docker and Java', () => {
  test('runs a handler once per tick and records it', async () => {
    const table = fakeLockTable(mock);
    const handler = withSingleExecution(async () => 'sent', {
      name: 'digest',
      store: dynamoDBStore({ tableName: 'locks' }),
    });
    const event = scheduledEvent();

    expect(await handler(event, lambdaContext())).toBe('sent');
    expect(await handler(event, lambdaContext())).toMatchObject({ status: 'skipped', reason: 'already-executed' });

    expect(table.item('digest')).toMatchObject({
      state: 'released',
      result: 'succeeded',
      doneTick: Date.UTC(2026, 0, 1),
    });
    expect(table.items()).toHaveLength(1);
  });

  test('stands in for one client alone when only that one is mocked', async () => {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
    const table = fakeLockTable(mockClient(client));

    await run(() => 'done', dynamoDBStore({ tableName: 'locks', client }));

    expect(table.item('digest')).toMatchObject({ state: 'released' });
    expect(mock.calls()).toHaveLength(0);
  });
});

describe('put', () => {
  test('uses the keys that the table has', async () => {
    const keys = { partitionKey: 'pk', sortKey: 'sk' };
    const table = fakeLockTable(mock, keys);
    const store = dynamoDBStore({ tableName: 'app', keyPrefix: 'LOCK#', ...keys });
    table.put('LOCK#digest', { pausedUntil: Date.now() + 60_000, pausedBy: 'an operator' });

    expect(await run(() => 'done', store)).toMatchObject({ status: 'skipped', reason: 'paused' });
    expect(table.item('LOCK#digest')).toMatchObject({ pk: 'LOCK#digest', sk: 'lock' });
  });

  test('refuses a value that no lock has', () => {
    expect(() => fakeLockTable(mock).put('digest', { tick: new Date(0) })).toThrow('fakeLockTable cannot keep');
  });
});

describe('faults', () => {
  test('a lost response to a refusal is lost too', async () => {
    const table = fakeLockTable(mock);
    table.loseNextResponse();
    const refused = { TableName: 'locks', Key: { lockName: 'digest' }, UpdateExpression: 'SET s = s' };

    await expect(document.send(new UpdateCommand(refused))).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(document.send(new UpdateCommand(refused))).rejects.toMatchObject({ name: 'ValidationException' });
  });

  test('the mock lets one command fail, and the table answers the next', async () => {
    const table = fakeLockTable(mock);
    mock.rejectsOnce(Object.assign(new Error('slow down'), { name: 'ThrottlingException' }));

    expect(await run()).toMatchObject({ status: 'executed' });
    expect(mock.commandCalls(UpdateCommand)).toHaveLength(3);
    expect(table.item('digest')).toMatchObject({ state: 'released' });
  });

  test('the mock lets one kind of command fail for good', async () => {
    const table = fakeLockTable(mock);
    mock
      .on(UpdateCommand, { TableName: 'locks' })
      .rejects(Object.assign(new Error('no'), { name: 'AccessDeniedException' }));

    await expect(run()).rejects.toMatchObject({ name: 'LockStoreError', code: 'ACCESS_DENIED' });
    expect(table.items()).toEqual([]);
  });
});

describe("the user's own tables", () => {
  const order = new PutCommand({ TableName: 'orders', Item: { id: '1' } });

  test.each(['before', 'after'])('are answered as the mock was told %s', async (when) => {
    const tell = () => mock.on(PutCommand).resolves({ Attributes: { told: true } });
    if (when === 'before') tell();
    fakeLockTable(mock);
    if (when === 'after') tell();

    expect(await run(() => document.send(order))).toMatchObject({ value: { Attributes: { told: true } } });
  });

  test('are refused if the mock has no answer, with the remedy', async () => {
    fakeLockTable(mock);

    await expect(run(() => document.send(order))).rejects.toThrow(
      "fakeLockTable is table 'locks' and no other: add an answer to the mock, such as mock.on(PutCommand, { TableName: 'orders' }).resolves({})",
    );
  });

  test('are refused from the start where the name of the lock table is given', async () => {
    fakeLockTable(mock, { tableName: 'locks' });

    await expect(run(() => 'done', dynamoDBStore({ tableName: 'blocks' }))).rejects.toMatchObject({
      name: 'LockStoreError',
      code: 'TABLE_NOT_FOUND',
    });
  });
});

describe('commands', () => {
  test.each([
    ['Put', new PutCommand({ TableName: 'locks', Item: { lockName: 'digest' } }), 'TableName, Item'],
    ['Delete', new DeleteCommand({ TableName: 'locks', Key: { lockName: 'digest' } }), 'TableName, Key'],
    ['inconsistent Get', new GetCommand({ TableName: 'locks', Key: { lockName: 'digest' } }), 'TableName, Key'],
    [
      'Query',
      new QueryCommand({ TableName: 'locks', KeyConditionExpression: 'lockName = :n' }),
      'KeyConditionExpression',
    ],
    ['filtered Scan', new ScanCommand({ TableName: 'locks', ConsistentRead: true, Limit: 1 }), 'Limit'],
    ['transaction', new TransactWriteCommand({ TransactItems: [] }), 'TransactItems'],
  ])('refuses a %s, which it does not understand', async (_, command, parameters) => {
    const table = fakeLockTable(mock);

    await expect(document.send(command as PutCommand)).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringMatching(`^fakeLockTable cannot answer a command with .*${parameters}`),
    });
    expect(table.items()).toEqual([]);
  });

  test.each([
    ['ADD', { UpdateExpression: 'ADD n :v' }],
    ['list_append', { UpdateExpression: 'SET l = list_append(l, :v)' }],
    ['look inside', { UpdateExpression: 'SET m.n = :v' }],
    ['size', { UpdateExpression: 'SET n = :v', ConditionExpression: 'size(n) > :v' }],
    ['IN', { UpdateExpression: 'SET n = :v', ConditionExpression: 'n IN (:v)' }],
    ['BETWEEN', { UpdateExpression: 'SET n = :v', ConditionExpression: 'n BETWEEN :v AND :v' }],
    ['UPDATED_NEW', { UpdateExpression: 'SET n = :v', ReturnValues: 'UPDATED_NEW' as const }],
    ['a object', { UpdateExpression: 'SET n = :v', ExpressionAttributeValues: { ':v': [1] } }],
  ])('says that it cannot do %s rather than guess', async (what, request) => {
    fakeLockTable(mock);
    const update = new UpdateCommand({
      TableName: 'locks',
      Key: { lockName: 'digest' },
      ExpressionAttributeValues: { ':v': 1 },
      ...request,
    });

    await expect(document.send(update)).rejects.toThrow(new RegExp(`^fakeLockTable cannot .*${what}`));
  });
});

test('refuses what is no mock, and options that it does not know', () => {
  expect(() => fakeLockTable({ send: () => undefined } as never)).toThrow(
    new TypeError('mock is not a mocked client: pass what mockClient(DynamoDBDocumentClient) returned'),
  );
  expect(() => fakeLockTable(mock, { table: 'locks' } as never)).toThrow(
    new TypeError("unknown option 'table' of fakeLockTable: the options are tableName, partitionKey, sortKey"),
  );
});

test('F139 fake timers of 1970 are refused by their name, and nothing is written', async () => {
  const table = fakeLockTable(mock);
  vi.useFakeTimers({ now: 0 });
  try {
    await expect(run()).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      cause: { message: 'the clock is at 1970-01-01T00:00:00.000Z, before 2001; in a test turn it to 2015 or later' },
    });
    expect(table.items()).toEqual([]);
    vi.setSystemTime(Date.UTC(2015, 0, 1));
    expect(await run()).toMatchObject({ status: 'executed' });
  } finally {
    vi.useRealTimers();
  }
});
