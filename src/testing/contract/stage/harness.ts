import type { LockAdminStore } from '../../../core/ports/lock-admin-store.js';
import type { Lease, LockStore, StoreCall } from '../../../core/ports/lock-store.js';

/** A store under test, and the functions that a case needs to check it. */
export interface ContractHarness {
  /** The store under test. */
  readonly store: LockStore;
  /** The admin store for the same locks. Without it, leave out the cases that need `admin`. */
  readonly admin?: LockAdminStore;
  /** Makes the parameters of one call. Their clock must move on by at least a millisecond between two calls. */
  call(): StoreCall;
  /**
   * The lease, in milliseconds, of a holder that a case lets die; every other lease and hold is half an hour or longer.
   * Choose a lease that `expire` can end: a minute with a manual clock, 20 ms if time must really pass.
   */
  readonly shortLeaseMs: number;
  /**
   * Resolves when this lease, granted for `shortLeaseMs`, has ended by the clock that the store uses for expiry. How to
   * do this depends on the store:
   * - if the clock for expiry is the caller's (memory, a mock): turn the clock of `call()` past `lockUntilMs`;
   * - if that clock is the server's, and the recorded instants are the caller's (DynamoDB): let the clock of every
   *   `call()` be ten minutes behind, so that a short lease has ended as soon as it is granted, and a long one has not;
   *   `expire` does nothing;
   * - if all time is the server's (Redis): wait until `lockUntilMs` has passed.
   */
  expire(lease: Lease): Promise<void>;
  /**
   * Milliseconds that the store adds to the recorded end of every lease: its `clockResolutionMs` if that is more than 1,
   * else 0 for most.
   */
  readonly leasePadMs: number;
  /**
   * Writes attributes directly into an existing record; a number may be beyond the safe integers. Without it, leave out
   * the cases that need `patch`.
   */
  patch?(name: string, attributes: Readonly<Record<string, string | number>>): Promise<void>;
}
