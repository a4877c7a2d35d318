import type { LockAdminStore } from '../core/ports/lock-admin-store.js';
import type { LockStore } from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import { takingTurns } from '../core/request/turns.js';
import { checkMethods, checkStoreOptions, describe, namesOf } from '../core/values/checks.js';
import type { Storage, StoredRecord } from './storage-port.js';
import { storageStore } from './storage-store.js';

export type { Storage, StoredRecord };

/** Options of `compareAndSwapStore`. */
export interface CompareAndSwapOptions<Version> {
  /** The storage of the records. */
  readonly storage: Storage<Version>;
  /** Put before each lock name in the key. @default '' */
  readonly keyPrefix?: string;
}

const OPTIONS = namesOf<CompareAndSwapOptions<unknown>>({ storage: true, keyPrefix: true });

/**
 * Makes a whole store over any storage that can compare and swap. A skip costs one request, a run four: each verb reads
 * a record, decides by the rules of all stores, and writes if the version of the record has not changed. It judges
 * leases by the storage's clock, never by a host's.
 *
 * @example
 * ```ts
 * import { compareAndSwapStore, type StoredRecord } from 'single-execution/store';
 *
 * const texts = new Map<string, string>();
 * export const store = compareAndSwapStore<string>({
 *   storage: {
 *     async read(key) {
 *       const version = texts.get(key);
 *       const record: StoredRecord | undefined = version && JSON.parse(version);
 *       return { record, version, nowMs: Date.now() };
 *     },
 *     async write(key, record, version) {
 *       if (texts.get(key) !== version) return false;
 *       texts.set(key, JSON.stringify(record));
 *       return true;
 *     },
 *   },
 * });
 * ```
 *
 * @throws TypeError, RangeError for invalid options; nothing is sent
 */
export function compareAndSwapStore<Version>(
  options: CompareAndSwapOptions<Version>,
): LockStore & MemberStore & LockAdminStore {
  checkStoreOptions('compareAndSwapStore', options, OPTIONS);
  const { storage, keyPrefix } = options;
  checkMethods('storage', storage, ['read', 'write'], 'pass an object with the functions read and write');
  checkResolution(storage.clockResolutionMs);
  return takingTurns(
    storage,
    storageStore(() => storage, keyPrefix),
  );
}

const COARSEST_MS = 60_000;

/** @throws RangeError */
function checkResolution(resolutionMs: unknown = 1): void {
  if (Number.isSafeInteger(resolutionMs) && Number(resolutionMs) >= 1 && Number(resolutionMs) <= COARSEST_MS) return;
  throw new RangeError(
    `storage.clockResolutionMs is ${describe(resolutionMs)}: pass whole milliseconds from 1 to 60,000, such as 1,000 for a clock of whole seconds`,
  );
}
