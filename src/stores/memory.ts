import type { LockAdminStore } from '../core/ports/lock-admin-store.js';
import type { LockStore } from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import { LockStoreError } from '../core/public/errors.js';
import { isInstant } from '../core/record/lock-record.js';
import { describe } from '../core/values/checks.js';
import type { StoredRecord } from './storage-port.js';
import { storageStore } from './storage-store.js';

/** A lock store, with the verbs of elections and of operators over the same locks. */
export interface MemoryStore extends LockStore, MemberStore, LockAdminStore {}

/**
 * Makes a store for locks in the memory of one process, for tests and local work. It uses the same rules and the same
 * record as every other store. The caller's clock is its server time, so an expired lock is taken over at once. It does
 * not exclude other processes, and loses everything when this process ends. It works with a clock from 2001 on.
 *
 * @example
 * ```ts
 * import { executeWithLock } from 'single-execution';
 * import { memoryStore } from 'single-execution/memory';
 *
 * await executeWithLock(() => 'done', { name: 'update', store: memoryStore(), lockAtMostFor: '1m' });
 * ```
 */
export function memoryStore(): MemoryStore {
  const rows = new Map<string, { readonly record: StoredRecord; readonly version: number }>();
  return storageStore<number>(({ clock }) => ({
    async read(key) {
      const nowMs = Math.round(clock.now());
      if (!isInstant(nowMs)) throw wrongClock(nowMs);
      return { ...rows.get(key), nowMs };
    },
    async write(key, record, version) {
      if (rows.get(key)?.version !== version) return false;
      rows.set(key, { record, version: (version ?? 0) + 1 });
      return true;
    },
    async list(prefix) {
      const nowMs = Math.round(clock.now());
      return [...rows].filter(([key]) => key.startsWith(prefix)).map(([key, { record }]) => ({ key, record, nowMs }));
    },
  }));
}

/** Makes the error for a clock before 2001, as tests have one: no record can hold its time. The caller adds verb and lock. */
function wrongClock(nowMs: number): LockStoreError {
  return new LockStoreError(
    `the clock is at ${describe(new Date(nowMs))}, before 2001; in a test turn it to 2015 or later`,
    { code: 'CLOCK_SKEW', lockName: '*', operation: 'get', retryable: false },
  );
}
