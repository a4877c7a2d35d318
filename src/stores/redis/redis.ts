import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore } from '../../core/ports/lock-store.js';
import type { MemberStore } from '../../core/ports/member-store.js';
import { checkStoreOptions, namesOf } from '../../core/values/checks.js';
import { redisAdmin } from './admin.js';
import { clientOf, type IORedisClient, type NodeRedisClient, type ValkeyGlideClient } from './clients.js';
import { redisLock } from './lock.js';
import { warnIfIORedisResends } from './resends.js';
import { type RedisConnection, redisConnection } from './send.js';

export type { IORedisClient, NodeRedisClient, ValkeyGlideClient };

/** Options of `redisStore`. */
export interface RedisStoreOptions {
  /** A connected client. For the settings that it needs see docs/stores/redis.md, "Limits". */
  readonly client: IORedisClient | NodeRedisClient | ValkeyGlideClient;
  /** Put before each lock name in the key. @default 'lock:' */
  readonly keyPrefix?: string;
}

/**
 * Makes a store for locks in a Redis of version 7 or later, a cluster of them, or Valkey, over a client that stays open. It promises nothing after an
 * acknowledged write is lost: see docs/protocol.md, "On Redis".
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis';
 * import { redisStore } from 'single-execution/redis';
 *
 * const client = new Redis({ maxRetriesPerRequest: 0, socketTimeout: 2_000 });
 * export const store = redisStore({ client });
 * ```
 *
 * @throws TypeError, RangeError for invalid options; nothing is sent
 */
export function redisStore(options: RedisStoreOptions): LockStore & MemberStore {
  const redis = connection('redisStore', options);
  warnIfIORedisResends(options.client);
  return redisLock(redis);
}

/**
 * Makes the admin store for locks in a Redis. It takes the same options as `redisStore`.
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis';
 * import { lockAdmin } from 'single-execution/admin';
 * import { redisAdminStore } from 'single-execution/redis';
 *
 * const client = new Redis({ maxRetriesPerRequest: 0, socketTimeout: 2_000 });
 * const admin = lockAdmin(redisAdminStore({ client }));
 * await admin.pause('send-digest', { by: 'ann' });
 * ```
 */
export function redisAdminStore(options: RedisStoreOptions): LockAdminStore {
  return redisAdmin(connection('redisAdminStore', options));
}

const OPTIONS = namesOf<RedisStoreOptions>({ client: true, keyPrefix: true });

function connection(factory: string, options: RedisStoreOptions): RedisConnection {
  checkStoreOptions(factory, options, OPTIONS);
  const { client, keyPrefix } = options;
  return redisConnection(clientOf(client), keyPrefix);
}
