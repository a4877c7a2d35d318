/** The setting of ioredis that docs/stores/redis.md asks for, so that only the lock tries again. */
export const SENDS_ONCE = { maxRetriesPerRequest: 0 };
