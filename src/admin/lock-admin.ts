import type {
  DeleteResult,
  ForceRelease,
  LockAdminStore,
  ResumeResult,
  StoredLock,
} from '../core/ports/lock-admin-store.js';
import type { StoreCall } from '../core/ports/lock-store.js';
import { CorruptLockError } from '../core/public/errors.js';
import { FORCE_STEP, FOREVER_MS, type Item, type LockRecord, MAX_PAUSED_BY_BYTES } from '../core/record/lock-record.js';
import { isMemberList } from '../core/record/member-list.js';
import { failedTicksAfterCrash } from '../core/record/open-ticks.js';
import { checkKnown, checkMethods, describe, namesOf } from '../core/values/checks.js';
import { type Clock, checkClock, systemClock } from '../core/values/clock.js';
import { defined } from '../core/values/defined.js';
import { checkLockName, newAttemptId, truncateUtf8 } from '../core/values/names.js';
import { msOf } from '../core/values/tick.js';
import { corruptLock, isTaken, type LockInfo, lockInfo, type RunInfo } from './lock-info.js';
import { type ForgetResult, type TickRange, type TickVerbs, tickVerbs } from './tick-verbs.js';

export { type HealthOptions, healthRoute } from './health-route.js';
export type { Health, HealthJob, JobHealth } from './job-health.js';
export { type OverdueOptions, overdueTick } from './overdue.js';
export type { DeleteResult, ForgetResult, LockInfo, ResumeResult, RunInfo, TickRange };

const VERBS = namesOf<LockAdminStore>({
  list: true,
  get: true,
  forceRelease: true,
  pause: true,
  resume: true,
  delete: true,
  listTicks: true,
});
const ADMIN_OPTIONS = namesOf<AdminOptions>({ clock: true });
const PAUSE_OPTIONS = namesOf<PauseOptions>({ until: true, by: true });
const TRY_MS = 5_000;
const BUDGET_MS = 15_000;

/** Options of `lockAdmin`. */
interface AdminOptions {
  /** @default the clocks and timers of the platform */
  readonly clock?: Clock;
}

/**
 * The operators' verbs. Each verb sends at most two requests, and `list` one for each page. `backfill` and `forget`
 * read again if the lock changes meanwhile.
 */
export interface LockAdmin extends TickVerbs {
  /** Every lock of the store, sorted by name. A corrupt record is listed with its problem and its token. */
  list(): Promise<LockInfo[]>;
  /** One lock; undefined if it was never used, or deleted. */
  get(name: string): Promise<LockInfo | undefined>;
  /**
   * Open ticks of a lock: they failed, crashed, were ended by force, were missed, or were listed by `backfill`, and are
   * still not done. A call for one of them runs, once. Empty for a name that was never used.
   */
  open(name: string): Promise<readonly Date[]>;
  /** The last ten runs of a lock, newest first. */
  runs(name: string): Promise<readonly RunInfo[]>;
  /**
   * Ends the grant with this fencing token, as seen in `list` or `get`, and no newer one. The next run may start at
   * once, but the old holder notices only at the end of its lease. Until then two handlers may run, and only their
   * fencing tokens keep them apart.
   */
  forceRelease(
    name: string,
    grant: {
      /** The token from `list` or `get`. */
      readonly fencingToken: number;
    },
  ): Promise<ForceReleaseResult>;
  /**
   * Makes every call skip with reason `paused`, without a deployment. A run in progress goes on. Resolves to the paused
   * lock; a name that was never used has `underlyingState: 'unused'`.
   */
  pause(name: string, pause?: PauseOptions): Promise<LockInfo>;
  /** Ends a pause. `not-paused`: none was in force; `unknown`: the name was never used, or is deleted. */
  resume(name: string): Promise<ResumeResult>;
  /**
   * Retires a lock that is not held and has this fencing token, as seen in `list` or `get`; 0 if it has none. Forgets
   * its ticks that are done, its history, its previous run and its pause, so that a duplicate of an old tick runs
   * again. Fencing tokens keep rising. `held`: a run has the lock; `changed`: it has another token by now, or was
   * paused or resumed during the delete; `unknown`: the name was never used, or is deleted. Corrects a corrupt record.
   *
   * @throws CorruptLockError for a corrupt token, and for a corrupt `lockUntil` of a lock that is held
   */
  delete(
    name: string,
    lock: {
      /** The token from `list` or `get`; 0 for a lock that shows no token. */
      readonly fencingToken: number;
    },
  ): Promise<DeleteResult>;
}

/** How long a pause lasts, and who made it. */
export interface PauseOptions {
  /** Epoch milliseconds if a number. @default without an end */
  readonly until?: Date | number;
  /** Who paused, for people; cut to 40 UTF-8 bytes. @default 'operator' */
  readonly by?: string;
}

/** The result of a force release. */
export type ForceReleaseResult =
  | {
      /** The grant has ended. */
      readonly status: 'forced';
      /** The lock's new token, greater than that of the ended grant. */
      readonly fencingToken: number;
    }
  | {
      /** Nothing was changed: the lock is not held, or held under another token. */
      readonly status: 'unchanged';
      /** The lock; undefined if it was never used, or deleted. */
      readonly lock: LockInfo | undefined;
    };

/**
 * The operators' view of a store, such as `dynamoDBAdminStore({ tableName })`.
 *
 * @example
 * ```ts
 * import { lockAdmin } from 'single-execution/admin';
 * import { dynamoDBAdminStore } from 'single-execution/dynamodb';
 *
 * const admin = lockAdmin(dynamoDBAdminStore({ tableName: 'locks' }));
 * const lock = await admin.get('send-digest');
 * if (lock?.state === 'held' && lock.fencingToken !== undefined) {
 *   await admin.forceRelease('send-digest', { fencingToken: lock.fencingToken });
 * }
 * ```
 *
 * @throws TypeError for an invalid store or invalid options; each verb throws it, or a RangeError, for invalid
 *   arguments
 */
