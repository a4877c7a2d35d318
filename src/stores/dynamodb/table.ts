import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { StoreCall } from '../../core/ports/lock-store.js';
import type { StoreOperation } from '../../core/public/errors.js';
import { lockKey } from '../../core/record/lock-key.js';
import { isRecordAttribute } from '../../core/record/lock-record.js';
import { type Answer, tryUntilAnswered } from '../../core/request/try-loop.js';
import { describe, describeType } from '../../core/values/describe.js';
import { nameProblem } from '../../core/values/lock-name.js';
import { utf8Bytes } from '../../core/values/utf8.js';
import { refuseEmptyAnswer } from './empty-answer.js';
import { classifyFailure, isConditionFailed, isDenied } from './errors.js';
import { closeIdleSockets } from './idle-sockets.js';
import { type Item, plainItem, plainOutput } from './item.js';
import type { UpdateRequest } from './requests.js';
import { type ResponseTime, timeResponses } from './response-time.js';

/** Where the locks are. */
export interface DynamoDBStoreOptions {
  readonly tableName: string;
  /** Any v3 client. @default a new one that leaves retrying to this library */
  readonly client?: DynamoDBClient | DynamoDBDocumentClient;
  /** Name of the table's partition key, of type S. @default 'lockName' */
  readonly partitionKey?: string;
  /** Name of the table's sort key, of type S, if it has one; its value is always `lock`. */
  readonly sortKey?: string;
  /** Put before each lock name in the key: keeps stages or applications apart in one table. @default '' */
  readonly keyPrefix?: string;
}

const OPTIONS: readonly string[] = [
  'tableName',
  'client',
  'partitionKey',
  'sortKey',
  'keyPrefix',
] satisfies (keyof DynamoDBStoreOptions)[];

/** Value of the sort key of every lock, in tables that have one. */
export const SORT_VALUE = 'lock';
const MAX_PREFIX_BYTES = 100;

/** How the table answered a conditional write. */
export interface Reply {
  readonly applied: boolean;
  /** The item before the write, or the one that refused it. */
  readonly item: Item | undefined;
  /** Monotonic instant of the send that was answered. */
  readonly sentMono: number;
  readonly time: ResponseTime;
}

/** A lock table: its client, its keys, and the one way a write is sent. */
export interface LockTable {
  readonly tableName: string;
  readonly partitionKey: string;
  readonly sortKey: string | undefined;
  readonly keyPrefix: string;
  readonly client: DynamoDBDocumentClient;
  /** @throws LockStoreError (INVALID_NAME) */
  keyOf(name: string, operation: StoreOperation): Record<string, string>;
  /** Sends one write until it is answered. A refusal is an answer. */
  update(key: Record<string, string>, request: UpdateRequest, call: StoreCall): Promise<Answer<Reply>>;
}

