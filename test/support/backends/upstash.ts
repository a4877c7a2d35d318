import { Redis } from '@upstash/redis';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { BRIDGE_TOKEN, type BridgeFault, startUpstashBridge, type UpstashBridge } from '../upstash-bridge.js';
import { type Backend, LATE_MS, opened } from './backend.js';
import { counted, DEFAULT_PREFIX, prefixArgs, type RedisEngine, startRedis } from './redis.js';

const FAULTS: Readonly<Record<string, BridgeFault>> = {
  'drop-request': 'drop-request',
  'drop-response': 'drop-response',
  hang: 'hang',
  'hang-after': 'hang-after',
  'http-500-after': 'http-500-after',
  late: { lateMs: LATE_MS },
};

/** A script's last argument is a number, the lease, only for renewals. */
const IS_RENEWAL = /"\d+"\]+$/;

export interface UpstashEngine extends RedisEngine {
  readonly bridge: UpstashBridge;
}

export const upstash: Backend<UpstashEngine> = {
  lacks: { sql: 'Upstash is a Redis, which has no tables' },
  lateMs: 0,
  isQuick: false,
  requests: { run: 2, skip: 1 },
  program: 'redis-server',
  faults: Object.keys(FAULTS),
  ending: { retried: ['drop-request', 'drop-response', 'http-500-after'], reported: [] },
  async start() {
    const below = await startRedis('upstash');
    const redisPort = below.server.port;
    const bridge = await startUpstashBridge({ redisPort });
    return {
      ...below,
      bridge,
      at: (place = DEFAULT_PREFIX) => ({ kind: 'upstash', url: bridge.url, place }),
      args: ({ place }) => ['--upstash', ...prefixArgs(place)],
      env: { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: bridge.token },
      network: (choose) =>
        startUpstashBridge({
          redisPort,
          choose: ({ body }) => FAULTS[choose(IS_RENEWAL.test(JSON.stringify(body))) ?? ''],
        }),
      async stop() {
        await bridge.stop();
        await below.stop();
      },
    };
  },
  async open({ url, place }, sends) {
    const connection = new Redis({ url, token: BRIDGE_TOKEN, retry: { retries: 0 } });
    const redis = sends ? counted(connection, sends) : connection;
    return opened((keyPrefix) => {
      const options = { redis, keyPrefix: place + keyPrefix };
      return { store: upstashStore(options), admin: upstashAdminStore(options) };
    });
  },
};
