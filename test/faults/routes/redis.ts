import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { type RedisStoreOptions, redisAdminStore, redisStore } from 'single-execution/redis';
import { redis, SENDS_ONCE } from '../../support/backends/redis.js';
import { REDIS_PROTOCOL } from '../wire/redis-protocol.js';
import { tcpWire } from '../wire/tcp-wire.js';
import { eachVerb, type Route } from './route.js';

interface Opened {
  readonly client: RedisStoreOptions['client'];
  close(): unknown;
}

/** The clients, set as docs/stores/redis.md says, except for the time after which a connection counts as dead. */
const CLIENTS = {
  async ioredis(url: string, silenceMs: number): Promise<Opened> {
    const client = new Redis(url, { ...SENDS_ONCE, socketTimeout: silenceMs });
    // Ignore this event: ioredis reports each connection that breaks, and makes a new one.
    client.on('error', () => undefined);
    return { client, close: () => client.disconnect() };
  },
  async 'node-redis'(url: string, silenceMs: number): Promise<Opened> {
    const reconnectStrategy = (retries: number) => Math.min(50 * retries, 2_000);
    const client = createClient({
      url,
      pingInterval: silenceMs / 3,
      socket: { socketTimeout: silenceMs, reconnectStrategy },
    });
    client.on('error', () => undefined);
    await client.connect();
    return { client, close: () => client.destroy() };
  },
};

export type RedisClientName = keyof typeof CLIENTS;

/** @param silenceMs how long the client waits for a connection that is silent */
export async function redisRoute(name: RedisClientName, silenceMs: number): Promise<Route> {
  const engine = await redis.start();
  const { host, port, url } = engine.server;
  return {
    wire: () => tcpWire(port, (own) => `redis://${host}:${own}`, REDIS_PROTOCOL),
    async connect(wire) {
      const { client, close } = await CLIENTS[name](wire?.url ?? url, silenceMs);
      return {
        open(keyPrefix) {
          const options = { client, keyPrefix };
          return { store: redisStore(options), admin: redisAdminStore(options) };
        },
        close,
      };
    },
    verbsOf: eachVerb,
    stop: engine.stop,
  };
}
