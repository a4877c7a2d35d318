import type { Holder, PreviousRun } from '../ports/lock-store.js';
import { CorruptLockError, LockStoreError, type StoreOperation } from '../public/errors.js';
import { describe } from '../values/checks.js';
import { defined } from '../values/defined.js';
import { isByHand, nameProblem } from '../values/names.js';

/** The stored record of one lock name; times in epoch milliseconds. See docs/protocol.md, "Record". */
export type LockRecord = {
  readonly attemptId?: string;
  readonly fencingToken?: number;
  readonly state?: 'held' | 'released' | 'forced' | 'deleted';
  readonly lockedAt?: number;
  readonly lockUntil?: number;
  readonly leaseMs?: number;
  readonly lockedBy?: string;
  readonly tick?: number;
  readonly doneTick?: number;
  readonly openTicks?: string;
  readonly failedTicks?: string;
  readonly barredAttempt?: string;
  readonly pausedUntil?: number;
  readonly pausedBy?: string;
  readonly schedule?: string;
  readonly result?: 'succeeded' | 'failed';
  readonly releasedAt?: number;
  readonly error?: string;
  readonly v?: number;
  /** The last ten runs, `r0` to `r9`. */
  readonly [slot: `r${number}`]: string;
};

/** A record as a store reads it, unchecked. */
export type Item = Readonly<Record<string, unknown>>;

export const RECORD_VERSION = 1;
/** `pausedUntil` of a pause without an end: the last instant of a Date. */
export const FOREVER_MS = 8_640_000_000_000_000;
/**
 * How much a force release adds to the fencing token: the number of slots in the ring of runs. A run's slot is its
 * token modulo that number, so the run after a force release still takes the next slot.
 */
export const FORCE_STEP = 10;
export const MAX_ERROR_BYTES = 64;
export const MAX_PAUSED_BY_BYTES = 40;

type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string' && value !== '';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
/** Whether a value can be a fencing token: a count that can still be raised by one. */
export const isToken: Check = (value) => isCount(value) && (value as number) < Number.MAX_SAFE_INTEGER;
/** Whether a value can be the end of a pause: at most the last instant of a Date. */
const isPauseEnd: Check = (value) => isCount(value) && (value as number) <= FOREVER_MS;
/** Whether a value is epoch milliseconds from 2001 to 5138. Seconds and microseconds fall outside of this range. */
export const isInstant: Check = (value) => isCount(value) && (value as number) >= 1e12 && (value as number) < 1e14;
/** Whether a value is a list of ticks, as open-ticks.ts writes it. */
const isTickList: Check = (value) => typeof value === 'string' && /^,([\da-z]+,)*$/.test(value);
const isOneOf =
  (...choices: unknown[]): Check =>
  (value) =>
    choices.includes(value);

/*
 * The check of each attribute. Attributes that most records lack come last: Redis answers with the values in this
 * order, and leaves out absent values at the end.
 */
const CHECKS: Readonly<Record<Exclude<keyof LockRecord, `r${number}`>, Check> & Record<string, Check>> = {
  attemptId: isText,
  fencingToken: isToken,
  state: isOneOf('held', 'released', 'forced', 'deleted'),
  lockedAt: isInstant,
  lockUntil: isInstant,
  leaseMs: isCount,
  lockedBy: isText,
  tick: isInstant,
  doneTick: isInstant,
  result: isOneOf('succeeded', 'failed'),
  releasedAt: isInstant,
  v: isCount,
  openTicks: isTickList,
  failedTicks: isTickList,
  schedule: isText,
  error: isText,
  pausedUntil: isPauseEnd,
  pausedBy: isText,
  barredAttempt: isText,
};

const OF_NUMBERS: ReadonlySet<Check | undefined> = new Set([isToken, isInstant, isCount, isPauseEnd]);

/** Whether the attribute of this name is a number in a record. */
export function isNumericAttribute(name: string): boolean {
  return OF_NUMBERS.has(CHECKS[name]);
}

/** Names of all attributes of a lock, without the rows of its history. */
export const LOCK_ATTRIBUTES: readonly string[] = Object.keys(CHECKS);

