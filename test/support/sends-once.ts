/** What docs/stores/redis.md tells to set in ioredis, so that the lock alone tries again. */
export const SENDS_ONCE = { maxRetriesPerRequest: 0 };
