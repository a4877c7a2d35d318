import { factsOfSkip, type Skipped } from './outcome.js';

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

/** The call to a store that failed; `checkIn` is a leader election's, the verbs from `list` on are operators'. */
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
  /** What went wrong. */
  readonly code: LockStoreErrorCode;
  /** The lock that was asked for; `*` for a list of all. */
  readonly lockName: string;
  /** What was asked. */
  readonly operation: StoreOperation;
  /** Whether the same call may succeed later without a change of configuration. */
  readonly retryable: boolean;

  constructor(
    message: string,
    details: {
      /** What went wrong. */
      code: LockStoreErrorCode;
      /** The lock that was asked for. */
      lockName: string;
      /** What was asked. */
      operation: StoreOperation;
      /** Whether the same call may succeed later. */
      retryable: boolean;
      /** The error of the client, if there is one. */
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
 * Somebody else holds the lock: the run was skipped and the wrapper was told to throw on a skip (`onSkipped: 'throw'`),
 * or an operator asked for what cannot be done meanwhile.
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
  /** The lock that is held. */
  readonly lockName: string;
  /** The whole skip: reason, tick and holder. */
  readonly skipped: Skipped;

  /** @param refused what was refused instead of a run, and what to do */
  constructor(
    skipped: Skipped,
    refused?: {
      /** What an operator asked for. */
      readonly operation: string;
      /** What to do, for people. */
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
 * The lock is not, or no longer, this run's: its lease is over, it was forced away, or there never was one.
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
 * The time for the run is up: the platform or the process ends soon, or `maxHold` is over. Reason of `execution.signal`.
 * With `CATCH_UP` it is the error of a call: it has caught up with as many ticks as it may, and too many more wait.
 *
 * @example
 * ```ts
 * import { DeadlineError, type Execution } from 'single-execution';
 *
 * export function stopInTime({ signal }: Execution) {
 *   if (signal.reason instanceof DeadlineError) console.log('out of time', signal.reason.code);
 *   signal.throwIfAborted();
 * }
 * ```
 */
export class DeadlineError extends Error {
  /** Always `DeadlineError`. */
  override readonly name: 'DeadlineError' = marked(this, 'DeadlineError');
  /**
   * `DEADLINE`: the platform ends the run soon; `MAX_HOLD`: `maxHold` is over; `SHUTDOWN`: the process was told to
   * end; `CATCH_UP`: more ticks wait than one run may catch up with.
   */
  readonly code: 'DEADLINE' | 'MAX_HOLD' | 'SHUTDOWN' | 'CATCH_UP';
  /** The lock of the run. */
  readonly lockName: string;

  constructor(lockName: string, code: DeadlineError['code'], why: string) {
    super(`run under lock "${lockName}" must end: ${why}`);
    this.code = code;
    this.lockName = lockName;
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, 'DeadlineError', this);
  }
}

/**
 * The stored record of a lock has an attribute of a wrong type or range. Nobody runs until it is corrected.
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

/** The name of an error of this library, by which `instanceof` knows it even if another copy made it. */
const KIND = Symbol.for('single-execution.error');

function marked<const Name extends string>(error: Error, name: Name): Name {
  Object.defineProperty(error, KIND, { value: name });
  return name;
}

/** What `instanceof` answers for a class of errors, and as ever for a class that extends it. */
function isMarked(value: unknown, name: string, type: object): boolean {
  if (Object.hasOwn(type, Symbol.hasInstance)) return readThrown(value, KIND) === name;
  return Function.prototype[Symbol.hasInstance].call(type, value);
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
export function readThrown(thrown: unknown, property: PropertyKey): unknown {
  try {
    return (thrown as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[property];
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
