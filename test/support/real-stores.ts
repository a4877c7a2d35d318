import { executeWithLock } from 'single-execution';
import { dynamoDBLocal, freshTable } from './dynamodb-local.js';
import { startRedisServer } from './redis-server.js';
import { type OpenStore, openStore, type StoreAddress } from './store-address.js';

export const KINDS = ['redis', 'dynamodb'] as const;

/** A real and empty Redis and DynamoDB table, and a connection for the test to each of them. */
export interface RealStores {
  readonly addresses: Readonly<Record<(typeof KINDS)[number], StoreAddress>>;
  readonly open: Readonly<Record<(typeof KINDS)[number], OpenStore>>;
  readonly redisUrl: string;
  stop(): Promise<void>;
}

export async function startRealStores(): Promise<RealStores> {
  const server = await startRedisServer();
  const { client, endpoint } = dynamoDBLocal();
  const tableName = await freshTable(client);
  client.destroy();
  const redis: StoreAddress = { kind: 'redis', url: server.url };
  const dynamodb: StoreAddress = { kind: 'dynamodb', endpoint, tableName };
  const open = { redis: openStore(redis), dynamodb: openStore(dynamodb) };
  // Warm up: a server's first answer can take longer than a short lease, or longer than a call waits.
  for (const { store } of Object.values(open)) {
    const first = () => executeWithLock(() => undefined, { name: 'first', store, lockAtMostFor: '1m' });
    await first().catch(first).catch(first);
  }
  return {
    addresses: { redis, dynamodb },
    open,
    redisUrl: server.url,
    async stop() {
      open.redis.close();
      open.dynamodb.close();
      await server.stop();
    },
  };
}
