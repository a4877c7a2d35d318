import type { StoreCall } from '../ports/lock-store.js';
import { LockStoreError } from '../public/errors.js';

/*
 * What every store does when it does not know whether an attempt was applied (docs/protocol.md, "Acquire").
 */

/** Beside the acquire's own budget, and less where that is short because the platform's deadline is near. */
const CANCEL_BUDGET_MS = 2_000;

/** The call that cancels an attempt, which is made even when the acquire was aborted. */
export function cancelCall(acquire: StoreCall): StoreCall {
  const budgetMs = Math.min(CANCEL_BUDGET_MS, acquire.budgetMs / 2);
  return { ...acquire, signal: new AbortController().signal, budgetMs };
}

/** Refused, while an earlier try may still be applied and could not be cancelled. */
export function unsettledAttempt(name: string, cause: unknown): LockStoreError {
  return new LockStoreError(
    `acquire of lock "${name}" failed: it was refused, but an earlier try went unanswered and could not be cancelled; try again`,
    { code: 'UNSETTLED', lockName: name, operation: 'acquire', retryable: true, cause },
  );
}

/** Asked again by an attempt that was released, cancelled or taken over from. */
export function endedAttempt(name: string): LockStoreError {
  return new LockStoreError(`acquire of lock "${name}" failed: this attempt has ended already; make a new one`, {
    code: 'UNAVAILABLE',
    lockName: name,
    operation: 'acquire',
    retryable: true,
  });
}
