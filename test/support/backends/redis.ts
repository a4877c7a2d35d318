import { Redis } from 'ioredis';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { redisHarness } from '../contract-harness.js';
import { type RedisServer, startRedisServer } from '../redis-server.js';
import { startTcpFaultProxy, type TcpFault } from '../tcp-fault-proxy.js';
import { type Backend, type Engine, type Fields, LATE_MS, opened, type Sends } from './backend.js';

const DELAY_MS = 400;
/** Longer than a store waits for the answer to one try. */
const HANG_MS = 1_500;

const FAULTS: Readonly<Record<string, TcpFault>> = {
  'drop-request': 'drop-request',
  'drop-response': 'drop-response',
  busy: 'busy',
  [`kept back ${DELAY_MS} ms`]: { keepBackMs: DELAY_MS },
  [`kept back ${HANG_MS} ms`]: { keepBackMs: HANG_MS },
  late: { lateMs: LATE_MS },
};

/** The errors of a script that Redis does not know, or whose first line it refuses. */
const NOT_RUN = /NOSCRIPT|shebang/;

/** A script's last argument is a number, the lease, only for renewals. */
const IS_RENEWAL = /\r\n\d+\r\n$/;

/** The setting of ioredis that docs/stores/redis.md asks for, so that only the lock tries again. */
export const SENDS_ONCE = { maxRetriesPerRequest: 0 };

/** The prefix of a store that is given none. */
export const DEFAULT_PREFIX = 'lock:';

/** The tool's option for a prefix. */
export const prefixArgs = (prefix: string): readonly string[] =>
  prefix === DEFAULT_PREFIX ? [] : ['--prefix', prefix];

export interface RedisEngine extends Engine {
  readonly server: RedisServer;
  /** A connection for the test. */
  readonly client: Redis;
}

/** The parts that Redis and Upstash share: the second is a door before the first. */
export async function startRedis(kind: 'redis' | 'upstash' = 'redis'): Promise<RedisEngine> {
  const server = await startRedisServer();
  const client = new Redis(server.url);
  const hset = (key: string, fields: Record<string, string>) => client.hset(key, fields);
  return {
    server,
    client,
    at: (place = DEFAULT_PREFIX) => ({ kind, url: server.url, place }),
    make: async () => {},
    async put({ place }, key, fields: Fields) {
      await client.del(place + key);
      await client.hset(place + key, new Map([...fields].map(([field, value]) => [field, String(value)])));
    },
    harness: ({ place }, locks, keyPrefix = '') => redisHarness({ ...locks, keyPrefix: place + keyPrefix, hset }),
    args: ({ url, place }) => ['--redis-url', url, ...prefixArgs(place)],
    env: { REDIS_URL: server.url },
    async network(choose) {
      const proxy = await startTcpFaultProxy(server.port, (sent) => FAULTS[choose(IS_RENEWAL.test(sent)) ?? '']);
      return { url: `redis://${server.host}:${proxy.port}`, stop: proxy.stop };
    },
    async stop() {
      client.disconnect();
      await server.stop();
    },
  };
}

export const redis: Backend<RedisEngine> = {
  lacks: { sql: 'Redis has no tables' },
  lateMs: 0,
  isQuick: true,
  requests: { run: 2, skip: 1 },
  program: 'redis-server',
  faults: Object.keys(FAULTS),
  ending: { retried: ['drop-request', 'drop-response', 'busy'], reported: [] },
  start: () => startRedis(),
  async open({ url, place }, sends) {
    const connection = new Redis(url, SENDS_ONCE);
    // Ignore this event: ioredis reports each connection that breaks, and makes a new one.
    connection.on('error', () => undefined);
    const client = sends ? counted(connection, sends) : connection;
    return opened(
      (keyPrefix) => {
        const options = { client, keyPrefix: place + keyPrefix };
        return { store: redisStore(options), admin: redisAdminStore(options) };
      },
      () => connection.disconnect(),
    );
  },
};

/**
 * Reports the requests of a client. A script sent by a hash that the server does not know is not counted, nor one with
 * a first line that only Upstash knows: it is sent again, once in a process.
 */
export function counted<C extends object>(client: C, sends: Sends): C {
  return new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key !== 'evalsha' && key !== 'eval') return value.bind(target);
      return async (...args: readonly unknown[]) => {
        // A script without a key checks the login of a client that connects.
        if (args[1] === 0) return value.apply(target, args);
        const takeBack = sends();
        try {
          return await value.apply(target, args);
        } catch (error) {
          if (NOT_RUN.test(String(error))) takeBack();
          throw error;
        }
      };
    },
  });
}
