import { newAttemptId } from '../core/attempt-id.js';
import { type Clock, systemClock } from '../core/clock.js';
import { msOf } from '../core/date-of.js';
import { describe } from '../core/describe.js';
import { CorruptLockError } from '../core/errors.js';
import type { LockAdminStore, StoredLock } from '../core/lock-admin-store.js';
import { checkLockName, truncateUtf8 } from '../core/lock-name.js';
import { FOREVER_MS, MAX_PAUSED_BY_BYTES } from '../core/lock-record.js';
import type { StoreCall } from '../core/lock-store.js';
import { isMemberList } from '../core/member-store.js';
import { checkKnown, checkMethods } from '../core/policy.js';
import { corruptLock, type LockInfo, lockInfo, type RunInfo } from './lock-info.js';

export type { LockInfo, RunInfo };

const VERBS: readonly string[] = ['list', 'get', 'forceRelease', 'pause', 'resume'] satisfies (keyof LockAdminStore)[];
const TRY_MS = 5_000;
const BUDGET_MS = 15_000;

/** What operators do to locks. Each verb is at most one read and one conditional write. */
export interface LockAdmin {
  /** Every lock of the store, sorted by name. A record that cannot be read is listed with its problem. */
  list(): Promise<LockInfo[]>;
  /** One lock; undefined when it was never used. */
  get(name: string): Promise<LockInfo | undefined>;
  /** The last ten runs of a lock, newest first. */
  runs(name: string): Promise<readonly RunInfo[]>;
  /**
   * Ends the grant with this fencing token, as seen in `list` or `get`, and no newer one. The next run may start at
   * once, while the old holder learns of it only at the end of its lease: two handlers may then run, kept apart by
   * their fencing tokens alone.
   */
  forceRelease(name: string, grant: { readonly fencingToken: number }): Promise<ForceReleaseResult>;
  /** Lets every run skip with reason `paused`, without a deployment. A run in progress goes on. */
  pause(name: string, pause?: PauseOptions): Promise<void>;
  resume(name: string): Promise<void>;
}

export interface PauseOptions {
  /** Epoch milliseconds when a number. @default without an end */
  readonly until?: Date | number;
  /** For people: who paused; at most 40 UTF-8 bytes are kept. @default 'operator' */
  readonly by?: string;
}

export type ForceReleaseResult =
  | { readonly status: 'forced'; readonly fencingToken: number }
  /** Nothing was changed: the lock is not held, or held under another token. */
  | { readonly status: 'unchanged'; readonly lock: LockInfo | undefined };

/**
 * The operators' view of a store, such as `dynamoDBAdminStore({ tableName })`.
 *
 * @throws TypeError for a store or options that cannot be; each verb likewise, and RangeError, for its arguments
 */
export function lockAdmin(store: LockAdminStore, options: { readonly clock?: Clock } = {}): LockAdmin {
  checkMethods('store', store, VERBS, 'give an admin store, such as dynamoDBAdminStore({ tableName })');
  checkKnown(options, ['clock']);
  const { clock = systemClock } = options;
  checkMethods('clock', clock, ['now', 'monotonic', 'setTimer'], 'give an object with these three functions');
  const call = (): StoreCall => ({
    clock,
    signal: new AbortController().signal,
    tryMs: TRY_MS,
    budgetMs: BUDGET_MS,
    maxClockSkewMs: 0,
  });
  const get = async (name: string): Promise<LockInfo | undefined> => {
    const stored = await store.get(checkLockName(name), call());
    return stored && lockInfo(stored, clock.now());
  };

  return {
    get,

    async list() {
      const locks = await store.list(call());
      const infos = locks
        .filter(({ name, item }) => !isMemberList(name, item))
        .map((stored) => listed(stored, clock.now()));
      return infos.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async runs(name) {
      return (await get(name))?.runs ?? [];
    },

    async forceRelease(name, grant) {
      const fencingToken = (grant as typeof grant | undefined)?.fencingToken;
      if (fencingToken === undefined || !Number.isSafeInteger(fencingToken)) {
        throw new TypeError(
          `fencingToken is ${describe(fencingToken)}: give the token of the grant to end, as get tells it`,
        );
      }
      const lock = await get(name);
      const isHeld = lock?.state === 'held' || lock?.state === 'expired';
      if (!isHeld || lock.fencingToken !== fencingToken || lock.lockedAt === undefined) {
        return { status: 'unchanged', lock };
      }
      const force = {
        name,
        adminId: newAttemptId('f'),
        fencingToken,
        lockedAtMs: lock.lockedAt.getTime(),
        nowMs: Math.round(clock.now()),
      };
      const result = await store.forceRelease(force, call());
      return result === 'forced'
        ? { status: 'forced', fencingToken: fencingToken + 1 }
        : { status: 'unchanged', lock: await get(name) };
    },

    async pause(name, options = {}) {
      checkKnown(options, ['until', 'by']);
      const { until, by = 'operator' } = options;
      const untilMs = until === undefined ? FOREVER_MS : msOf(until);
      if (typeof untilMs !== 'number' || !Number.isSafeInteger(untilMs) || untilMs < 0 || untilMs > FOREVER_MS) {
        throw new RangeError(`until is ${describe(until)}: give a Date, or epoch milliseconds, or leave it out`);
      }
      if (typeof by !== 'string' || by === '')
        throw new TypeError(`by is ${describe(by)}: say who pauses, or leave it out`);
      await store.pause(checkLockName(name), { untilMs, by: truncateUtf8(by, MAX_PAUSED_BY_BYTES) }, call());
    },

    async resume(name) {
      await store.resume(checkLockName(name), call());
    },
  };
}

/** One corrupt record must not hide all other locks. */
function listed(stored: StoredLock, nowMs: number): LockInfo {
  try {
    return lockInfo(stored, nowMs);
  } catch (error) {
    if (error instanceof CorruptLockError) return corruptLock(stored.name, error);
    throw error;
  }
}
