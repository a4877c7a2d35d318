import type { DeleteResult } from '../ports/lock-admin-store.js';
import type { AcquireResult, Claim, Granted, StoreCall } from '../ports/lock-store.js';
import { LockStoreError, type StoreOperation } from '../public/errors.js';
import type { Item } from '../record/lock-record.js';
import { doneReason } from '../record/refusal.js';
import type { Answer } from './try-loop.js';

/** Budget of a cancel, on top of the acquire's; less if the platform's deadline is near. */
const CANCEL_BUDGET_MS = 2_000;

/** Records the answer to a write of an attempt, and the record that the write found. */
export type Note = (answer: Answer<unknown>, record: Item | undefined) => void;

/** The steps of a store in an acquire. */
export interface AttemptSteps<R> {
  /** Acquires, or takes over. Notes each write before judging it. */
  acquire(note: Note): Promise<AcquireResult>;
  /** Cancels the attempt, so that no late try of it is applied, unless it holds the lock. */
  cancel(call: StoreCall): Promise<Answer<R, Error>>;
  /** The grant, if the reply to a cancel says that the attempt holds the lock. */
  own(reply: R): Granted | undefined;
}

/**
 * An acquire, the same in every store (docs/protocol.md, "Acquire"). If it ends without a grant, and a write without an
 * answer may still be applied, it cancels the attempt. If the tick is done, such a write is refused anyway, and needs
 * no cancel.
 */
export async function settleAttempt<R>(
  claim: Claim,
  call: StoreCall,
  { acquire, cancel, own }: AttemptSteps<R>,
): Promise<AcquireResult> {
  let ambiguous = false;
  let isAnswered = false;
  let isDone = false;
  const outcome = acquire((answer, record) => {
    ambiguous ||= answer.ambiguous;
    isAnswered = 'value' in answer;
    isDone = record !== undefined && doneReason(claim, record) !== undefined;
  });
  const isGranted = await outcome.then(
    ({ status }) => status === 'acquired',
    () => false,
  );
  if (isGranted || !ambiguous || isDone) return outcome;

  const answer = await cancel(cancelCall(call));
  if ('error' in answer) {
    // The error of a corrupt record, or of a store that did not answer, comes before that of the cancel.
    await outcome.catch((error: unknown) => {
      if (!isAnswered || !(error instanceof LockStoreError)) throw error;
    });
    throw unsettledAttempt(claim.name, answer.error.cause);
  }
  return own(answer.value) ?? outcome;
}

/** The cancel is sent even when the acquire was aborted. */
function cancelCall(acquire: StoreCall): StoreCall {
  const budgetMs = Math.min(CANCEL_BUDGET_MS, acquire.budgetMs / 2);
  return { ...acquire, signal: new AbortController().signal, budgetMs };
}

/** The attempt was refused, but the store may still apply one of its tries, and the cancel failed. */
function unsettledAttempt(name: string, cause: unknown): LockStoreError {
  return new LockStoreError(
    `acquire of lock "${name}" failed: it was refused, but an earlier try went unanswered and could not be cancelled; try again`,
    { code: 'UNSETTLED', lockName: name, operation: 'acquire', retryable: true, cause },
  );
}

/** The attempt asks again after it was released, cancelled or taken over. */
export function endedAttempt(name: string): LockStoreError {
  return new LockStoreError(`acquire of lock "${name}" failed: this attempt has ended already; make a new one`, {
    code: 'UNAVAILABLE',
    lockName: name,
    operation: 'acquire',
    retryable: true,
  });
}

/** A try of an operator's write got no answer, and a later try found that the lock had changed. */
export function untoldWrite(operation: StoreOperation, name: string): LockStoreError {
  return new LockStoreError(
    `${operation} of lock "${name}" went unanswered, and the lock has changed since; look at it again`,
    { code: 'UNAVAILABLE', lockName: name, operation, retryable: true },
  );
}

/**
 * The result of a listing of ticks, judged by the record that refused it.
 *
 * @throws LockStoreError if a try got no answer: it may have been applied before the lock changed
 */
export function settledListing(
  name: string,
  judged: 'open' | 'listed' | 'changed',
  ambiguous: boolean,
): 'listed' | 'changed' {
  if (judged === 'listed') return judged;
  if (ambiguous) throw untoldWrite('listTicks', name);
  return 'changed';
}

/**
 * The result of a refused delete, judged by the record that refused it.
 *
 * @throws LockStoreError if a try got no answer: it may have been applied before the lock changed
 */
export function settledDeletion(name: string, judged: DeleteResult | 'open', ambiguous: boolean): DeleteResult {
  const result = judged === 'open' ? 'changed' : judged;
  if (ambiguous && (result === 'changed' || result === 'unknown')) throw untoldWrite('delete', name);
  return result;
}
