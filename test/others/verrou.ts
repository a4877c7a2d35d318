export { E_LOCK_NOT_OWNED, Verrou } from '@verrou/core';
export { redisStore } from '@verrou/core/drivers/redis';
export { registerStoreTestSuite } from '@verrou/core/test_suite';
export type { LockStore as VerrouStore } from '@verrou/core/types';
