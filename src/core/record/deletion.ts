import type { DeleteResult, Deletion } from '../ports/lock-admin-store.js';
import { defined } from '../values/defined.js';
import { checkAttribute, type Item, isInstant, isText, type LockRecord, RECORD_VERSION } from './lock-record.js';

/*
 * What a delete makes of a record, the same in every store (docs/protocol.md, "Delete"). The record is not removed:
 * what is left of it lets fencing tokens rise on and fences off acquires that were sent before the delete.
 */

/**
 * What is left of a record. `lockUntil` fences off acquires that were sent before the delete, and those of the last
 * run, whose clock may have been ahead. Nothing corrupt is kept, so that what is left can be read.
 */
export function deletedRecord({ adminId, nowMs }: Deletion, record: LockRecord): LockRecord {
  const { state, lockUntil, releasedAt, fencingToken, barredAttempt } = record;
  const fence = state === 'released' ? releasedAt : lockUntil;
  return {
    attemptId: adminId,
    state: 'deleted',
    lockUntil: isInstant(fence) ? Math.max(nowMs, Number(fence)) : nowMs,
    v: RECORD_VERSION,
    ...defined({ fencingToken, barredAttempt: isText(barredAttempt) ? barredAttempt : undefined }),
  };
}

/** Whether a record is what a delete has left, and no operator has paused the lock since. */
export function isDeleted({ state, pausedUntil }: Item): boolean {
  return state === 'deleted' && pausedUntil === undefined;
}

/**
 * Judges a delete by the record that it finds; `open`: it may write. A delete corrects a corrupt record, except for the
 * two attributes that it is judged by.
 *
 * @param isOver whether a `lockUntil` is over by the best clock there is
 * @throws CorruptLockError for a corrupt fencing token, and for a corrupt `lockUntil` of a lock that is held
 */
export function judgeDeletion(
  { name, adminId, fencingToken }: Deletion,
  item: Item | undefined,
  isOver: (lockUntil: number) => boolean,
): DeleteResult | 'open' {
  if (item === undefined) return 'unknown';
  // This very delete: an earlier try was applied.
  if (item['attemptId'] === adminId) return 'deleted';
  if (isDeleted(item)) return 'unknown';
  checkAttribute(name, item, 'fencingToken');
  const { fencingToken: token = 0, state, lockUntil } = item as LockRecord;
  if (token !== fencingToken) return 'changed';
  if (state !== 'held') return 'open';
  checkAttribute(name, item, 'lockUntil');
  return lockUntil !== undefined && isOver(lockUntil) ? 'open' : 'held';
}
