import type { LockAdminStore } from '../../../core/ports/lock-admin-store.js';
import type { Lease, LockStore, StoreCall } from '../../../core/ports/lock-store.js';
import { type Scene, setScene } from './scene.js';

/** What a case needs beyond the four verbs of a lock store: a property of the harness that may be absent. */
export type ContractNeed = 'admin' | 'patch';

/** One promise of the lock protocol, to be checked on a store by any test runner. */
export interface ContractCase {
  /** The promise, in one line. Unique. */
  readonly name: string;
  /** Parts of the harness that may be absent and that this case cannot do without. */
  readonly needs: readonly ContractNeed[];
  /**
   * Resolves when the store keeps the promise. Uses lock names of its own, so that cases may share a table.
   *
   * @throws Error with `expected` and `actual` when it does not
   */
  check(harness: ContractHarness): Promise<void>;
}

/** A store under test, and the little that a case must be able to do around it. */
export interface ContractHarness {
  /** The store under test. */
  readonly store: LockStore;
  /** The operators' port over the same locks. Absent: leave out the cases that need `admin`. */
  readonly admin?: LockAdminStore;
  /**
   * The parameters of one call. From one to the next its clock moves on by a millisecond or more, as time does.
   */
  call(): StoreCall;
  /**
   * The lease that a case asks for when its holder is to die; every other lease and hold is half an hour or longer.
   * Anything that `expire` can end: a minute on a clock that can be turned, 20 ms where time must really pass.
   */
  readonly shortLeaseMs: number;
  /**
   * Resolves when this lease, granted for `shortLeaseMs`, is over by the clock that the store judges expiry by.
   * Three ways, whichever fits the store:
   * - that clock is the caller's (memory, a mock): turn the clock of `call()` past `lockUntilMs`;
   * - that clock is the server's, and the instants are the caller's (DynamoDB): let the clock of every `call()` be
   *   ten minutes behind, so that a short lease is over as soon as it is granted and a long one is not; nothing to do;
   * - all time is the server's (Redis): wait until `lockUntilMs` has passed.
   */
  expire(lease: Lease): Promise<void>;
  /** What the store adds to the end of every lease that it records, in milliseconds; 0 for most. */
  readonly leasePadMs: number;
  /**
   * Writes attributes into an existing record behind the store's back, also numbers beyond the safe integers.
   * Absent: leave out the cases that need `patch`.
   */
  patch?(name: string, attributes: Readonly<Record<string, string | number>>): Promise<void>;
}

/** Makes a case out of a promise and the scene that shows it. */
export function contractCase(
  name: string,
  play: (scene: Scene) => Promise<void>,
  needs: readonly ContractNeed[] = [],
): ContractCase {
  return { name, needs, check: async (harness) => play(setScene(harness)) };
}

/** A case that needs the operators' port. */
export function adminCase(name: string, play: (scene: Scene) => Promise<void>): ContractCase {
  return contractCase(name, play, ['admin']);
}
