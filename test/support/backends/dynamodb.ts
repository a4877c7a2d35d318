import { randomUUID } from 'node:crypto';
import { type AttributeValue, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, NumberValue, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  createLockTable,
  type DynamoDBStoreOptions,
  dynamoDBAdminStore,
  dynamoDBStore,
} from 'single-execution/dynamodb';
import type { ContractHarness } from 'single-execution/testing';
import { shiftedClock } from '../clocks.js';
import { patientCall } from '../contract-harness.js';
import { sharedDynamoDBLocal, startDynamoDBLocal } from '../dynamodb-local-process.js';
import { type Fault, throttle } from '../fault-proxy.js';
import { verbOf } from '../lock-verb.js';
import { type Backend, type Engine, opened } from './backend.js';
import { HTTP_FAULTS, httpNetwork } from './http-network.js';

const FAULTS: Readonly<Record<string, Fault>> = {
  ...HTTP_FAULTS,
  InternalServerError: { kind: 'error', at: 'after', status: 500, type: 'InternalServerError' },
  ThrottlingException: throttle,
  AccessDeniedException: { kind: 'error', at: 'before', status: 400, type: 'AccessDeniedException' },
};

const LOCAL = { region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

export interface DynamoDBEngine extends Engine {
  readonly endpoint: string;
  /** A client for the test. */
  readonly client: DynamoDBClient;
}

export const dynamodb: Backend<DynamoDBEngine> = {
  lacks: { sql: 'DynamoDB is no SQL database' },
  // Its Date header shows whole seconds only.
  lateMs: 3_000,
  isQuick: true,
  requests: { run: 2, skip: 1 },
  program: 'java',
  faults: Object.keys(FAULTS),
  ending: {
    retried: ['reset before', 'reset after', 'ThrottlingException', 'InternalServerError'],
    reported: ['AccessDeniedException'],
  },
  async start() {
    const { endpoint, stop } = sharedDynamoDBLocal() ?? (await startDynamoDBLocal());
    const client = new DynamoDBClient({ endpoint, ...LOCAL });
    const ownTable = `locks-${randomUUID()}`;
    return {
      endpoint,
      client,
      at: (place = ownTable) => ({ kind: 'dynamodb', url: endpoint, place }),
      make: ({ place }) => createLockTable(client, { tableName: place }),
      async put({ place }, key, fields) {
        const values = [...fields].map(([field, value]) => [field, attributeOf(value)] as const);
        const Item = { ...Object.fromEntries(values), lockName: { S: key } };
        await client.send(new PutItemCommand({ TableName: place, Item }));
      },
      harness: ({ place }, _, keyPrefix = '') => dynamoDBHarness({ client, tableName: place, keyPrefix }),
      args: ({ place, url }) => ['--table', place, '--endpoint', url, '--region', LOCAL.region],
      env: { AWS_ENDPOINT_URL_DYNAMODB: endpoint },
      network: (choose) => httpNetwork(endpoint, choose, FAULTS, (body) => verbOf(body) === 'extend'),
      async stop() {
        client.destroy();
        await stop();
      },
    };
  },
  async open({ url: endpoint, place: tableName }, sends) {
    const client = new DynamoDBClient({ endpoint, maxAttempts: 1, ...LOCAL });
    if (sends) {
      client.middlewareStack.add(
        (next) => (args) => {
          sends();
          return next(args);
        },
        // When the client is asked: in a fresh process the request itself is sent later.
        { step: 'initialize', priority: 'high' },
      );
    }
    return opened(
      (keyPrefix) => {
        const options = { client, tableName, keyPrefix };
        return { store: dynamoDBStore(options), admin: dynamoDBAdminStore(options) };
      },
      () => client.destroy(),
    );
  },
};

export function attributeOf(value: string | number): AttributeValue {
  return typeof value === 'string' ? { S: value } : { N: String(value) };
}

/**
 * The contract's harness on DynamoDB. The server's Date is real, but stored instants come from the caller's clock.
 * Callers' clocks are ten minutes behind, so by the server's Date a short lease is over at once.
 */
export function dynamoDBHarness(options: DynamoDBStoreOptions & { readonly client: DynamoDBClient }): ContractHarness {
  const { client, tableName, partitionKey = 'lockName', sortKey, keyPrefix = '' } = options;
  const clock = shiftedClock(-600_000);
  return {
    store: dynamoDBStore(options),
    admin: dynamoDBAdminStore(options),
    call: () => patientCall(clock),
    shortLeaseMs: 60_000,
    expire: async () => {},
    leasePadMs: 2_000,
    async patch(name, attributes) {
      const entries = Object.entries(attributes);
      await DynamoDBDocumentClient.from(client).send(
        new UpdateCommand({
          TableName: tableName,
          Key: { [partitionKey]: keyPrefix + name, ...(sortKey !== undefined && { [sortKey]: 'lock' }) },
          UpdateExpression: `SET ${entries.map((_, index) => `#n${index} = :v${index}`).join(', ')}`,
          ExpressionAttributeNames: Object.fromEntries(entries.map(([attribute], index) => [`#n${index}`, attribute])),
          ExpressionAttributeValues: Object.fromEntries(
            entries.map(([, value], index) => [`:v${index}`, exact(value)]),
          ),
        }),
      );
    },
  };
}

/** The exact number: the document client refuses numbers that are no safe integers, but the table accepts them. */
function exact(value: string | number): string | NumberValue {
  return typeof value === 'number' ? NumberValue.from(String(value)) : value;
}
