import { describeType } from '../core/describe.js';
import type { LockAdminStore } from '../core/lock-admin-store.js';
import type { LockStore } from '../core/lock-store.js';
import type { MemberStore } from '../core/member-store.js';
import { redisAdmin } from './redis-admin.js';
import { checkOptions, type RedisConnection, redisConnection } from './redis-connection.js';
import { redisLock } from './redis-lock.js';

/** What is used of a client of @upstash/redis; one of your own that speaks Upstash's REST fits too. */
export interface UpstashClient {
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
  evalsha(sha1: string, keys: string[], args: string[]): Promise<unknown>;
}

export interface UpstashStoreOptions {
  /**
   * `new Redis({ url, token, retry: { retries: 0 } })`: this library does the retrying, and `retry: false` would still
   * send twice.
   */
  readonly redis: UpstashClient;
  /** Put before each lock name in the key. @default 'lock:' */
  readonly keyPrefix?: string;
}

/** Without it, Upstash runs a script alone in the whole database; plain Redis does not know it. */
const KEY_LOCKING = '#!lua flags=allow-key-locking';

/**
 * Locks in Upstash Redis, over REST. Promises nothing once an acknowledged write is lost: see docs/protocol.md,
 * "Redis".
 *
 * @throws TypeError for options that cannot be; nothing is sent
 */
export function upstashStore(options: UpstashStoreOptions): LockStore & MemberStore {
  return redisLock(connection('upstashStore', options));
}

/** What operators do to locks in Upstash Redis. Options as for `upstashStore`. */
export function upstashAdminStore(options: UpstashStoreOptions): LockAdminStore {
  return redisAdmin(connection('upstashAdminStore', options));
}

function connection(factory: string, options: UpstashStoreOptions): RedisConnection {
  checkOptions(factory, options, 'redis');
  const { redis, keyPrefix } = options;
  if (typeof redis !== 'object' || redis === null || typeof redis.evalsha !== 'function') {
    throw new TypeError(
      `redis is ${describeType(redis)}: give a client of @upstash/redis, such as new Redis({ url, token })`,
    );
  }
  return redisConnection(redis, keyPrefix, KEY_LOCKING);
}