export function lockAdmin(store: LockAdminStore, options: AdminOptions = {}): LockAdmin {
  const isWrapped = 'store' in Object(store);
  const remedy = isWrapped ? 'pass the store itself' : 'pass an admin store, such as dynamoDBAdminStore({ tableName })';
  checkMethods('store', store, VERBS, remedy);
  checkKnown(options, ADMIN_OPTIONS);
  const { clock = systemClock } = options;
  checkClock(clock);
  const call = () => adminCall(clock);
  const read = async (name: string): Promise<{ readonly lock?: LockInfo; readonly item?: Item }> => {
    const stored = await store.get(checkLockName(name), call());
    const lock = stored && lockInfo(stored, clock.now());
    return lock && !isForgotten(stored, lock) ? { lock, item: stored.item } : {};
  };
  const get = async (name: string) => (await read(name)).lock;

  return {
    ...tickVerbs({ store, clock, call, read: async (name) => ((await read(name)).item ?? {}) as LockRecord }),

    get,

    async list() {
      return locksIn(await store.list(call()), clock.now());
    },

    async open(name) {
      return (await get(name))?.openTicks ?? [];
    },

    async runs(name) {
      return (await get(name))?.runs ?? [];
    },

    async forceRelease(name, grant) {
      const fencingToken = tokenOf(grant, Number.NEGATIVE_INFINITY, 'the token of the grant to end, from get');
      const { lock, item = {} } = await read(name);
      const force = lock && forceOf(lock, item, fencingToken, clock.now());
      if (!force) return { status: 'unchanged', lock };
      const result = await store.forceRelease(force, call());
      return result === 'forced'
        ? { status: 'forced', fencingToken: fencingToken + FORCE_STEP }
        : { status: 'unchanged', lock: await get(name) };
    },

    async pause(name, options = {}) {
      const pause = pauseOf(options);
      return shown(await store.pause(checkLockName(name), pause, call()), clock.now());
    },

    async resume(name) {
      return store.resume(checkLockName(name), call());
    },

    async delete(name, lock) {
      const fencingToken = tokenOf(lock, 0, 'the token of the lock, from get, or 0 if it has none');
      const nowMs = Math.round(clock.now());
      return store.delete({ name: checkLockName(name), adminId: newAttemptId('d'), fencingToken, nowMs }, call());
    },
  };
}

/** The force release of a grant; undefined if the lock is not held under this token. */
function forceOf(lock: LockInfo, item: Item, fencingToken: number, now: number): ForceRelease | undefined {
  const { name, lockedAt, tick, isManual } = lock;
  if (!isTaken(lock) || lock.fencingToken !== fencingToken || lockedAt === undefined) return undefined;
  return {
    name,
    adminId: newAttemptId('f'),
    fencingToken,
    lockedAtMs: lockedAt.getTime(),
    nowMs: Math.round(now),
    ...defined({ tickMs: tick?.getTime(), isManual, failedTicks: failedTicksAfterCrash(item) }),
  };
}

function adminCall(clock: Clock): StoreCall {
  const { signal } = new AbortController();
  return { clock, signal, tryMs: TRY_MS, budgetMs: BUDGET_MS, maxClockSkewMs: 0 };
}

/** The locks among all records of a store, sorted by name. */
function locksIn(records: readonly StoredLock[], nowMs: number): LockInfo[] {
  const locks = records.flatMap((stored) => {
    if (isMemberList(stored.name, stored.item)) return [];
    const lock = shown(stored, nowMs);
    return isForgotten(stored, lock) ? [] : [lock];
  });
  return locks.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @throws TypeError for a fencing token that is missing, or that no lock can have */
function tokenOf(given: { readonly fencingToken: number } | undefined, least: number, remedy: string): number {
  const fencingToken = given?.fencingToken;
  if (fencingToken !== undefined && Number.isSafeInteger(fencingToken) && fencingToken >= least) return fencingToken;
  throw new TypeError(`fencingToken is ${describe(fencingToken)}: pass ${remedy}`);
}

/** @throws TypeError, RangeError for invalid options */
function pauseOf(options: PauseOptions): { readonly untilMs: number; readonly by: string } {
  checkKnown(options, PAUSE_OPTIONS);
  const { until, by = 'operator' } = options;
  const untilMs = until === undefined ? FOREVER_MS : msOf(until);
  if (typeof untilMs !== 'number' || !Number.isSafeInteger(untilMs) || untilMs < 0 || untilMs > FOREVER_MS) {
    throw new RangeError(`until is ${describe(until)}: pass a Date, or epoch milliseconds, or leave it out`);
  }
  if (typeof by !== 'string' || by === '')
    throw new TypeError(`by is ${describe(by)}: say who pauses, or leave it out`);
  return { untilMs, by: truncateUtf8(by, MAX_PAUSED_BY_BYTES) };
}

/** Whether a record holds only what a delete keeps. */
function isForgotten({ item }: StoredLock, lock: LockInfo | undefined): boolean {
  return item['state'] === 'deleted' && lock?.state === 'unused';
}

/** A lock as `list` shows it. A corrupt record is shown with its problem, so that it does not hide the other locks. */
function shown(stored: StoredLock, nowMs: number): LockInfo {
  try {
    return lockInfo(stored, nowMs);
  } catch (error) {
    if (error instanceof CorruptLockError) return corruptLock(stored, error);
    throw error;
  }
}
