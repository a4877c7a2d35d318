/**
 * Options of ioredis for every system on Redis: docs/stores/redis.md, "Limits", says why this library asks for them.
 */
export const IOREDIS_OPTIONS = { maxRetriesPerRequest: 0, socketTimeout: 2_000 };
