import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { postgresStore } from 'single-execution/postgres';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { SENDS_ONCE } from './sends-once.js';

/** Where a store is, as JSON that can be sent to another process. */
export type StoreAddress =
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'upstash'; readonly url: string; readonly token: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'dynamodb'; readonly endpoint: string; readonly tableName: string };

export interface OpenStore {
  readonly store: ReturnType<typeof redisStore>;
  readonly admin: ReturnType<typeof redisAdminStore>;
  /** Ends the connections of this store. */
  close(): void;
}

const LOCAL = { region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

/** Opens a store with connections of its own. */
export function openStore(address: StoreAddress): OpenStore {
  if (address.kind === 'redis') {
    const client = new Redis(address.url, SENDS_ONCE);
    // Ignore this event: ioredis reports each connection that breaks, and makes a new one.
    client.on('error', () => undefined);
    const options = { client };
    return { store: redisStore(options), admin: redisAdminStore(options), close: () => client.disconnect() };
  }
  if (address.kind === 'upstash') {
    const { url, token } = address;
    const options = { redis: new UpstashRedis({ url, token, retry: { retries: 0 } }) };
    return { store: upstashStore(options), admin: upstashAdminStore(options), close: () => undefined };
  }
  if (address.kind === 'postgres') {
    const client = new Pool({ connectionString: address.url });
    // Ignore this event: the statement that needed the lost connection rejects too.
    client.on('error', () => undefined);
    const store = postgresStore({ client });
    return { store, admin: store, close: () => void client.end() };
  }
  const client = new DynamoDBClient({ endpoint: address.endpoint, maxAttempts: 1, ...LOCAL });
  const options = { client, tableName: address.tableName };
  return { store: dynamoDBStore(options), admin: dynamoDBAdminStore(options), close: () => client.destroy() };
}

/**
 * How long after the end of a lease a store may still refuse others: the Date header of DynamoDB shows whole seconds
 * only.
 */
export const lateMs = ({ kind }: StoreAddress): number => (kind === 'dynamodb' ? 3_000 : 0);
