import { untoldWrite } from './attempt.js';
import { defined } from './defined.js';
import type { DeleteResult, Deletion } from './lock-admin-store.js';
import { isInstant, type LockRecord, RECORD_VERSION } from './lock-record.js';

/*
 * What a delete makes of a record, the same in every store (docs/protocol.md, "Delete"). The record is not removed: what
 * is left of it lets fencing tokens rise on and fences off acquires that were sent before the delete.
 */

/**
 * What is left of a record. `lockUntil` fences off acquires that were sent before the delete, and those of the last run,
 * whose clock may have been ahead. One that is no instant is not kept: the record could not be read.
 */
export function deletedRecord({ adminId, nowMs }: Deletion, record: LockRecord): LockRecord {
  const { state, lockUntil, releasedAt, fencingToken, barredAttempt } = record;
  const fence = state === 'released' ? releasedAt : lockUntil;
  return {
    attemptId: adminId,
    state: 'deleted',
    lockUntil: isInstant(fence) ? Math.max(nowMs, Number(fence)) : nowMs,
    v: RECORD_VERSION,
    ...defined({ fencingToken, barredAttempt }),
  };
}

/** Whether a record is what a delete has left, and no operator has paused the lock since. */
export function isDeleted({ state, pausedUntil }: Readonly<Record<string, unknown>>): boolean {
  return state === 'deleted' && pausedUntil === undefined;
}

/**
 * What a delete is told by the record that it finds; `open`: it may write. A corrupt record that is not held can be
 * deleted: that is one way to correct it.
 *
 * @param isOver whether a `lockUntil` is over by the best clock there is
 */
export function judgeDeletion(
  { adminId, fencingToken }: Deletion,
  item: Readonly<Record<string, unknown>> | undefined,
  isOver: (lockUntil: number) => boolean,
): DeleteResult | 'open' {
  if (item === undefined) return 'unknown';
  // This very delete: an earlier try was applied.
  if (item['attemptId'] === adminId) return 'deleted';
  if (isDeleted(item)) return 'unknown';
  const { fencingToken: token = 0, state, lockUntil } = item;
  if (token !== fencingToken) return 'changed';
  const isHeld = state === 'held' && !(typeof lockUntil === 'number' && isOver(lockUntil));
  return isHeld ? 'held' : 'open';
}

/**
 * What a delete that was refused came to, judged by the record that refused it.
 *
 * @throws LockStoreError where a try went unanswered: it may have been applied before the lock changed
 */
export function settledDeletion(name: string, judged: DeleteResult | 'open', ambiguous: boolean): DeleteResult {
  const result = judged === 'open' ? 'changed' : judged;
  if (ambiguous && (result === 'changed' || result === 'unknown')) throw untoldWrite('delete', name);
  return result;
}
