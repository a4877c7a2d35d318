import type { Skipped } from './outcome.js';
import { HELD_REASONS } from './outcome.js';

/** What a {@link LockStoreError} is about. Only `UNAVAILABLE` is subject to `onStoreError`; all others always throw. */
export type LockStoreErrorCode =
  /** The store could not be reached, was throttled, or did not answer in time. */
  | 'UNAVAILABLE'
  /** Credentials are missing, expired or not allowed to do this. */
  | 'ACCESS_DENIED'
  /** The table does not exist in this account and region. */
  | 'TABLE_NOT_FOUND'
  /** The table's key schema does not fit the store's options. */
  | 'KEY_SCHEMA'
  /** The lock name, with its prefix, is not one that this store can hold. */
  | 'INVALID_NAME'
  /** The store refused the request as malformed. */
  | 'INVALID_REQUEST'
  /** The grant was over at its arrival because this host's clock is wrong. */
  | 'CLOCK_SKEW'
  /** The grant arrived after its lease had ended. */
  | 'LATE'
  /** The store refused the run, and then did not say whether an earlier try of it may yet be applied. */
  | 'UNSETTLED';

export type StoreOperation =
  | 'acquire'
  | 'extend'
  | 'release'
  | 'list'
  | 'get'
  | 'forceRelease'
  | 'pause'
  | 'resume'
  | 'delete'
  | 'checkIn'
  | 'createLockTable';

/** A call to the store failed. Never used for contention: a lock held by somebody else is a value, not an error. */
export class LockStoreError extends Error {
  override readonly name = 'LockStoreError';
  readonly code: LockStoreErrorCode;
  readonly lockName: string;
  readonly operation: StoreOperation;
  /** Whether the same call may succeed later without a change of configuration. */
  readonly retryable: boolean;

  constructor(
    message: string,
    details: {
      code: LockStoreErrorCode;
      lockName: string;
      operation: StoreOperation;
      retryable: boolean;
      cause?: unknown;
    },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.lockName = details.lockName;
    this.operation = details.operation;
    this.retryable = details.retryable;
  }
}

/** The run was skipped and the wrapper was told to throw on a skip (`onSkipped: 'throw'`). */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
  readonly code = 'LOCK_HELD';
  readonly lockName: string;
  /** The whole skip: reason, tick and holder. */
  readonly skipped: Skipped;

  constructor(skipped: Skipped) {
    const { name, reason, holder } = skipped;
    const held =
      holder && HELD_REASONS.includes(reason) ? `, held by ${holder.lockedBy} until ${holder.lockUntil}` : '';
    super(`run of lock "${name}" skipped: ${reason}${held}`);
    this.lockName = skipped.name;
    this.skipped = skipped;
  }
}

/** The lock is not, or no longer, this run's: its lease is over, it was forced away, or there never was one. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
  readonly code = 'LOCK_LOST';
  readonly lockName: string;

  constructor(lockName: string, why: string) {
    super(
      `lock "${lockName}" is not held by this run: ${why}; stop writing, or guard each write with the fencing token`,
    );
    this.lockName = lockName;
  }
}

/** The time for the run is up: the platform or the process ends soon, or `maxHold` is over. Reason of `execution.signal`. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
  readonly code: 'DEADLINE' | 'MAX_HOLD' | 'SHUTDOWN';
  readonly lockName: string;

  constructor(lockName: string, code: DeadlineError['code'], why: string) {
    super(`run under lock "${lockName}" must end: ${why}`);
    this.code = code;
    this.lockName = lockName;
  }
}

/** The stored record of a lock has an attribute of a wrong type or range. Nobody runs until it is corrected. */
export class CorruptLockError extends Error {
  override readonly name = 'CorruptLockError';
  readonly code = 'CORRUPT_LOCK';
  readonly lockName: string;
  /** The attribute of the record that is wrong. */
  readonly attribute: string;

  constructor(lockName: string, attribute: string, found: string, cause?: unknown) {
    super(
      `record of lock "${lockName}" is corrupt: ${attribute} is ${found}; remove that attribute from the record, or set it right, by hand`,
      cause === undefined ? undefined : { cause },
    );
    this.lockName = lockName;
    this.attribute = attribute;
  }
}

/** What a store threw, as the error that callers know. A store's own errors pass; anything else is wrapped. */
export function toStoreError(
  cause: unknown,
  operation: StoreOperation,
  lockName: string,
): LockStoreError | CorruptLockError {
  if (cause instanceof LockStoreError || cause instanceof CorruptLockError) return cause;
  return new LockStoreError(`${operation} of lock "${lockName}" failed: ${errorName(cause)}; see the cause`, {
    code: 'UNAVAILABLE',
    lockName,
    operation,
    retryable: true,
    cause,
  });
}

/** A property of whatever was thrown; undefined where it cannot be read. */
export function readThrown(thrown: unknown, property: string): unknown {
  try {
    return (thrown as Readonly<Record<string, unknown>> | null | undefined)?.[property];
  } catch {
    // Reading it threw: the property counts as absent.
    return undefined;
  }
}

/** The same where it is a text, else an empty one. */
export function readThrownText(thrown: unknown, property: string): string {
  const value = readThrown(thrown, property);
  return typeof value === 'string' ? value : '';
}

/** The name of whatever was thrown: safe to store and to log, unlike its message. */
export function errorName(thrown: unknown): string {
  try {
    const name: unknown = thrown instanceof Error ? thrown.name : typeof thrown;
    return typeof name === 'string' && name !== '' ? name : 'Error';
  } catch {
    // Reading it threw: the name counts as absent.
    return 'Error';
  }
}
