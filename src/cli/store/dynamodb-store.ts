import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemClock } from '../../core/values/clock.js';
import { needing } from './needed-package.js';
import type { OpenStore } from './open-store.js';

export interface TableAddress {
  readonly tableName: string;
  readonly keyPrefix?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
}

/** How long one request may take. */
const ANSWER_MS = 15_000;
const PACKAGES = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];

export async function openDynamoDB(address: TableAddress): Promise<OpenStore> {
  const { tableName, keyPrefix = '' } = address;
  const [client, { dynamoDBAdminStore, dynamoDBStore }] = await Promise.all([
    dynamoDBClient(address),
    needing(PACKAGES, () => import('../../stores/dynamodb/dynamodb.js')),
  ]);
  const options = { client, tableName, keyPrefix };
  return {
    kind: 'dynamodb',
    store: dynamoDBStore(options),
    admin: dynamoDBAdminStore(options),
    close: () => client.destroy(),
  };
}

/** A client that leaves retrying to this library, with the environment of the SDK. */
export async function dynamoDBClient(address: TableAddress): Promise<DynamoDBClient> {
  const { endpoint, region, profile } = address;
  const { DynamoDBClient } = await needing(PACKAGES, () => import('@aws-sdk/client-dynamodb'));
  // Older SDKs know a profile of the environment alone.
  if (profile !== undefined) process.env['AWS_PROFILE'] = profile;
  const client = new DynamoDBClient({
    maxAttempts: 1,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
  });
  // By itself the SDK waits for ever.
  client.middlewareStack.add((next) => (args) => answeredInTime(next(args)), { step: 'initialize', priority: 'high' });
  return client;
}

/** @throws Error of code ETIMEDOUT where no answer comes in time; the request itself ends with its client */
async function answeredInTime<T>(answer: Promise<T>): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    const timer = systemClock.setTimer(() => {
      reject(Object.assign(new Error('no answer came'), { code: 'ETIMEDOUT' }));
    }, ANSWER_MS);
    cancel = () => timer.cancel();
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    cancel();
  }
}
