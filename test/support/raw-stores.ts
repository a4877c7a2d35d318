import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { Redis } from 'ioredis';
import type { LockAdminStore, LockStore, MemberStore } from 'single-execution';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { memoryStore } from 'single-execution/memory';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { type FakeLockTable, fakeLockTable } from 'single-execution/testing';
import { dynamoDBLocal, freshTable } from './dynamodb-local.js';
import { startRedisServer } from './redis-server.js';

export interface OpenLocks {
  readonly store: LockStore & MemberStore;
  readonly admin: LockAdminStore;
}

/** An empty store of each kind, and the database below it, for tests that write to the database directly. */
export interface RawStores {
  readonly redis: Redis;
  readonly dynamoDB: DynamoDBClient;
  readonly tableName: string;
  /** Opens the locks with one key prefix. All prefixes share one database. */
  readonly open: Readonly<Record<'fake' | 'dynamodb' | 'redis', (keyPrefix?: string) => OpenLocks>>;
  readonly fake: FakeLockTable;
  stop(): Promise<void>;
}

export async function startRawStores(): Promise<RawStores> {
  const server = await startRedisServer();
  const redis = new Redis(server.url);
  const { client: dynamoDB } = dynamoDBLocal();
  const tableName = await freshTable(dynamoDB);
  const mocked = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const fake = fakeLockTable(mockClient(mocked));
  const onDynamoDB = (client: DynamoDBClient | DynamoDBDocumentClient, keyPrefix = '') => {
    const options = { client, tableName, keyPrefix };
    return { store: dynamoDBStore(options), admin: dynamoDBAdminStore(options) };
  };
  return {
    redis,
    dynamoDB,
    tableName,
    fake,
    open: {
      fake: (keyPrefix) => onDynamoDB(mocked, keyPrefix),
      dynamodb: (keyPrefix) => onDynamoDB(dynamoDB, keyPrefix),
      redis(keyPrefix = '') {
        const options = { client: redis, keyPrefix };
        return { store: redisStore(options), admin: redisAdminStore(options) };
      },
    },
    async stop() {
      redis.disconnect();
      dynamoDB.destroy();
      await server.stop();
    },
  };
}

export function openMemory(): OpenLocks {
  const store = memoryStore();
  return { store, admin: store };
}
