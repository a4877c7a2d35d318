import {
  CreateTableCommand,
  type DynamoDBClient,
  type ScalarAttributeType,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { GetCommand, type GetCommandOutput, UpdateCommand, type UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { StoreCall } from '../../core/ports/lock-store.js';
import type { CorruptLockError, LockStoreError, StoreOperation } from '../../core/public/errors.js';
import { type Item, lockKey } from '../../core/record/lock-record.js';
import { type Answer, tryUntilAnswered } from '../../core/request/try-loop.js';
import { checkStoreOptions, describe, describeType, namesOf } from '../../core/values/checks.js';
import { plainItem, type ResponseTime } from './answer.js';
import { classifyFailure, codeOf, failureOf, isConditionFailed, isDenied, NotMade } from './errors.js';
import type { LockTable } from './options.js';
import type { UpdateRequest } from './requests.js';
import { type Progress, sending, type Try } from './send.js';

/** Value of the sort key of every lock, in tables that have one. */
export const SORT_VALUE = 'lock';

/** The verb and the lock of a request. */
interface Purpose {
  readonly operation: StoreOperation;
  readonly name: string;
}

/** A write, with its verb and lock. */
interface UpdateOrder extends Purpose {
  /** The key of the item. @default the key of the lock */
  readonly key?: TableKey;
  readonly request: UpdateRequest;
}

/** How a call to the table ended. */
export type TableAnswer<T> = Answer<T, LockStoreError | CorruptLockError>;

/** @throws LockStoreError (INVALID_NAME) */
export function keyOf({ partitionKey, sortKey, keyPrefix }: LockTable, { operation, name }: Purpose): TableKey {
  return {
    [partitionKey]: lockKey(keyPrefix, name, operation),
    ...(sortKey !== undefined && { [sortKey]: SORT_VALUE }),
  };
}

/** Sends a write until it is answered. A refusal is an answer. @throws LockStoreError (INVALID_NAME) */
export async function update(table: LockTable, order: UpdateOrder, call: StoreCall): Promise<TableAnswer<Reply>> {
  const { key = keyOf(table, order), request } = order;
  const answer = await ask(table, order, call, (at) => writeOnce(table, key, request, at));
  if ('error' in answer) return answer;
  return { ...answer, ambiguous: answer.ambiguous || answer.value.retried };
}

/** Sends a request until it is answered. */
export async function ask<T>(
  { tableName }: LockTable,
  { operation, name }: Purpose,
  call: StoreCall,
  send: (at: Try) => Promise<T>,
): Promise<TableAnswer<T>> {
  const progress: Progress = {};
  const { clock } = call;
  const answer = await tryUntilAnswered(call, (signal) => send({ clock, signal, progress }), classifyFailure);
  if (!('error' in answer)) return answer;
  // The client was busy to the end without a request, for example with its credentials.
  const isSilent = progress.stage === 'begun' && answer.ambiguous && !call.signal.aborted;
  const error = isSilent ? new NotMade(answer.error) : answer.error;
  return { ambiguous: answer.ambiguous && !isSilent, error: failureOf(error, operation, name, tableName) };
}

type TableKey = Record<string, string>;

/** The table's answer to one try of a conditional write. */
export interface Reply {
  readonly applied: boolean;
  /** The item before the write, or the item that refused it. */
  readonly item: Item | undefined;
  readonly time: ResponseTime;
  /** Whether the client itself tried more than once, so that an earlier try may have been applied. */
  readonly retried: boolean;
}

/** Sends a write once. A refusal is a reply. */
async function writeOnce(table: LockTable, key: TableKey, request: UpdateRequest, at: Try): Promise<Reply> {
  const command = new UpdateCommand({
    TableName: table.tableName,
    Key: key,
    ...request,
    ...(request.ConditionExpression !== undefined && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
  });
  const { output, time } = sending<UpdateCommandOutput>(table.client, command, 'Attributes', at);
  try {
    const { Attributes, $metadata } = await output;
    const item = Attributes === undefined ? undefined : plainItem(Attributes);
    return { applied: true, item, time: time(), retried: hasRetried($metadata) };
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    const { Item, $metadata } = error as { Item?: unknown; $metadata?: Metadata };
    const item = Item === undefined ? await readInstead(table, key, at) : plainItem(Item);
    return { applied: false, item, time: time(), retried: hasRetried($metadata) };
  }
}

/**
 * Reads the item, for emulators whose refusals do not contain it. On DynamoDB this happens only if there is no item.
 */
async function readInstead(table: LockTable, key: TableKey, at: Try): Promise<Item | undefined> {
  try {
    return (await readOnce(table, key, at)).item;
  } catch (error) {
    // The role of a function may not read. On DynamoDB itself, such a refusal means that there is no item.
    if (isDenied(error)) return undefined;
    throw error;
  }
}

/** Reads an item once, consistently. */
export async function readOnce(table: LockTable, key: TableKey, at: Try): Promise<Pick<Reply, 'item' | 'time'>> {
  const command = new GetCommand({ TableName: table.tableName, Key: key, ConsistentRead: true });
  const { output, time } = sending<GetCommandOutput>(table.client, command, 'Item', at);
  const { Item } = await output;
  return { item: Item === undefined ? undefined : plainItem(Item), time: time() };
}

interface Metadata {
  readonly attempts?: number;
}

function hasRetried(metadata: Metadata | undefined): boolean {
  return (metadata?.attempts ?? 1) > 1;
}

/** The table to create. */
export interface CreateLockTableOptions {
  /** The name of the table. */
  readonly tableName: string;
  /** The name of the partition key. @default 'lockName' */
  readonly partitionKey?: string;
  /** The name of the sort key. @default no sort key */
  readonly sortKey?: string;
}

const TABLE_OPTIONS = namesOf<CreateLockTableOptions>({ tableName: true, partitionKey: true, sortKey: true });
const LONGEST_WAIT_SECONDS = 60;

/**
 * Creates a lock table, on demand and without a TTL, and waits until it is active. Does not change a table that exists.
 * For local work and tests: in production let infrastructure code own the table.
 *
 * @example
 * ```ts
 * import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
 * import { createLockTable } from 'single-execution/dynamodb';
 *
 * const client = new DynamoDBClient({ endpoint: 'http://127.0.0.1:8000', region: 'local' });
 * await createLockTable(client, { tableName: 'locks' });
 * ```
 *
 * @throws TypeError without a table name
 * @throws the client's own error if the table cannot be created
 */
export async function createLockTable(client: DynamoDBClient, options: CreateLockTableOptions): Promise<void> {
  if (typeof client?.send !== 'function') {
    throw new TypeError(`client is ${describeType(client)}: call createLockTable(client, { tableName })`);
  }
  checkStoreOptions('createLockTable', options, TABLE_OPTIONS);
  const { tableName, partitionKey = 'lockName', sortKey } = options;
  if (typeof tableName !== 'string' || tableName === '') {
    throw new TypeError(`tableName is ${describe(tableName)}: pass a non-empty string`);
  }
  const keys = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  const S: ScalarAttributeType = 'S';
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: S })),
        KeySchema: keys.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
      }),
    );
  } catch (error) {
    if (codeOf(error) !== 'ResourceInUseException') throw error;
  }
  await waitUntilTableExists({ client, maxWaitTime: LONGEST_WAIT_SECONDS, minDelay: 1 }, { TableName: tableName });
}
