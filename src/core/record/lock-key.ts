import { LockStoreError, type StoreOperation } from '../public/errors.js';
import { describe } from '../values/describe.js';
import { nameProblem } from '../values/lock-name.js';

/**
 * The key under which a store keeps a lock.
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
