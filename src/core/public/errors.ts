import { errorName, readThrown } from '../values/thrown.js';
import { factsOfSkip, type Skipped } from './outcome.js';

/**
 * The cause of a {@link LockStoreError}. `onStoreError` applies only to an acquire that fails with `UNAVAILABLE`. If an
 * acquire fails with any other code, the call rejects.
 */
export type LockStoreErrorCode =
  /** The store could not be reached, was throttled, or gave no clear answer in time. */
  | 'UNAVAILABLE'
  /** Credentials are missing, expired or not allowed to do this. */
  | 'ACCESS_DENIED'
  /** The table does not exist in this account and region. */
  | 'TABLE_NOT_FOUND'
  /** The table's key schema does not fit the store's options. */
  | 'KEY_SCHEMA'
  /** This store cannot hold the lock name with its prefix. */
  | 'INVALID_NAME'
  /** The store refused the request as malformed. */
  | 'INVALID_REQUEST'
  /** The lease was over when its grant arrived, because this host's clock is wrong. */
  | 'CLOCK_SKEW'
  /** The grant arrived after its lease had ended. */
  | 'LATE'
  /** The store refused the lock, but may still apply an earlier, unanswered try of the same acquire. */
  | 'UNSETTLED';

/**
 * The verb of a failed call to a store. `checkIn` belongs to leader elections; the other verbs from `list` on belong to
 * operators.
 */
export type StoreOperation =
  | 'acquire'
  | 'extend'
  | 'mark'
  | 'release'
  | 'list'
  | 'get'
  | 'forceRelease'
  | 'pause'
  | 'resume'
  | 'delete'
  | 'listTicks'
  | 'checkIn'
  | 'createLockTable';

/**
 * A call to the store failed. Never used for contention: a lock held by somebody else is a value, not an error.
 *
 * @example
 * ```ts
 * import { LockStoreError } from 'single-execution';
 *
 * export const mayComeLater = (error: unknown) => error instanceof LockStoreError && error.retryable;
 * ```
 */
export class LockStoreError extends Error {
  /** Always `LockStoreError`. */
  override readonly name: 'LockStoreError' = marked(this, 'LockStoreError');
  /** Why the call failed. */
  readonly code: LockStoreErrorCode;
  /** The lock of the call; `*` for a call that is not for one lock. */
  readonly lockName: string;
  /** The verb that failed. */
  readonly operation: StoreOperation;
  /** Whether the same call may succeed later without a change of configuration. */
  readonly retryable: boolean;

  constructor(
    message: string,
    details: {
      /** Why the call failed. */
      code: LockStoreErrorCode;
      /** The lock of the call. */
      lockName: string;
      /** The verb that failed. */
      operation: StoreOperation;
      /** Whether the same call may succeed later. */
      retryable: boolean;
      /** The client's error, if there is one. */
      cause?: unknown;
    },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.lockName = details.lockName;
    this.operation = details.operation;
    this.retryable = details.retryable;
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, 'LockStoreError', this);
  }
}

/**
 * A run was skipped, for any reason: by `acquireLock`, or by a wrapper with `onSkipped: 'throw'`. Or an operator asked
 * for something that a held lock does not allow.
 *
 * @example
 * ```ts
 * import { LockHeldError } from 'single-execution';
 *
 * export const holderOf = (error: unknown) =>
 *   error instanceof LockHeldError ? error.skipped.holder?.lockedBy : undefined;
 * ```
 */
export class LockHeldError extends Error {
  /** Always `LockHeldError`. */
  override readonly name: 'LockHeldError' = marked(this, 'LockHeldError');
  /** Always `LOCK_HELD`. */
  readonly code = 'LOCK_HELD';
  /** The lock of the skipped run, or of the refused operation. */
  readonly lockName: string;
  /** The whole skip: reason, tick and holder. */
  readonly skipped: Skipped;

  /** @param refused an operator's call that was refused, and the remedy; absent if a run was skipped */
  constructor(
    skipped: Skipped,
    refused?: {
      /** The operation that the operator asked for. */
      readonly operation: string;
      /** The remedy, for people. */
      readonly remedy: string;
    },
  ) {
    const { name, reason, holder } = skipped;
    const held = holder && factsOfSkip(reason).isHeld ? `, held by ${holder.lockedBy} until ${holder.lockUntil}` : '';
    super(
      refused
        ? `${refused.operation} of lock "${name}" refused: ${reason}${held}; ${refused.remedy}`
        : `run of lock "${name}" skipped: ${reason}${held}`,
    );
    this.lockName = skipped.name;
    this.skipped = skipped;
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, 'LockHeldError', this);
  }
}