/** @throws TypeError, RangeError for options that cannot be */
export function lockTable(caller: string, options: DynamoDBStoreOptions): LockTable {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options of ${caller} is ${describeType(options)}: give { tableName }`);
  }
  for (const key of Object.keys(options)) {
    if (!OPTIONS.includes(key)) {
      throw new TypeError(`unknown option '${key}' of ${caller}: the options are ${OPTIONS.join(', ')}`);
    }
  }
  const { tableName, partitionKey = 'lockName', sortKey, keyPrefix = '' } = options;
  checkText('tableName', tableName);
  checkKey('partitionKey', partitionKey);
  if (sortKey !== undefined) checkKey('sortKey', sortKey);
  if (sortKey === partitionKey)
    throw new RangeError(`sortKey is ${describe(sortKey)}, as partitionKey is: give two names`);
  checkPrefix(keyPrefix);
  const client = documentClient(options.client);

  const update = async (key: Record<string, string>, request: UpdateRequest, signal: AbortSignal, call: StoreCall) => {
    const command = refuseEmptyAnswer(
      new UpdateCommand({
        TableName: tableName,
        Key: key,
        ...request,
        ...(request.ConditionExpression !== undefined && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      }),
    );
    const sentMono = call.clock.monotonic();
    const responseTime = timeResponses(command, call.clock);
    try {
      const { Attributes, $metadata } = plainOutput(await client.send(command, { abortSignal: signal }));
      const item = Attributes === undefined ? undefined : plainItem(Attributes);
      return { reply: { applied: true, item, sentMono, time: responseTime() }, retried: hasRetried($metadata) };
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      const { Item: item, $metadata } = error as { Item?: Item; $metadata?: Metadata };
      const retried = hasRetried($metadata);
      if (item === undefined) return { reply: await readInstead(key, signal, call), retried };
      return { reply: { applied: false, item: plainItem(item), sentMono, time: responseTime() }, retried };
    }
  };

  /** For emulators whose refusals carry no item. On DynamoDB this happens only where there is no item. */
  const readInstead = async (key: Record<string, string>, signal: AbortSignal, call: StoreCall): Promise<Reply> => {
    const command = refuseEmptyAnswer(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
    const sentMono = call.clock.monotonic();
    const responseTime = timeResponses(command, call.clock);
    try {
      const { Item } = plainOutput(await client.send(command, { abortSignal: signal }));
      return { applied: false, item: Item === undefined ? undefined : plainItem(Item), sentMono, time: responseTime() };
    } catch (error) {
      // A function's role may write only; then there is no item to be read on the real service either.
      if (isDenied(error)) return { applied: false, item: undefined, sentMono, time: responseTime() };
      throw error;
    }
  };

  return {
    tableName,
    partitionKey,
    sortKey,
    keyPrefix,
    client,
    keyOf: (name, operation) => ({
      [partitionKey]: lockKey(keyPrefix, name, operation),
      ...(sortKey !== undefined && { [sortKey]: SORT_VALUE }),
    }),
    async update(key, request, call) {
      const answer = await tryUntilAnswered(call, (signal) => update(key, request, signal, call), classifyFailure);
      if ('error' in answer) return answer;
      const { reply, retried } = answer.value;
      return { value: reply, ambiguous: answer.ambiguous || retried };
    },
  };
}

type Metadata = { readonly attempts?: number };

/** Whether the client itself tried more than once: an earlier try may have been applied. */
function hasRetried(metadata: Metadata | undefined): boolean {
  return (metadata?.attempts ?? 1) > 1;
}

function documentClient(client: DynamoDBStoreOptions['client']): DynamoDBDocumentClient {
  if (client === undefined)
    return DynamoDBDocumentClient.from(closeIdleSockets(new DynamoDBClient({ maxAttempts: 1 })));
  if (client instanceof DynamoDBDocumentClient) return client;
  const { send, config } = (client ?? {}) as Partial<DynamoDBClient>;
  if (typeof send !== 'function' || typeof config !== 'object') {
    throw new TypeError(
      `client is ${describeType(client)}: give a DynamoDBClient or a DynamoDBDocumentClient, or leave it out`,
    );
  }
  // A document client shares its settings with the client under it: those of the user's own are kept.
  const { translateConfig } = client.config as { translateConfig?: Parameters<typeof DynamoDBDocumentClient.from>[1] };
  return DynamoDBDocumentClient.from(client, translateConfig);
}

function checkText(option: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') return;
  throw new TypeError(`${option} is ${describe(value)}: give its name, a string that is not empty`);
}

function checkKey(option: string, value: unknown): void {
  checkText(option, value);
  if (!isRecordAttribute(value as string)) return;
  throw new RangeError(
    `${option} is ${describe(value)}, which is an attribute of the lock record: use a table with another key`,
  );
}

function checkPrefix(prefix: unknown): void {
  if (typeof prefix !== 'string') throw new TypeError(`keyPrefix is ${describe(prefix)}: give a string`);
  const problem = prefix === '' ? undefined : nameProblem(prefix);
  if (problem !== undefined) throw new RangeError(`keyPrefix is ${describe(prefix)}: ${problem}`);
  if (utf8Bytes(prefix) > MAX_PREFIX_BYTES) {
    throw new RangeError(
      `keyPrefix is ${utf8Bytes(prefix)} bytes in UTF-8: leave room for names with at most ${MAX_PREFIX_BYTES}`,
    );
  }
}
