import type { DeleteResult } from '../ports/lock-admin-store.js';
import type { AcquireResult, Claim, Completion, StoreCall } from '../ports/lock-store.js';
import { LockStoreError, type StoreOperation } from '../public/errors.js';
import type { Item } from '../record/lock-record.js';
import { doneReason } from '../record/refusal.js';
import { givenBack } from '../record/transition.js';
import { readThrownText } from '../values/thrown.js';
import type { Answer } from './try-loop.js';

/*
 * An acquire, in the same order in every store (docs/protocol.md, "Acquire"). The store sends its writes. If the acquire
 * ended without a grant, but a write may still be applied (`mayStillApply`), the store cancels the attempt. A grant that
 * the cancel finds counts, unless the answers to the acquire cannot be read (`isUnreadable`): then the answer to the
 * release of the run could not be read either, so the store gives the lock back at once (`unusedCompletions`).
 */

/**
 * The longest time for a cancel, in addition to the time of its acquire. A cancel also gets at most half of the
 * acquire's budget.
 */
const CANCEL_BUDGET_MS = 2_000;
const GIVE_BACK_TRIES = 5;

/** A write of an attempt, with its answer: the record that the write found, if there was one. */
export interface AttemptWrite {
  readonly answer: Answer<{ readonly item?: Item | undefined }>;
}

/**
 * The end of an acquire: its result, or its error. `failed`: the error stays true, whatever becomes of writes that were
 * not answered; `unclear`: the store has refused the attempt, for a reason that means nothing to a caller.
 */
export type Ended = AcquireResult | { readonly status: 'failed' | 'unclear'; readonly error: unknown };

/** Returns the result of an acquire. @throws the error of an acquire that failed */
export function resultOf(ended: Ended): AcquireResult {
  if ('error' in ended) throw ended.error;
  return ended;
}

/**
 * Whether a write of an attempt may still be applied although its acquire ended without a grant. If the tick is done,
 * the store refuses that write anyway.
 */
export function mayStillApply(claim: Claim, ended: Ended, writes: readonly AttemptWrite[]): boolean {
  if (ended.status === 'acquired' || !writes.some(({ answer }) => answer.ambiguous)) return false;
  const last = writes.at(-1)?.answer;
  return !(last && 'value' in last && last.value.item && doneReason(claim, last.value.item));
}

/** Makes the limits of a cancel. The cancel is sent even when the acquire was aborted. */
export function cancelCall(acquire: StoreCall): StoreCall {
  const budgetMs = Math.min(CANCEL_BUDGET_MS, acquire.budgetMs / 2);
  return { ...acquire, signal: new AbortController().signal, budgetMs };
}

/**
 * Returns the error of an acquire whose cancel failed: the error of the acquire, if that stays true. Otherwise the store
 * has refused the attempt, and may still apply one of its tries.
 */
export function uncancelled(name: string, ended: Ended, { cause }: Error): unknown {
  if (ended.status === 'failed') return ended.error;
  return new LockStoreError(
    `acquire of lock "${name}" failed: it was refused, but an earlier try went unanswered and could not be cancelled; try again`,
    { code: 'UNSETTLED', lockName: name, operation: 'acquire', retryable: true, cause },
  );
}

/** Whether this is the error of a call that got an answer which no server gives. */
export function isUnreadable(error: unknown): boolean {
  return readThrownText(error, 'code') === 'INVALID_REQUEST';
}

/**
 * Makes the completions for a grant that cannot be used, one for each try. Their answers may be as unreadable as those
 * of the acquire, so the release is repeated until a read finds that the lock is free.
 */
export function unusedCompletions({ tickMs, markTickAtStart }: Claim): readonly Completion[] {
  return Array(GIVE_BACK_TRIES).fill(givenBack('INVALID_REQUEST', tickMs !== undefined && !markTickAtStart));
}

/** Makes the error of an attempt that asks again after it was released, cancelled or taken over. */
export function endedAttempt(name: string): LockStoreError {
  return new LockStoreError(`acquire of lock "${name}" failed: this attempt has ended already; make a new one`, {
    code: 'UNAVAILABLE',
    lockName: name,
    operation: 'acquire',
    retryable: true,
  });
}

/** Makes the error of an operator's write of which one try went unanswered, and a later try found a changed lock. */
export function unansweredWrite(operation: StoreOperation, name: string): LockStoreError {
  return new LockStoreError(
    `${operation} of lock "${name}" went unanswered, and the lock has changed since; look at it again`,
    { code: 'UNAVAILABLE', lockName: name, operation, retryable: true },
  );
}

/**
 * Returns the result of a write of tick lists.
 *
 * @param judged what the current record says about that write
 * @throws LockStoreError if the lock has changed and a try went unanswered: that try may have been applied first
 */
export function settledListing(
  name: string,
  judged: 'open' | 'listed' | 'changed',
  ambiguous: boolean,
): 'listed' | 'changed' {
  if (judged === 'listed') return judged;
  if (ambiguous) throw unansweredWrite('listTicks', name);
  return 'changed';
}

/**
 * Returns the result of a delete.
 *
 * @param judged what the current record, or the store itself, says about that delete
 * @throws LockStoreError if the lock has changed or is unknown, and a try went unanswered: that try may have been
 *   applied first
 */
export function settledDeletion(name: string, judged: DeleteResult | 'open', ambiguous: boolean): DeleteResult {
  const result = judged === 'open' ? 'changed' : judged;
  if (ambiguous && (result === 'changed' || result === 'unknown')) throw unansweredWrite('delete', name);
  return result;
}
