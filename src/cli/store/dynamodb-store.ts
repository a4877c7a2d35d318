import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { StoreCall } from '../../core/ports/lock-store.js';
import { LockStoreError } from '../../core/public/errors.js';
import { systemClock } from '../../core/values/clock.js';
import { defined } from '../../core/values/defined.js';
import { NOBODY } from '../known-lock.js';
import { asked } from '../read-value.js';
import { needing } from './needed-package.js';
import type { OpenStore } from './open-store.js';
import { PATIENCE_MS, type StorePlace, silenceWords, storesInReach } from './reach.js';

export interface TableAddress {
  readonly tableName: string;
  readonly partitionKey?: string;
  readonly sortKey?: string;
  readonly keyPrefix?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
}

/** A client of a table, and the place to which it sends requests. */
export interface TableClient {
  readonly client: DynamoDBClient;
  readonly place: StorePlace;
}

const PACKAGES = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];

export async function openDynamoDB(address: TableAddress): Promise<OpenStore> {
  const { tableName, partitionKey, sortKey, keyPrefix } = address;
  const [{ client, place }, { dynamoDBAdminStore, dynamoDBStore }] = await Promise.all([
    dynamoDBClient(address),
    needing(PACKAGES, () => import('../../stores/dynamodb/dynamodb.js')),
  ]);
  const options = { client, tableName, ...defined({ partitionKey, sortKey, keyPrefix }) };
  const stores = asked(() => ({ store: dynamoDBStore(options), admin: withKeyCheck(dynamoDBAdminStore(options)) }));
  return { kind: 'dynamodb', ...storesInReach(place, stores), close: () => client.destroy() };
}

/** Makes `list` fail for a table with another key, as a read does: its scan would just find no locks. */
function withKeyCheck(admin: LockAdminStore): LockAdminStore {
  let isChecked = false;
  const checkKey = async (call: StoreCall) => {
    if (isChecked) return;
    try {
      await admin.get(NOBODY, call);
      isChecked = true;
    } catch (error) {
      if (error instanceof LockStoreError && error.code === 'KEY_SCHEMA') throw error;
      // The scan reports any other problem too.
    }
  };
  return {
    ...admin,
    async list(call) {
      const [locks] = await Promise.all([admin.list(call), checkKey(call)]);
      return locks;
    },
  };
}

/** A client that does not retry, because this library does; it uses the environment of the SDK. */
export async function dynamoDBClient(address: TableAddress): Promise<TableClient> {
  const { endpoint, region, profile } = address;
  const { DynamoDBClient } = await needing(PACKAGES, () => import('@aws-sdk/client-dynamodb'));
  // Older SDKs read the profile only from the environment.
  if (profile !== undefined) process.env['AWS_PROFILE'] = profile;
  const client = new DynamoDBClient({ maxAttempts: 1, ...defined({ endpoint, region, profile }) });
  let at = endpoint;
  client.middlewareStack.add(
    (next) => (args) => {
      const { protocol, hostname, port } = args.request as URL;
      at = `${protocol}//${hostname}${port ? `:${port}` : ''}`;
      return next(args);
    },
    { step: 'build' },
  );
  // By default the SDK waits for ever.
  client.middlewareStack.add((next) => (args) => answeredInTime(next(args)), { step: 'initialize', priority: 'high' });
  const words = () => (at === undefined ? 'DynamoDB' : `DynamoDB at ${at}`);
  return { client, place: { words, remedy: 'check --endpoint, --region and the network' } };
}

/** @throws Error of code ETIMEDOUT if no answer comes in time; the request itself ends with its client */
async function answeredInTime<T>(answer: Promise<T>): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    const timer = systemClock.setTimer(() => {
      reject(Object.assign(new Error(silenceWords(PATIENCE_MS)), { code: 'ETIMEDOUT' }));
    }, PATIENCE_MS);
    cancel = () => timer.cancel();
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    cancel();
  }
}
