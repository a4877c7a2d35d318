import type { LockAdminStore } from '../core/ports/lock-admin-store.js';
import type { LockStore } from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import type { StoredRecord } from './storage.js';
import { swapStore } from './swap-store.js';

/** A lock store, with the verbs of elections and of operators over the same locks. */
export interface MemoryStore extends LockStore, MemberStore, LockAdminStore {}

/**
 * Makes a store for locks in the memory of one process, for tests and local work. It uses the same rules and the same
 * record as every other store. The caller's clock is its server time, so an expired lock is taken over at once. It does
 * not exclude other processes, and loses everything when this process ends.
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
  return swapStore<number>(({ clock }) => ({
    async read(key) {
      return { ...rows.get(key), nowMs: Math.round(clock.now()) };
    },
    async write(key, record, version) {
      if (rows.get(key)?.version !== version) return false;
      rows.set(key, { record, version: (version ?? 0) + 1 });
      return true;
    },
    async list(prefix) {
      return [...rows].filter(([key]) => key.startsWith(prefix)).map(([key, { record }]) => ({ key, record }));
    },
  }));
}
