import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { needing } from './needed-package.js';
import type { OpenStore } from './open-store.js';

export interface TableAddress {
  readonly tableName: string;
  readonly keyPrefix?: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
}

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
  return new DynamoDBClient({
    maxAttempts: 1,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
  });
}
