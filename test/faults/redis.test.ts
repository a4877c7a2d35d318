import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { type RedisStoreOptions, redisAdminStore, redisStore } from 'single-execution/redis';
import { redis, SENDS_ONCE } from '../support/backends/redis.js';
import { onServer } from './columns.js';
import { NETWORK, refusedBy, throttled } from './faults.js';
import { playTable } from './play-table.js';
import type { Connection, Way } from './way.js';
import { REDIS_PROTOCOL } from './wire/redis-protocol.js';
import { tcpWire } from './wire/tcp-wire.js';

/** Shorter than half a cancel, which waits on the only connection until it is closed. The page has another time. */
const SILENCE_MS = 350;

const over = (client: RedisStoreOptions['client'], close: () => unknown): Connection => ({
  prefixed(keyPrefix) {
    const options = { client, keyPrefix };
    return { store: redisStore(options), admin: redisAdminStore(options) };
  },
  close,
});

export const way: Way = {
  title: 'Redis',
  server: 'redis-server',
  faults: [
    ...NETWORK,
    throttled('BUSY', refusedBy('BUSY by the fault proxy'), { ever: true }),
    throttled('READONLY', refusedBy('READONLY by the fault proxy')),
    throttled('OOM', refusedBy('OOM by the fault proxy')),
  ],
  columnOf: onServer,
  // Set as docs/stores/redis.md says, except for the time after which a connection counts as dead.
  clients: [
    {
      title: 'ioredis',
      silenceMs: SILENCE_MS,
      connect({ url }) {
        const client = new Redis(url, { ...SENDS_ONCE, socketTimeout: SILENCE_MS });
        // Ignore this event: ioredis reports each connection that breaks, and makes a new one.
        client.on('error', () => undefined);
        return over(client, () => client.disconnect());
      },
    },
    {
      title: 'node-redis',
      silenceMs: SILENCE_MS,
      async connect({ url }) {
        const reconnectStrategy = (retries: number) => Math.min(50 * retries, 2_000);
        const client = createClient({
          url,
          pingInterval: SILENCE_MS / 3,
          socket: { socketTimeout: SILENCE_MS, reconnectStrategy },
        });
        client.on('error', () => undefined);
        await client.connect();
        return over(client, () => client.destroy());
      },
    },
  ],
  async start() {
    const engine = await redis.start();
    const address = engine.at();
    return { address, wire: () => tcpWire(address.url, REDIS_PROTOCOL), stop: engine.stop };
  },
};

playTable('rows 2 and 187 F1 F2 F3 F6 F17 F35 F53 F54 F136 the fault table: Redis', way, import.meta);
