import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { memoryStore } from 'single-execution/memory';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { memoryHarness } from '../support/contract-harness.js';
import { dynamoDBHarness } from '../support/dynamodb-harness.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { redisHarness } from '../support/redis-harness.js';
import { startRedisServer } from '../support/redis-server.js';
import { startUpstashBridge } from '../support/upstash-bridge.js';
import type { Ground } from './scenario.js';

export interface Grounds {
  readonly all: readonly Ground[];
  /** The version of the Redis server. */
  readonly redisVersion: string;
  stop(): Promise<void>;
}

/** Our four stores, over real servers and in memory. */
export async function startGrounds(): Promise<Grounds> {
  const server = await startRedisServer();
  const bridge = await startUpstashBridge({ redisPort: server.port });
  const client = new Redis(server.url);
  const redis = new UpstashRedis({ url: bridge.url, token: bridge.token, retry: { retries: 0 } });
  const { client: dynamoDB } = dynamoDBLocal();
  const table = { client: dynamoDB, tableName: await freshTable(dynamoDB) };
  const [overRedis, overUpstash] = [
    { client, keyPrefix: 'redis:' },
    { redis, keyPrefix: 'upstash:' },
  ];
  const hset = (key: string, fields: Record<string, string>) => client.hset(key, fields);
  const memory = memoryStore();
  const onRedis = { store: redisStore(overRedis), admin: redisAdminStore(overRedis) };
  const onUpstash = { store: upstashStore(overUpstash), admin: upstashAdminStore(overUpstash) };
  return {
    all: [
      { kind: 'memory', store: memory, admin: memory, harness: () => memoryHarness() },
      {
        kind: 'DynamoDB',
        store: dynamoDBStore(table),
        admin: dynamoDBAdminStore(table),
        harness: () => dynamoDBHarness(table),
      },
      { kind: 'Redis', ...onRedis, harness: () => redisHarness({ ...onRedis, ...overRedis, hset }) },
      { kind: 'Upstash', ...onUpstash, harness: () => redisHarness({ ...onUpstash, ...overUpstash, hset }) },
    ],
    redisVersion: /redis_version:([\d.]+)/.exec(await client.info('server'))?.[1] ?? 'unknown',
    async stop() {
      client.disconnect();
      dynamoDB.destroy();
      await bridge.stop();
      await server.stop();
    },
  };
}
