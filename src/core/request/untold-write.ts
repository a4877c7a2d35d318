import type { DeleteResult } from '../ports/lock-admin-store.js';
import { LockStoreError, type StoreOperation } from '../public/errors.js';

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
