import type { Claim, Completion, DoneTick, Lease, LockStore, StoreCall } from '../core/ports/lock-store.js';
import { LockStoreError, type StoreOperation } from '../core/public/errors.js';
import type { Clock } from '../core/values/clock.js';

/**
 * What goes wrong with one call. All but the delay, and an error of your own, end as a `LockStoreError` (UNAVAILABLE,
 * retryable), which is how a store says that all of its tries came to nothing.
 * - `none`: nothing;
 * - `lose-request`: the store is never reached;
 * - `lose-response`: the store does what it is asked, and the caller is not told;
 * - `hang`: no answer until the call's budget is spent or its signal aborts; nothing is done;
 * - `{ delayMs }`: the store is reached so much later, by the call's clock, and answers; not reached at all when the
 *   call's budget is spent or its signal aborts before;
 * - an `Error`: it is thrown as it is, and the store is never reached.
 */
export type Fault =
  | 'none'
  | 'lose-request'
  | 'lose-response'
  | 'hang'
  | {
      /** How much later, in milliseconds. */
      readonly delayMs: number;
    }
  | Error;

/** A verb of a {@link LockStore}. */
export type Verb = keyof LockStore;

/** For each verb: one fault for all its calls, or a list for its first calls. */
export type FaultPlan = { readonly [verb in Verb]?: Fault | readonly Fault[] };

/** A call as the store was asked, and what went wrong with it. */
export type RecordedCall =
  | {
      /** A claim of the lock. */
      readonly verb: 'acquire';
      /** The claim. */
      readonly claim: Claim;
      /** What went wrong; `none` for nothing. */
      readonly fault: Fault;
    }
  | {
      /** An extension of a lease. */
      readonly verb: 'extend';
      /** The lease. */
      readonly lease: Lease;
      /** How long it was to last, in milliseconds. */
      readonly leaseMs: number;
      /** What went wrong; `none` for nothing. */
      readonly fault: Fault;
    }
  | {
      /** The mark of a tick that was caught up with. */
      readonly verb: 'mark';
      /** The lease. */
      readonly lease: Lease;
      /** The tick. */
      readonly done: DoneTick;
      /** What went wrong; `none` for nothing. */
      readonly fault: Fault;
    }
  | {
      /** A release. */
      readonly verb: 'release';
      /** The lease. */
      readonly lease: Lease;
      /** How the run ended. */
      readonly completion: Completion;
      /** What went wrong; `none` for nothing. */
      readonly fault: Fault;
    };

/** A store whose calls go wrong as planned. */
export interface FaultyStore extends LockStore {
  /** Every call so far, oldest first. */
  readonly calls: readonly RecordedCall[];
  /** Lets the next calls of a verb go wrong, one each, after those that are planned already. */
  next(verb: Verb, ...faults: Fault[]): void;
}

/**
 * Wraps a store so that calls to it go wrong as planned; without a plan it only records them. For tests of what is
 * built on a store: the faults are those that remain when the store's own retries have failed.
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
  if (fault instanceof Error) throw fault;
  if (typeof fault === 'object') {
    await pass(clock, Math.min(fault.delayMs, budgetMs), signal);
    if (fault.delayMs <= budgetMs && !signal.aborted) return reach();
  }
  if (fault === 'hang') await pass(clock, budgetMs, signal);
  if (fault === 'lose-response') await reach();
  const planned = typeof fault === 'object' ? `a delay of ${fault.delayMs} ms` : fault;
  throw new LockStoreError(`${operation} of lock "${lockName}" failed: this test planned ${planned}`, {
    code: 'UNAVAILABLE',
    lockName,
    operation,
    retryable: true,
  });
}

/** Resolves when the time has passed, or at once when the call is aborted. */
function pass(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = clock.setTimer(done, ms);
    signal.addEventListener('abort', done);
    function done() {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

function isList(planned: Fault | readonly Fault[] | undefined): planned is readonly Fault[] {
  return Array.isArray(planned);
}