/** Returns the names of all attributes that a record can have, the rows of its history included. */
export function recordAttributes(): string[] {
  return [...LOCK_ATTRIBUTES, ...Array.from({ length: 10 }, (_, slot) => `r${slot}`)];
}

/** Whether this name is reserved for the lock's record. Other data in the item must not use it. */
export function isRecordAttribute(name: string): boolean {
  return Object.hasOwn(CHECKS, name) || /^r\d$/.test(name);
}

/**
 * Reads a stored item as a record. An absent attribute is not corrupt, and an unknown attribute is left alone. The rows
 * of the history are not checked here: `runsOf` leaves out rows that it cannot read.
 *
 * @throws CorruptLockError naming the first attribute of a wrong type or range
 */
export function readRecord(name: string, item: Item): LockRecord {
  for (const attribute of LOCK_ATTRIBUTES) checkAttribute(name, item, attribute);
  return item as LockRecord;
}

/** @throws CorruptLockError if this attribute is present with a wrong type or range */
export function checkAttribute(name: string, item: Item, attribute: string): void {
  const value = item[attribute];
  if (value !== undefined && !CHECKS[attribute]?.(value)) throw new CorruptLockError(name, attribute, kindOf(value));
}

/**
 * Reads the record before a grant; undefined if that record is corrupt. The grant is valid all the same, but the run
 * before it is unknown.
 */
export function pastRecord(name: string, item: Item): LockRecord | undefined {
  try {
    return readRecord(name, item);
  } catch (error) {
    if (error instanceof CorruptLockError) return undefined;
    throw error;
  }
}

/** Attributes that a grant needs from the record, because the call does not contain them. */
const OF_A_GRANT = ['fencingToken', 'lockedAt', 'lockUntil'] as const;

/**
 * Reads a stored item that an attempt recognised as its own.
 *
 * @throws CorruptLockError naming the missing or wrong attribute that a grant needs
 */
export function readGrant(name: string, item: Item): LockRecord {
  const wrong = OF_A_GRANT.find((attribute) => !CHECKS[attribute]?.(item[attribute]));
  if (wrong !== undefined) throw new CorruptLockError(name, wrong, kindOf(item[wrong]));
  return item as LockRecord;
}

/** Describes a wrong value for an error: its type, and the value itself if it is a number. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  return typeof value === 'number' ? `the number ${value}` : `a ${typeof value} that does not belong there`;
}

/** Reads the last run in the record, for the run that follows it; undefined before the first grant. */
export function previousRun(record: LockRecord): PreviousRun | undefined {
  const { attemptId, fencingToken, lockedAt, lockedBy, state, result, tick } = record;
  if (attemptId === undefined || fencingToken === undefined || lockedAt === undefined) return undefined;
  const status = state === 'released' ? (result ?? 'failed') : state === 'forced' ? 'forced' : 'crashed';
  return {
    status,
    ...defined({ tickMs: tick, isManual: isByHand(attemptId) }),
    lockedBy: lockedBy ?? 'unknown',
    lockedAtMs: lockedAt,
    fencingToken: state === 'forced' ? fencingToken - FORCE_STEP : fencingToken,
  };
}

/** Reads who holds the lock, or held it last, for a call that is refused; undefined if the record does not say so. */
export function holderOf(record: LockRecord): Holder | undefined {
  const { attemptId, lockedBy, lockedAt, lockUntil, fencingToken } = record;
  if (!attemptId || lockedAt === undefined || lockUntil === undefined || fencingToken === undefined) return undefined;
  return { attemptId, lockedBy: lockedBy ?? 'unknown', lockedAtMs: lockedAt, lockUntilMs: lockUntil, fencingToken };
}

/**
 * Returns the key of a lock in its store.
 *
 * @throws LockStoreError (INVALID_NAME) for a name that, with the prefix, no store can hold
 */
export function lockKey(prefix: string, name: string, operation: StoreOperation): string {
  const problem = name === '' ? nameProblem(name) : nameProblem(prefix + name);
  if (problem === undefined) return prefix + name;
  throw new LockStoreError(`${operation} refused: lock name ${describe(name)}: ${problem}`, {
    code: 'INVALID_NAME',
    lockName: name,
    operation,
    retryable: false,
  });
}
