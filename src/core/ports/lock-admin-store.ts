import type { StoreCall } from './lock-store.js';

/**
 * The second port of a store: the verbs of operators. It is a separate object, so that the role of a function needs
 * only the right to conditional writes, and no function's bundle contains a scan.
 */
export interface LockAdminStore {
  /** Lists every lock of this store, in no order. */
  list(call: StoreCall): Promise<StoredLock[]>;
  /** Reads one lock by its name, consistently; undefined if the lock has no record. */
  get(name: string, call: StoreCall): Promise<StoredLock | undefined>;
  /**
   * Ends the grant that an operator saw, by one conditional write. The write raises the token by ten, and adds the
   * ended run to the history. `changed`: the lock is no longer held under that token.
   */
  forceRelease(force: ForceRelease, call: StoreCall): Promise<'forced' | 'changed'>;
  /** Pauses a lock. Creates a record if the lock has none. Resolves to the paused record. */
  pause(name: string, pause: Pause, call: StoreCall): Promise<StoredLock>;
  /** Ends a pause, by one conditional write. */
  resume(name: string, call: StoreCall): Promise<ResumeResult>;
  /**
   * Retires a lock: its record keeps only the attributes that let fencing tokens rise. Changes nothing if the lock is
   * held, or if its token has changed.
   *
   * @throws CorruptLockError for a corrupt token, and for a corrupt `lockUntil` of a lock that is held
   */
  delete(deletion: Deletion, call: StoreCall): Promise<DeleteResult>;
  /**
   * Writes the lists of ticks of a lock that has run, by one conditional write. `changed`: nothing was written, because
   * a run holds the lock, or the record has changed since it was read.
   */
  listTicks(listing: TickListing, call: StoreCall): Promise<'listed' | 'changed'>;
}

/**
 * `resumed`: a pause was ended, perhaps by a try that got no answer; `not-paused`: no pause was in force; `unknown`:
 * the name has no record, or a deleted record.
 */
export type ResumeResult = 'resumed' | 'not-paused' | 'unknown';

/**
 * `held`: a run has the lock; `changed`: the lock has another fencing token, or was paused or resumed during the
 * delete; `unknown`: the name has no record, or a deleted record.
 */
export type DeleteResult = 'deleted' | 'held' | 'changed' | 'unknown';

/** A stored lock, unchecked. */
export interface StoredLock {
  /** The lock, without the prefix of the store. */
  readonly name: string;
  /** The attributes of the lock's record, as read: of any type, and perhaps corrupt. */
  readonly item: Readonly<Record<string, unknown>>;
  /** The store's own time of this answer, in epoch milliseconds; absent if the store does not report it. */
  readonly readMs?: number;
}

/** The grant that `forceRelease` ends, and the values that it writes. */
export interface ForceRelease {
  /** The lock. */
  readonly name: string;
  /** Fresh random identity of this force release. */
  readonly adminId: string;
  /** Token of the grant to end, as the operator saw it. */
  readonly fencingToken: number;
  /** Start of that grant, in epoch milliseconds. */
  readonly lockedAtMs: number;
  /** Tick of that grant, in epoch milliseconds; absent if the grant had no tick. */
  readonly tickMs?: number;
  /** True if the grant was a run by hand. */
  readonly isManual?: true;
  /** When the operator asked, in epoch milliseconds of the operator's clock. */
  readonly nowMs: number;
  /** The record's new `failedTicks`; absent if they do not change. */
  readonly failedTicks?: string;
}

/** The lock that `delete` retires. */
export interface Deletion {
  /** The lock. */
  readonly name: string;
  /** Fresh random identity of this delete. */
  readonly adminId: string;
  /** Token of the lock, as the operator saw it; 0 if the lock had no token. */
  readonly fencingToken: number;
  /** When the operator asked, in epoch milliseconds of the operator's clock. */
  readonly nowMs: number;
}

/** The lists that `listTicks` writes, and the values that they were computed from. */
export interface TickListing {
  /** The lock. */
  readonly name: string;
  /** The record's new list of open ticks. */
  readonly openTicks: string;
  /** The record's new list of ticks whose run failed. */
  readonly failedTicks: string;
  /**
   * The values that the lists were computed from; each is absent if the record did not have it. The write is refused if
   * one of them has changed.
   */
  readonly seen: {
    /** The record's fencing token. */
    readonly fencingToken?: number;
    /** The record's highest tick that is done, in epoch milliseconds. */
    readonly doneTick?: number;
    /** The record's list of open ticks. */
    readonly openTicks?: string;
    /** The record's list of failed ticks. */
    readonly failedTicks?: string;
  };
}

/** A pause, as the record keeps it. */
export interface Pause {
  /** When the pause ends by itself, in epoch milliseconds. */
  readonly untilMs: number;
  /** Who paused, for people. */
  readonly by: string;
}
