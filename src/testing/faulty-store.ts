import type { Claim, Completion, DoneTick, Lease, LockStore, StoreCall } from '../core/ports/lock-store.js';
import { LockStoreError, type StoreOperation } from '../core/public/errors.js';
import { pause } from '../core/values/clock.js';
import { isError } from '../core/values/thrown.js';

/**
 * The fault of one call. All faults but the delay and your own error end as a `LockStoreError` (UNAVAILABLE,
 * retryable), as if all tries of a store had failed.
 * - `none`: no fault;
 * - `lose-request`: the call does not reach the store;
 * - `lose-response`: the store carries out the call, but the caller gets no answer;
 * - `hang`: no answer until the call's budget is spent or its signal aborts; the store does nothing;
 * - `{ delayMs }`: the call reaches the store that much later, by the call's clock, and gets its answer. If the call's
 *   budget is spent or its signal aborts first, the call does not reach the store, and ends as that `LockStoreError`;
 * - an `Error`: it is thrown unchanged, and the call does not reach the store.
 */
export type Fault =
  | 'none'
  | 'lose-request'
  | 'lose-response'
  | 'hang'
  | {
      /** The delay, in milliseconds. */
      readonly delayMs: number;
    }
  | Error;

/** A verb of a {@link LockStore}. */
export type Verb = keyof LockStore;

/** For each verb: one fault for all its calls, or a list for its first calls. */
export type FaultPlan = { readonly [verb in Verb]?: Fault | readonly Fault[] };

/** A call of the store, and its fault. */
export type RecordedCall =
  | {
      /** A claim of the lock. */
      readonly verb: 'acquire';
      /** The claim. */
      readonly claim: Claim;
      /** The fault; `none` if there was none. */
      readonly fault: Fault;
    }
  | {
      /** An extension of a lease. */
      readonly verb: 'extend';
      /** The lease to extend. */
      readonly lease: Lease;
      /** The requested lease, in milliseconds. */
      readonly leaseMs: number;
      /** The fault; `none` if there was none. */
      readonly fault: Fault;
    }
  | {
      /** The mark of a tick that a catch-up has run. */
      readonly verb: 'mark';
      /** The lease of the run. */
      readonly lease: Lease;
      /** The tick that is done. */
      readonly done: DoneTick;
      /** The fault; `none` if there was none. */
      readonly fault: Fault;
    }
  | {
      /** A release. */
      readonly verb: 'release';
      /** The lease to release. */
      readonly lease: Lease;
      /** How the run ended. */
      readonly completion: Completion;
      /** The fault; `none` if there was none. */
      readonly fault: Fault;
    };

/** A store whose calls fail as planned. */
export interface FaultyStore extends LockStore {
  /** Every call so far, oldest first. */
  readonly calls: readonly RecordedCall[];
  /** Adds faults for the next calls of a verb, one each, after the faults already planned. */
  next(verb: Verb, ...faults: Fault[]): void;
}

/**
 * Wraps a store so that calls to it fail as planned; without a plan it only records them. It is for tests of code that
 * uses a store: each fault stands for a failure that remains after the store's own retries.
 *
 * @example
 * ```ts
 * import { memoryStore } from 'single-execution/memory';
 * import { faultyStore } from 'single-execution/testing';
 *
 * const store = faultyStore(memoryStore(), { release: 'lose-response' });
 * store.next('acquire', 'lose-request', 'none');
 * ```
 */
export function faultyStore(store: LockStore, plan: FaultPlan = {}): FaultyStore {
  const calls: RecordedCall[] = [];
  const queued: Record<Verb, Fault[]> = { acquire: [], extend: [], mark: [], release: [] };
  const standing: Record<Verb, Fault> = { acquire: 'none', extend: 'none', mark: 'none', release: 'none' };
  for (const verb of ['acquire', 'extend', 'mark', 'release'] as const) {
    const planned = plan[verb];
    if (isList(planned)) queued[verb].push(...planned);
    else if (planned !== undefined) standing[verb] = planned;
  }
  const faultFor = (verb: Verb): Fault => queued[verb].shift() ?? standing[verb];

  return {
    calls,
    next(verb, ...faults) {
      queued[verb].push(...faults);
    },
    acquire(claim, call) {
      const fault = faultFor('acquire');
      calls.push({ verb: 'acquire', claim, fault });
      return inflict(fault, 'acquire', claim.name, call, () => store.acquire(claim, call));
    },
    extend(lease, { leaseMs }, call) {
      const fault = faultFor('extend');
      calls.push({ verb: 'extend', lease, leaseMs, fault });
      return inflict(fault, 'extend', lease.name, call, () => store.extend(lease, { leaseMs }, call));
    },
    mark(lease, done, call) {
      const fault = faultFor('mark');
      calls.push({ verb: 'mark', lease, done, fault });
      return inflict(fault, 'mark', lease.name, call, () => store.mark(lease, done, call));
    },
    release(lease, completion, call) {
      const fault = faultFor('release');
      calls.push({ verb: 'release', lease, completion, fault });
      return inflict(fault, 'release', lease.name, call, () => store.release(lease, completion, call));
    },
  };
}

async function inflict<T>(
  fault: Fault,
  operation: StoreOperation,
  lockName: string,
  call: StoreCall,
  reach: () => Promise<T>,
): Promise<T> {
  const { clock, budgetMs, signal } = call;
  if (fault === 'none') return reach();
  if (isError(fault)) throw fault;
  if (typeof fault === 'object') {
    await pause(Math.min(fault.delayMs, budgetMs), clock, signal);
    if (fault.delayMs <= budgetMs && !signal?.aborted) return reach();
  }
  if (fault === 'hang') await pause(budgetMs, clock, signal);
  if (fault === 'lose-response') await reach();
  const planned = typeof fault === 'object' ? `a delay of ${fault.delayMs} ms` : fault;
  throw new LockStoreError(`${operation} of lock "${lockName}" failed: this test planned ${planned}`, {
    code: 'UNAVAILABLE',
    lockName,
    operation,
    retryable: true,
  });
}

function isList(planned: Fault | readonly Fault[] | undefined): planned is readonly Fault[] {
  return Array.isArray(planned);
}
