import type { IORedisClient, NodeRedisClient } from '../../stores/redis/redis.js';
import { redisAdminStore, redisStore } from '../../stores/redis/redis.js';
import { failed } from '../exit-code.js';
import { isMissing } from './needed-package.js';
import type { OpenStore } from './open-store.js';

export interface RedisAddress {
  readonly url: string;
  readonly keyPrefix?: string;
}

/** A connection of either package, and the commands that are no scripts. */
export interface RedisConnection {
  readonly client: IORedisClient | NodeRedisClient;
  command(name: string, ...args: string[]): Promise<unknown>;
  close(): void;
}

export async function openRedis({ url, keyPrefix }: RedisAddress): Promise<OpenStore & RedisConnection> {
  const connection = await connect(url);
  const options = { client: connection.client, ...(keyPrefix !== undefined && { keyPrefix }) };
  return { kind: 'redis', ...connection, store: redisStore(options), admin: redisAdminStore(options) };
}

/** By the package that is installed, ioredis first. Does not wait for the connection: the first request does. */
async function connect(url: string): Promise<RedisConnection> {
  try {
    return await connectIORedis(url);
  } catch (error) {
    if (!isMissing(error, ['ioredis'])) throw error;
  }
  try {
    return await connectNodeRedis(url);
  } catch (error) {
    if (!isMissing(error, ['redis'])) throw error;
    throw failed(
      '--redis-url needs ioredis or redis, and neither is installed beside single-execution: npm install ioredis',
    );
  }
}

async function connectIORedis(url: string): Promise<RedisConnection> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, { maxRetriesPerRequest: 0 });
  // It tells of each connection that fails; the request that needed one says so too.
  client.on('error', () => undefined);
  return {
    client,
    command: (name, ...args) => client.call(name, ...args),
    close: () => client.disconnect(),
  };
}

async function connectNodeRedis(url: string): Promise<RedisConnection> {
  const { createClient } = await import('redis');
  const client = createClient({ url });
  client.on('error', () => undefined);
  // Rejects when it is closed before it is connected.
  client.connect().catch(() => undefined);
  return {
    client,
    command: (name, ...args) => client.sendCommand([name, ...args]),
    close: () => client.destroy(),
  };
}
