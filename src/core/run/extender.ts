import type { Lease } from '../ports/lock-store.js';
import { toStoreError } from '../public/errors.js';
import { dateOf } from '../values/date-of.js';
import { holdOf } from './hold.js';
import type { Invocation } from './invocation.js';
import type { LeaseWatch } from './lease-watch.js';
import { extendCall } from './store-calls.js';

/** Extends the lease of one run, one call at a time. */
export interface Extender {
  /**
   * Holds the lock for so long from now on; never shorter than it is held already.
   *
   * @returns whether it is still this run's; the watch knows it too
   * @throws LockStoreError, CorruptLockError when the store failed: nothing is known to have changed
   */
  extend(leaseMs: number): Promise<'extended' | 'lost'>;
  /** Ends a call in progress and refuses further ones: nothing is sent once this has resolved. */
  close(): Promise<void>;
}

export function leaseExtender(
  lease: Lease,
  watch: LeaseWatch,
  { policy, tell }: Pick<Invocation, 'policy' | 'tell'>,
): Extender {
  const closing = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  const extendNow = async (leaseMs: number): Promise<'extended' | 'lost'> => {
    const { hold } = watch;
    if (!hold || watch.isLost() || watch.isStopped() || closing.signal.aborted) return 'lost';
    try {
      const call = extendCall(hold, policy, closing.signal);
      const result = await policy.store.extend(lease, { leaseMs }, call);
      if (result.status === 'lost') watch.lose();
      else watch.renew(holdOf({ leaseMs, ...result }, result.capMono, watch.hold));
      if (result.status === 'lost' || watch.isLost()) return 'lost';
      tell({ type: 'extended', fencingToken: lease.fencingToken, lockUntil: dateOf(result.lockUntilMs) });
      return 'extended';
    } catch (cause) {
      const error = toStoreError(cause, 'extend', lease.name);
      if (!closing.signal.aborted) tell({ type: 'extend-failed', error });
      throw error;
    }
  };

  return {
    extend(leaseMs) {
      const mine = last.then(() => extendNow(leaseMs));
      last = mine.catch(() => undefined);
      return mine;
    },
    async close() {
      closing.abort();
      await last;
    },
  };
}
