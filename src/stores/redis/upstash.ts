import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore } from '../../core/ports/lock-store.js';
import type { MemberStore } from '../../core/ports/member-store.js';
import { checkStoreOptions, describeType, namesOf } from '../../core/values/checks.js';
import { redisAdmin } from './admin.js';
import { NotSent } from './errors.js';
import { redisLock } from './lock.js';
import { warnIfUpstashResends } from './resends.js';
import { type RedisClient, type RedisConnection, redisConnection, sharedClients } from './send.js';

/** The part of a client of @upstash/redis that is used here; your own client of Upstash's REST API fits too. */
export interface UpstashClient {
  /** Runs a script. */
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
  /** Runs a script that the server knows, by its SHA-1. */
  evalsha(sha1: string, keys: string[], args: string[]): Promise<unknown>;
}

/** Options of `upstashStore`. */
export interface UpstashStoreOptions {
  /**
   * A client without retries, such as `new Redis({ url, token, retry: { retries: 0 } })`, because this library retries.
   * With `retry: false` the client would still send twice.
   */
  readonly redis: UpstashClient;
  /** Put before each lock name in the key. @default 'lock:' */
  readonly keyPrefix?: string;
}

/**
 * The first line of a script. Without it, Upstash blocks the whole database while the script runs. Plain Redis refuses
 * this line.
 */
const KEY_LOCKING = '#!lua flags=allow-key-locking';

/**
 * Makes a store for locks in Upstash Redis, over REST. It promises nothing after an acknowledged write is lost: see
 * docs/protocol.md, "On Redis".
 *
 * @example
 * ```ts
 * import { Redis } from '@upstash/redis';
 * import { upstashStore } from 'single-execution/upstash';
 *
 * const redis = Redis.fromEnv({ retry: { retries: 0 } });
 * export const store = upstashStore({ redis });
 * ```
 *
 * @throws TypeError, RangeError for invalid options; nothing is sent
 */
export function upstashStore(options: UpstashStoreOptions): LockStore & MemberStore {
  const redis = connection('upstashStore', options);
  warnIfUpstashResends(options.redis);
  return redisLock(redis);
}

/**
 * Makes the admin store for locks in Upstash Redis. It takes the same options as `upstashStore`.
 *
 * @example
 * ```ts
 * import { Redis } from '@upstash/redis';
 * import { lockAdmin } from 'single-execution/admin';
 * import { upstashAdminStore } from 'single-execution/upstash';
 *
 * const admin = lockAdmin(upstashAdminStore({ redis: Redis.fromEnv() }));
 * await admin.resume('send-digest');
 * ```
 */
export function upstashAdminStore(options: UpstashStoreOptions): LockAdminStore {
  return redisAdmin(connection('upstashAdminStore', options));
}

const OPTIONS = namesOf<UpstashStoreOptions>({ redis: true, keyPrefix: true });

function connection(factory: string, options: UpstashStoreOptions): RedisConnection {
  checkStoreOptions(factory, options, OPTIONS);
  const { redis, keyPrefix } = options;
  return redisConnection(clientOf(redis), keyPrefix);
}

const clients = sharedClients(KEY_LOCKING);

function clientOf(redis: UpstashClient): RedisClient {
  if (typeof redis === 'object' && redis !== null) {
    if ('evalSha' in redis || 'defineCommand' in redis) {
      throw new TypeError('redis is a client of ioredis or node-redis: pass it to redisStore({ client })');
    }
    if (typeof redis.evalsha === 'function') {
      return clients(redis, () => {
        const isUseless = hasNoUrl(redis);
        return {
          eval: (script, keys, args) => redis.eval(script, keys, args),
          evalsha: (hash, keys, args) => redis.evalsha(hash, keys, args),
          notSent: () => (isUseless ? new NotSent('ACCESS_DENIED', NO_URL) : undefined),
        };
      });
    }
  }
  throw new TypeError(
    `redis is ${describeType(redis)}: pass a client of @upstash/redis, such as new Redis({ url, token })`,
  );
}

const NO_URL =
  'the client of @upstash/redis has no URL: set UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, or pass url and token to it';

/** Whether a client has no URL. Without a URL, @upstash/redis only warns, and its calls fail like a network failure. */
function hasNoUrl(redis: UpstashClient & { readonly client?: { readonly baseUrl?: unknown } }): boolean {
  return redis.client?.baseUrl === '';
}
