import type { DeleteResult } from '../ports/lock-admin-store.js';
import type { AcquireResult, Claim, Granted, StoreCall } from '../ports/lock-store.js';
import { LockStoreError, type StoreOperation } from '../public/errors.js';
import type { Item } from '../record/lock-record.js';
import { doneReason } from '../record/refusal.js';
import type { Answer } from './try-loop.js';

/** A cancel has this budget besides that of the acquire, or less where the platform's deadline is near. */
const CANCEL_BUDGET_MS = 2_000;

/** Takes note of how a write of an attempt was answered, and of the record that it found. */
export type Note = (answer: Answer<unknown>, record: Item | undefined) => void;

/** What a store does in an acquire. */
export interface AttemptSteps<R> {
  /** Acquires, or takes over. Each write is noted before it is judged. */
  acquire(note: Note): Promise<AcquireResult>;
  /** Bars the attempt, unless it holds the lock. */
  cancel(call: StoreCall): Promise<Answer<R, Error>>;
  /** The grant, where the reply to a cancel says that the attempt holds the lock. */
  own(reply: R): Granted | undefined;
}

/**
 * An acquire, the same in every store (docs/protocol.md, "Acquire"). Where it ends without a grant, and a write that
 * went unanswered may yet be applied, the attempt is cancelled. A tick that is done refuses such a write as well, and
 * needs no cancel.
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
    // A corrupt record, or a store that has not answered, is known for sure and told first.
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

/** The attempt was refused, but one of its tries may still be applied and could not be cancelled. */
function unsettledAttempt(name: string, cause: unknown): LockStoreError {
  return new LockStoreError(
    `acquire of lock "${name}" failed: it was refused, but an earlier try went unanswered and could not be cancelled; try again`,
    { code: 'UNSETTLED', lockName: name, operation: 'acquire', retryable: true, cause },
  );
}

/** The attempt was released, cancelled or taken over from before, and asks again. */
export function endedAttempt(name: string): LockStoreError {
  return new LockStoreError(`acquire of lock "${name}" failed: this attempt has ended already; make a new one`, {
    code: 'UNAVAILABLE',
    lockName: name,
    operation: 'acquire',
    retryable: true,
  });
}

/** A try of an operator's write went unanswered, and a later try found that the lock had changed since it was seen. */
export function untoldWrite(operation: StoreOperation, name: string): LockStoreError {
  return new LockStoreError(
    `${operation} of lock "${name}" went unanswered, and the lock has changed since; look at it again`,
    { code: 'UNAVAILABLE', lockName: name, operation, retryable: true },
  );
}

/**
 * What a listing of ticks came to, judged by the record that refused it.
 *
 * @throws LockStoreError where a try went unanswered: it may have been applied before the lock changed
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
 * What a delete that was refused came to, judged by the record that refused it.
 *
 * @throws LockStoreError where a try went unanswered: it may have been applied before the lock changed
 */
export function settledDeletion(name: string, judged: DeleteResult | 'open', ambiguous: boolean): DeleteResult {
  const result = judged === 'open' ? 'changed' : judged;
  if (ambiguous && (result === 'changed' || result === 'unknown')) throw untoldWrite('delete', name);
  return result;
}
