import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isRecordAttribute } from '../../core/record/lock-record.js';
import { checkStoreOptions, describe, describeType, namesOf } from '../../core/values/checks.js';
import { systemClock } from '../../core/values/clock.js';
import { checkKeyPrefix } from '../../core/values/names.js';

/** Options of `dynamoDBStore`. */
export interface DynamoDBStoreOptions {
  /** Name of the table. */
  readonly tableName: string;
  /** Any client of the AWS SDK v3. @default a new client that does not retry, because this library does */
  readonly client?: DynamoDBClient | DynamoDBDocumentClient;
  /** Name of the table's partition key, of type S. @default 'lockName' */
  readonly partitionKey?: string;
  /** Name of the table's sort key, of type S, if it has one; its value is always `lock`. */
  readonly sortKey?: string;
  /** Put before each lock name in the key: keeps stages or applications apart in one table. @default '' */
  readonly keyPrefix?: string;
}

/** A lock table: its client and its keys. The options, checked and complete. */
export interface LockTable {
  readonly tableName: string;
  readonly client: DynamoDBDocumentClient;
  readonly partitionKey: string;
  readonly sortKey: string | undefined;
  readonly keyPrefix: string;
}

const OPTIONS = namesOf<DynamoDBStoreOptions>({
  tableName: true,
  client: true,
  partitionKey: true,
  sortKey: true,
  keyPrefix: true,
});

/** The characters of a table's name, and of its ARN. */
const TABLE = /^[\w.:/-]+$/;

/**
 * Checks the options, and fills in the defaults.
 *
 * @throws TypeError, RangeError for invalid options
 */
export function checkOptions(caller: string, options: DynamoDBStoreOptions): LockTable {
  checkStoreOptions(caller, options, OPTIONS);
  const { tableName, partitionKey = 'lockName', sortKey, keyPrefix = '' } = options;
  checkText('tableName', tableName);
  if (!TABLE.test(tableName)) {
    throw new RangeError(`tableName is ${describe(tableName)}: pass letters, digits, _, - and . only, or an ARN`);
  }
  checkKey('partitionKey', partitionKey);
  if (sortKey !== undefined) checkKey('sortKey', sortKey);
  if (sortKey === partitionKey)
    throw new RangeError(`sortKey is ${describe(sortKey)}, as partitionKey is: pass two different names`);
  checkKeyPrefix(keyPrefix);
  return { tableName, client: documentClient(options.client), partitionKey, sortKey, keyPrefix };
}

function documentClient(client: DynamoDBStoreOptions['client']): DynamoDBDocumentClient {
  if (client === undefined)
    return DynamoDBDocumentClient.from(closeIdleSockets(new DynamoDBClient({ maxAttempts: 1 })));
  if (client instanceof DynamoDBDocumentClient) return client;
  const { send, config } = (client ?? {}) as Partial<DynamoDBClient>;
  if (typeof send !== 'function' || typeof config !== 'object') {
    throw new TypeError(
      `client is ${describeType(client)}: pass a DynamoDBClient or a DynamoDBDocumentClient, or leave it out`,
    );
  }
  // `from` overwrites the client's `translateConfig`, which the user's document client shares: keep its value.
  const { translateConfig } = client.config as { translateConfig?: Parameters<typeof DynamoDBDocumentClient.from>[1] };
  return DynamoDBDocumentClient.from(client, translateConfig);
}

function checkText(option: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') return;
  throw new TypeError(`${option} is ${describe(value)}: pass a non-empty string`);
}

function checkKey(option: string, value: unknown): void {
  checkText(option, value);
  const isUnsendable = value === '__proto__';
  if (!isUnsendable && !isRecordAttribute(value as string)) return;
  const why = isUnsendable ? 'which the SDK does not send' : 'which is an attribute of the lock record';
  throw new RangeError(`${option} is ${describe(value)}, ${why}: use a table with another key`);
}

/**
 * How long a connection may be idle before this library closes it. DynamoDB closed connections after 60 s without a
 * request in a test; other servers do so sooner.
 */
const LONGEST_IDLE_MS = 10_000;

/** The parts of the SDK's handler on Node, and of Node's agents, that are used here. */
interface Handler {
  httpHandlerConfigs?(): Agents;
  /** The agents of older handlers, which have no `httpHandlerConfigs`. The first request sets this field. */
  readonly config?: Agents;
}
interface Agents {
  readonly httpAgent?: Agent;
  readonly httpsAgent?: Agent;
}
interface Agent {
  readonly freeSockets?: Readonly<Record<string, readonly { destroy(): void }[]>>;
}

/**
 * Keeps a client from sending over a connection that was idle for long. A frozen process, such as Lambda between two
 * invocations, does not notice that the server has closed a connection until it sends again, and then cannot know
 * whether that request was applied. Does nothing if the client has no sockets, as on Workers.
 *
 * @returns the client
 */
export function closeIdleSockets(client: DynamoDBClient): DynamoDBClient {
  let sentMs = systemClock.now();
  client.middlewareStack.add(
    (next) => (args) => {
      // The wall clock keeps running while a process is frozen.
      const nowMs = systemClock.now();
      if (nowMs - sentMs > LONGEST_IDLE_MS) {
        const handler = client.config.requestHandler as unknown as Handler;
        const { httpAgent, httpsAgent } = handler.httpHandlerConfigs?.() ?? handler.config ?? {};
        for (const agent of [httpAgent, httpsAgent]) {
          for (const socket of Object.values(agent?.freeSockets ?? {}).flat()) socket.destroy();
        }
      }
      sentMs = nowMs;
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'singleExecutionIdleSockets' },
  );
  return client;
}
