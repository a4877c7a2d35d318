/*
 * A Lambda function with the default observer, run in a process of its own. Its event names the lock: `held` is held by
 * somebody else, `unreachable` is one that its store cannot reach, any other is free.
 */
import { acquireLock, LockStoreError, withSingleExecution } from 'single-execution';
import { memoryStore } from 'single-execution/memory';

const store = memoryStore();
await acquireLock({ name: 'held', store, lockAtMostFor: '1h', observers: [] });

export const handler = withSingleExecution(async () => 'done', {
  name: ({ lock }: { readonly lock: string }) => lock,
  store: {
    ...store,
    async acquire(claim, call) {
      if (claim.name !== 'unreachable') return store.acquire(claim, call);
      throw new LockStoreError('acquire of lock "unreachable" failed: TimeoutError; see the cause', {
        code: 'UNAVAILABLE',
        lockName: claim.name,
        operation: 'acquire',
        retryable: true,
      });
    },
  },
});
