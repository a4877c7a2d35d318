export { E_LOCK_NOT_OWNED } from '@verrou/core';
export { registerStoreTestSuite } from '@verrou/core/test_suite';
export type { LockStore as VerrouStore } from '@verrou/core/types';