/**
 * This run does not hold the lock: its lease has ended, an operator ended it by force, or the run never had the lock.
 *
 * @example
 * ```ts
 * import { type Execution, LockLostError } from 'single-execution';
 *
 * export const mayWrite = ({ signal }: Execution) => !(signal.reason instanceof LockLostError);
 * ```
 */
export class LockLostError extends Error {
  /** Always `LockLostError`. */
  override readonly name: 'LockLostError' = marked(this, 'LockLostError');
  /** Always `LOCK_LOST`. */
  readonly code = 'LOCK_LOST';
  /** The lock that was lost. */
  readonly lockName: string;

  constructor(lockName: string, why: string) {
    super(
      `lock "${lockName}" is not held by this run: ${why}; stop writing, or guard each write with the fencing token`,
    );
    this.lockName = lockName;
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, 'LockLostError', this);
  }
}

/**
 * The time for the run is up: the platform or the process ends soon, or `maxHold` is over. It is the reason of
 * `execution.signal`. With `CATCH_UP`, a call rejects with this error after `max` older ticks, if more ticks wait than
 * the record can list.
 *
 * @example
 * ```ts
 * import { RunEndedError, type Execution } from 'single-execution';
 *
 * export function stopInTime({ signal }: Execution) {
 *   if (signal.reason instanceof RunEndedError) console.log('out of time', signal.reason.code);
 *   signal.throwIfAborted();
 * }
 * ```
 */
export class RunEndedError extends Error {
  /** Always `RunEndedError`. */
  override readonly name: 'RunEndedError' = marked(this, 'RunEndedError');
  /**
   * `DEADLINE`: the platform ends the run soon; `MAX_HOLD`: `maxHold` is over; `SHUTDOWN`: the process is asked to end,
   * or the `signal` of `executeWithLock` aborts; `CATCH_UP`: too many ticks are waiting.
   */
  readonly code: 'DEADLINE' | 'MAX_HOLD' | 'SHUTDOWN' | 'CATCH_UP';
  /** The lock of the run. */
  readonly lockName: string;

  constructor(lockName: string, code: RunEndedError['code'], why: string) {
    super(`run under lock "${lockName}" must end: ${why}`);
    this.code = code;
    this.lockName = lockName;
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, 'RunEndedError', this);
  }
}

/**
 * The stored record of a lock has an attribute of a wrong type or range. No call that needs the attribute can run until
 * the record is corrected.
 *
 * @example
 * ```ts
 * import { CorruptLockError } from 'single-execution';
 *
 * export const wrongAttribute = (error: unknown) =>
 *   error instanceof CorruptLockError ? `${error.attribute} of ${error.lockName}` : undefined;
 * ```
 */
export class CorruptLockError extends Error {
  /** Always `CorruptLockError`. */
  override readonly name: 'CorruptLockError' = marked(this, 'CorruptLockError');
  /** Always `CORRUPT_LOCK`. */
  readonly code = 'CORRUPT_LOCK';
  /** The lock whose record is wrong. */
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

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, 'CorruptLockError', this);
  }
}

/** The key of an error's name, by which `instanceof` recognises an error that another copy of this library made. */
const KIND = Symbol.for('single-execution.error');

function marked<const Name extends string>(error: Error, name: Name): Name {
  Object.defineProperty(error, KIND, { value: name });
  return name;
}

/** Decides `instanceof` for a class of errors. A subclass keeps the usual check. */
function isMarked(value: unknown, name: string, type: object): boolean {
  if (Object.hasOwn(type, Symbol.hasInstance)) return readThrown(value, KIND) === name;
  return Function.prototype[Symbol.hasInstance].call(type, value);
}

/** Begins the message of an error: which operation failed, and on which lock. `*` stands for no lock of its own. */
export function failedWords(operation: StoreOperation, lockName: string): string {
  return `${operation}${lockName === '*' ? '' : ` of lock "${lockName}"`} failed: `;
}

/**
 * Turns a failure of a store into an error that callers know. A `LockStoreError` or `CorruptLockError` stays as it is;
 * any other error becomes the cause of a `LockStoreError`.
 */
export function toStoreError(
  cause: unknown,
  operation: StoreOperation,
  lockName: string,
): LockStoreError | CorruptLockError {
  if (cause instanceof LockStoreError || cause instanceof CorruptLockError) return cause;
  return new LockStoreError(`${failedWords(operation, lockName)}${errorName(cause)}; see the cause`, {
    code: 'UNAVAILABLE',
    lockName,
    operation,
    retryable: true,
    cause,
  });
}
