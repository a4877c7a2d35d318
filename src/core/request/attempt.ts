import type { DeleteResult } from '../ports/lock-admin-store.js';
import type { AcquireResult, Claim, Completion, Granted, Lease, StoreCall } from '../ports/lock-store.js';
import { LockStoreError, type StoreOperation } from '../public/errors.js';
import type { Item } from '../record/lock-record.js';
import { doneReason } from '../record/refusal.js';
import { givenBack } from '../record/transition.js';
import { readThrownText } from '../values/thrown.js';
import type { Answer } from './try-loop.js';

/**
 * The longest time for a cancel, in addition to the time of its acquire. A cancel also gets at most half of the
 * acquire's budget.
 */
const CANCEL_BUDGET_MS = 2_000;
const GIVE_BACK_TRIES = 5;

/** Takes note of the answer to one write of an attempt, and of the lock record that the write found, if any. */
export type Note = (answer: Answer<unknown>, record: Item | undefined) => void;

/** The steps of a store in an acquire. */
export interface AttemptSteps<R> {
  /** Acquires the lock, or takes it over. Passes the answer to each write to `note` before judging it. */
  acquire(note: Note): Promise<AcquireResult>;
  /** Makes the store refuse all late tries of the attempt, unless the attempt holds the lock. */
  cancel(call: StoreCall): Promise<Answer<R, Error>>;
  /** Returns the grant if the reply to a cancel says that the attempt holds the lock. */
  own(reply: R): Granted | undefined;
  /** Releases a grant that cannot be used. */
  giveBack(lease: Lease, completion: Completion, call: StoreCall): Promise<unknown>;
}

/**
 * Runs an acquire, in the same way for every store (docs/protocol.md, "Acquire"). If it ends without a grant, but one
 * of its unanswered writes may still be applied, this function cancels the attempt. If the tick is done, no cancel is
 * needed: the store refuses that write anyway. A grant that a cancel finds counts, unless the acquire was answered with
 * what no server says: then the release would be answered like that too, so the lock is given back at once.
 */
export async function settleAttempt<R>(
  claim: Claim,
  call: StoreCall,
  { acquire, cancel, own, giveBack }: AttemptSteps<R>,
): Promise<AcquireResult> {
  let ambiguous = false;
  let isAnswered = false;
  let isDone = false;
  const outcome = acquire((answer, record) => {
    ambiguous ||= answer.ambiguous;
    isAnswered = 'value' in answer;
    isDone = record !== undefined && doneReason(claim, record) !== undefined;
  });
  const ended = await outcome.then(({ status }) => status, codeOf);
  if (ended === 'acquired' || !ambiguous || isDone) return outcome;

  const answer = await cancel(cancelCall(call));
  if ('error' in answer) {
    // If the acquire found a corrupt record or got no answer, throw its error, not `UNSETTLED`.
    await outcome.catch((error: unknown) => {
      if (!isAnswered || !(error instanceof LockStoreError)) throw error;
    });
    throw unsettledAttempt(claim.name, answer.error.cause);
  }
  const granted = own(answer.value);
  if (granted === undefined || ended !== 'INVALID_REQUEST') return granted ?? outcome;
  // Its answers are no better, so it is repeated until a read finds that it has given the lock back.
  const unused = givenBack(ended, claim.tickMs !== undefined && !claim.markTickAtStart);
  for (let tries = 0; tries < GIVE_BACK_TRIES; tries++) {
    const giving = giveBack(granted.lease, unused, cancelCall(call));
    if ((await giving.then(() => '', codeOf)) !== ended) break;
  }
  return outcome;
}

const codeOf = (error: unknown) => readThrownText(error, 'code');

/** Makes the limits of a cancel. The cancel is sent even when the acquire was aborted. */
function cancelCall(acquire: StoreCall): StoreCall {
  const budgetMs = Math.min(CANCEL_BUDGET_MS, acquire.budgetMs / 2);
  return { ...acquire, signal: new AbortController().signal, budgetMs };
}

/**
 * Makes the error of an attempt that was refused and could not be cancelled: the store may still apply one of its
 * tries.
 */
function unsettledAttempt(name: string, cause: unknown): LockStoreError {
  return new LockStoreError(
    `acquire of lock "${name}" failed: it was refused, but an earlier try went unanswered and could not be cancelled; try again`,
    { code: 'UNSETTLED', lockName: name, operation: 'acquire', retryable: true, cause },
  );
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
